/* memory_limit.h - how much memory the user's code of an attempt may have.
 *
 * A control group of its own where the system lets us make one, version 1 or 2: then the limit is
 * for all its processes together, and the kernel says whether it was reached. It lies below our own
 * group, or, as version 2 limits nothing below a group that has processes itself, beside it. Else
 * there is a limit for the data of each process, which makes its allocations fail. */
#ifndef JOBS_TASK_MEMORY_LIMIT_H
#define JOBS_TASK_MEMORY_LIMIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct memory_limit {
    uint64_t bytes;       /* 0: none */
    bool unified;         /* version 2 */
    char group[PATH_MAX]; /* its folder; "": none */
};

/* Makes the group, or does without. */
void memory_limit_open(struct memory_limit *l, uint64_t bytes);

/* The same where groups are elsewhere, for tests. */
struct memory_limit_system {
    const char *ours; /* says which group we are in, as /proc/self/cgroup does */
    const char *root; /* /sys/fs/cgroup */
    int (*make)(const char *path, mode_t mode); /* mkdir */
};
void memory_limit_open_in(struct memory_limit *l, uint64_t bytes,
                          const struct memory_limit_system *system);

/* The calling process and those that it starts are limited from now on. Safe between fork and
 * exec. */
void memory_limit_enter(const struct memory_limit *l);

/* They have ended, with this status of wait: 0; or -1 if they ran out of memory: `err` says so. If
 * that is only likely, says so on standard error. Removes the group. */
int memory_limit_close(struct memory_limit *l, int status, struct err *err);

#endif
