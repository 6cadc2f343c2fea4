/* cores.h - use and limits of the cores of this process; and how long processes were stalled by the
 * disk or by memory.
 *
 * Read from the kernel: the cores that this process may run on (affinity), how long each of them
 * was busy (with any process), the limit of its control group, if it has one, and pressure stall
 * information, if the kernel has it. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/os/path.h"

struct cores {
    char proc[PATH_MAX]; /* where /proc is */
    cpu_set_t mine;
    int32_t count;      /* number of those */
    int32_t quota;      /* limit of the control group, in thousandths of a core; 0: no limit */
    struct path usage;  /* the file with the usage of the group ... */
    bool usage_in_stat; /* ... as a line of cpu.stat, else a number of nanoseconds */
    char pressure[PATH_MAX + 16]; /* path of the pressure files: this, CORES_DISK ... */
    const char *pressure_end;     /* ... and this */
};

/* Counters that only grow. */
struct cores_used {
    int64_t at_us;    /* of the monotonic clock */
    int64_t busy_us;  /* of these cores, with any process; -1: not known */
    int64_t group_us; /* of the control group; -1: not known, or it has no limit */
};

/* How long processes were stalled so far: counters that only grow, -1: not known. */
struct cores_stalled {
    int64_t at_us;              /* of the monotonic clock */
    int64_t disk_us, memory_us; /* by each of these */
};

/* Reads the values that do not change. `root` is "", except in tests, which have files of their
 * own. */
void cores_init(struct cores *c, const char *root);

/* Returns the number of cores that may be used: those of the affinity, at most the limit of the
 * control group, rounded up. At least 1. */
uint32_t cores_allowed(const struct cores *c);
/* Returns cores_allowed of this process, now. */
uint32_t cores_allowed_here(void);

/* Reads the counters. */
struct cores_used cores_read(const struct cores *c);

/* Returns the idle cores between two readings, in thousandths, if `ours_us` of CPU time in that
 * span are not counted as use. Never below 0. */
int32_t cores_idle(const struct cores *c, const struct cores_used *from,
                   const struct cores_used *to, int64_t ours_us);

/* Returns the CPU time of a process and its descendants so far, including those that it has waited
 * for. 0 if it is gone. */
int64_t cores_time_of(const struct cores *c, pid_t pid);

/* Reads how long processes of the control group were stalled, or of the whole machine if groups do
 * not have it. $DOLLY_PRESSURE is the folder with the files `io` and `memory`, for tests. */
struct cores_stalled cores_stalled_read(const struct cores *c);

/* Returns the share of the time between two readings in which processes were stalled, in
 * thousandths; 0 if it is not known. */
int32_t cores_stalled_milli(int64_t from_us, int64_t to_us, int64_t took_us);

/* Returns the bytes that a process and its descendants have moved between files and disks so far,
 * including those that it has waited for. 0 if it is gone, or the kernel does not count them. */
int64_t cores_bytes_of(const struct cores *c, pid_t pid);
