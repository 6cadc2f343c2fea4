/* map_keep.h - saves the command line of a run in its folder, so that it can be resumed. */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct map;

struct map_keep {
    int fds[2]; /* files for arguments that arrive later, and sizes of their jobs; 0: not kept */
    /* Contents of the folder; strings are borrowed from `text`. */
    char *text; /* owned */
    const char *version, *begun, *cwd, *shell;
    const char *pipepart; /* size and time of the file of --pipepart */
    int64_t id, slots, tasks, blocks, words;
    int64_t fed; /* 1: arguments arrived while tasks ran */
};

/* Writes the files that a later `dolly resume` needs. Returns 0, or -1 with *err. */
int map_keep(struct map *m, struct err *err);

/* Adds the tasks from this one on, which are a job, and whether stdin has ended (m->feed.ended),
 * and syncs them to the disk. Returns 0, or -1 with *err. */
int map_keep_more(struct map *m, uint32_t from, struct err *err);

/* Reads the command line of the run in this folder. Returns 0, or -1 with *err. */
int map_keep_read(struct map *m, const char *dir, struct err *err);

/* Changes to the folder where the run began. Returns 0, or -1 with *err. */
int map_keep_enter(struct map *m, struct err *err);

/* Reads the arguments into m->inputs, which is new. Returns 0, or -1 with *err. */
int map_keep_read_args(struct map *m, struct err *err);

/* Reads the tasks that --resume or --retry-failed had taken from the job log into m->log. Returns
 * 0, or -1 with *err. */
int map_keep_read_log(struct map *m, struct err *err);
