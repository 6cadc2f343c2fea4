/* map_run.h - assembles a run and runs it. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct map;

/* Runs the plan. Returns 0, or -1 with *err and *interrupted. */
int map_run(struct map *m, bool *interrupted, struct err *err);

/* Prints a complete run with --json; runs nothing. Returns 0, or -1 with *err. */
int map_run_replay(struct map *m, struct err *err);
