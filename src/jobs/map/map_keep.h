/* map_keep.h - what the folder of a run keeps of its command line, so that it can be resumed. */
#ifndef JOBS_MAP_MAP_KEEP_H
#define JOBS_MAP_MAP_KEEP_H

#include <stdint.h>

#include "base/err.h"

struct map;

struct map_keep {
    int fds[2]; /* arguments that came later, and sizes of their jobs; 0: not kept */
    /* What the folder holds; strings are borrowed from `text`. */
    char *text; /* owned */
    const char *version, *begun, *cwd, *shell;
    const char *part; /* size and time of the file of --pipepart */
    int64_t id, slots, tasks, blocks, words;
    int64_t fed; /* 1: arguments came while tasks ran */
};

/* Writes what a later `dolly resume` needs. -1 with *err. */
int map_keep(struct map *m, struct err *err);

/* Adds the tasks from this one on, which are a job, and whether stdin has ended (m->feed.ended),
 * and has it on the disk before it returns. -1 with *err. */
int map_keep_more(struct map *m, uint32_t from, struct err *err);

/* Reads the command line of the run in this folder; then goes to where it was begun. -1 with *err.
 */
int map_keep_read(struct map *m, const char *dir, struct err *err);
int map_keep_enter(struct map *m, struct err *err);

/* Reads the arguments into m->inputs, which is new. -1 with *err. */
int map_keep_read_args(struct map *m, struct err *err);

/* Reads what --resume or --retry-failed had taken from the job log into m->log. 0. */
int map_keep_read_log(struct map *m);

#endif
