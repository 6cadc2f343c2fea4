/* map_dir.h - the folder of a run (m->dir), and the paths in it. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/os/path.h"
#include "core/model/id.h"

struct map;

/* Returns the folder for temporary files. */
const char *map_dir_tmp(const struct map *m);

/* Makes the folder of the run, private or named, unless there is one. Returns 0, or -1 with *err.
 */
int map_dir_open(struct map *m, struct err *err);

/* Removes the folder of a run that cannot be resumed, and releases the lock. */
void map_dir_close(struct map *m);

/* Returns the path of a file in the private folder of an attempt; NULL: of the folder. */
struct path map_dir_attempt(const struct map *m, struct attempt_ref at, const char *name);

/* Returns the path where the outputs of a task that is over wait: `which` is 1 for stdout, 2 for
 * stderr, 0 for the folder of a failed task; `state` is an enum map_task_state. */
struct path map_dir_output(const struct map *m, uint32_t task, uint8_t state, int which);
