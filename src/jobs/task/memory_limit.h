/* memory_limit.h - limits the memory of the user's code in an attempt.
 *
 * Uses a control group of its own where the system allows one, version 1 or 2: then the limit is
 * for all its processes together, and the kernel reports if it was reached. The group is below the
 * program's own, or next to it, as version 2 limits nothing below a group that has processes
 * itself. Otherwise limits the data of each process, which makes its allocations fail. */
#pragma once

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

/* Makes the group, or chooses the limit for each process if that fails. */
void memory_limit_open(struct memory_limit *l, uint64_t bytes);

/* Where control groups are; tests use another place. */
struct memory_limit_system {
    const char *ours; /* names the group of this process, as /proc/self/cgroup does */
    const char *root; /* /sys/fs/cgroup */
    int (*make)(const char *path, mode_t mode); /* mkdir */
};

/* As memory_limit_open, in this system. */
void memory_limit_open_in(struct memory_limit *l, uint64_t bytes,
                          const struct memory_limit_system *system);

/* Limits the calling process and those that it starts. Safe between fork and exec. */
void memory_limit_enter(const struct memory_limit *l);

/* Removes the group. Call when the processes have ended; `status` is that of wait. Returns 0, or -1
 * with *err if they ran out of memory. If that is only likely, prints so on standard error. */
int memory_limit_close(struct memory_limit *l, int status, struct err *err);
