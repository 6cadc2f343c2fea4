/* map_begun.h - commands that had begun, and were not over, when a run was interrupted: they were
 * running, or were lost with their node, or their outputs were. Resuming the run runs them a second
 * time. map_whole_again judges those whose output should exist. */
#pragma once

#include "base/err.h"

struct map;

/* Refuses if there are any, with *err and a line for each on stderr: its number and command.
 * Returns 0 if there are none, or if the run may run commands more than once at a time anyway. `m`
 * is open. */
int map_begun_refuse(const struct map *m, struct err *err);
