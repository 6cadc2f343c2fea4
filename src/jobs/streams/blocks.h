/* blocks.h - cuts a stream into blocks that are the stdin of tasks: --pipe, --pipepart, --tee. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "jobs/args/options.h"

struct block_reader;

struct blocks {
    char *dir; /* folder of their files; owned. NULL: tasks have no stdin */
    bool kept; /* the run can be resumed, so blocks are on the disk before they have their names */
    uint64_t count;
    struct str header; /* each block begins with it */
    /* --pipepart: */
    int64_t at;        /* offset of the next block */
    VEC(int64_t) from; /* offsets of the blocks in the file, and its end */
    /* blocks_feed: */
    struct block_reader *reader; /* owned */
    struct deal *deal; /* --round-robin: takes the blocks; owned. NULL: they are written to files */
};

void blocks_fini(struct blocks *b);

/* Reads the stream and cuts it into b->count blocks; writes their files to b->dir. `slots`: number
 * of files with --round-robin; --block -N uses it too. Returns 0, or -1 with *err. */
int blocks_open(struct blocks *b, const struct options *o, uint32_t slots, struct err *err);

/* Prepares --round-robin, which passes blocks to `slots` running tasks (deal.h). Call before
 * blocks_feed. Returns 0, or -1 with *err. */
int blocks_open_deal(struct blocks *b, uint32_t slots, struct err *err);

/* Takes the next bytes of the stream (0 bytes: its end), and increases b->count. Used instead of
 * blocks_open, without --pipepart. Returns 0, or -1 with *err. */
int blocks_feed(struct blocks *b, const struct options *o, const char *bytes, size_t count,
                struct err *err);

/* Writes all of stdin to one file in b->dir, for --tee. Returns 0, or -1 with *err. */
int blocks_open_tee(const struct blocks *b, struct err *err);

/* Syncs the files that were written so far. Call before the run can be resumed. Returns 0, or -1
 * with *err. */
int blocks_sync(const struct blocks *b, const struct options *o, struct err *err);

/* Appends the path of the stdin file of the task with this sequence number; with --pipepart, makes
 * the file first. Returns 0, or -1 with *err. */
int blocks_path(const struct blocks *b, const struct options *o, uint64_t seq, struct str *path,
                struct err *err);
