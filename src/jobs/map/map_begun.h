/* map_begun.h - commands that had begun, and are not over, when a run was cut short: they were
 * running, or were lost with their node, or their outputs were. To resume the run is to run them a
 * second time. Those of which an output should be there are map_whole_again's to judge. */
#ifndef JOBS_MAP_MAP_BEGUN_H
#define JOBS_MAP_MAP_BEGUN_H

#include "base/err.h"

struct map;

/* Refuses if there are any, with *err and a line for each on stderr: its number and command. 0 if
 * there are none, or if the run may run commands more than once at a time anyway. `m` is open. */
int map_begun_refuse(const struct map *m, struct err *err);

#endif
