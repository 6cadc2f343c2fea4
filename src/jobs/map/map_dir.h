/* map_dir.h - the folder of a run (m->dir), and where things are in it. */
#ifndef JOBS_MAP_MAP_DIR_H
#define JOBS_MAP_MAP_DIR_H

#include <limits.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/id.h"

struct map;

/* Where temporary files go. */
const char *map_dir_tmp(const struct map *m);

/* Makes the folder of the run, private or named, unless there is one. -1 with *err. */
int map_dir_open(struct map *m, struct err *err);

/* Removes what cannot be resumed, and gives the lock up. */
void map_dir_close(struct map *m);

/* A file in the private place of an attempt; NULL: the place. */
void map_dir_attempt(const struct map *m, struct attempt_ref at, const char *name,
                     char path[PATH_MAX]);

/* Where the outputs of a task that is over wait: which is 1 for stdout, 2 for stderr, 0 for the
 * folder of a failed task; `state` is an enum map_task_state. */
void map_dir_output(const struct map *m, uint32_t task, uint8_t state, int which,
                    char path[PATH_MAX]);

#endif
