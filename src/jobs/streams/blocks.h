/* blocks.h - blocks of a stream as the stdin of tasks: --pipe, --pipepart, --tee. */
#ifndef JOBS_STREAMS_BLOCKS_H
#define JOBS_STREAMS_BLOCKS_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "jobs/args/options.h"

struct block_reader;

struct blocks {
    char *dir; /* of their files; owned. NULL: tasks have no stdin */
    uint64_t count;
    struct str header; /* what each block begins with */
    /* --pipepart: */
    int64_t at;        /* where the next block begins */
    VEC(int64_t) from; /* where blocks begin in the file, and its end */
    /* blocks_feed: */
    struct block_reader *reader; /* owned */
    struct deal *deal;           /* --round-robin: where blocks go; owned, NULL: to files */
};

void blocks_fini(struct blocks *b);

/* The file that the options cut into blocks, "-" for stdin; NULL with *err. */
const char *blocks_source(const struct options *o, struct err *err);

/* Reads the stream and cuts it into b->count blocks; their files go to b->dir. `slots`: files of
 * --round-robin, and what --block -N goes by. -1 with *err. */
int blocks_open(struct blocks *b, const struct options *o, uint32_t slots, struct err *err);

/* To be called before blocks_feed with --round-robin: blocks go to `slots` tasks that run
 * (deal.h). -1 with *err. */
int blocks_open_deal(struct blocks *b, uint32_t slots, struct err *err);

/* Instead of blocks_open, without --pipepart: takes the next bytes of the stream, 0 at its end.
 * b->count grows. -1 with *err. */
int blocks_feed(struct blocks *b, const struct options *o, const char *bytes, size_t count,
                struct err *err);

/* --tee: writes all of stdin to one file in b->dir. -1 with *err. */
int blocks_open_tee(const struct blocks *b, struct err *err);

/* Appends the path of the file that is the stdin of the task with this sequence number; with
 * --pipepart it is made now. -1 with *err. */
int blocks_path(const struct blocks *b, const struct options *o, uint64_t seq, struct str *path,
                struct err *err);

#endif
