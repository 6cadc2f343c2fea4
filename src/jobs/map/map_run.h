/* map_run.h - puts a run together and runs it. */
#ifndef JOBS_MAP_MAP_RUN_H
#define JOBS_MAP_MAP_RUN_H

#include <stdbool.h>

#include "base/err.h"

struct map;

/* Runs the plan. 0, or -1 with *err and *interrupted. */
int map_run(struct map *m, bool *interrupted, struct err *err);

/* Runs nothing: prints with --json a run that is complete. -1 with *err. */
int map_run_replay(struct map *m, struct err *err);

#endif
