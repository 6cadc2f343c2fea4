/* cores.h - what the cores that we may use have done so far, and what they may do; and how long
 * processes stood still for want of the disk or of memory.
 *
 * Read from the kernel: the cores that we may run on (affinity), how long each of them was busy
 * (with any process), the limit of our control group, if it has one, and pressure stall
 * information, if the kernel has it. */
#ifndef EXEC_PROCESS_CORES_H
#define EXEC_PROCESS_CORES_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cores {
    char proc[PATH_MAX]; /* where /proc is */
    cpu_set_t mine;
    int32_t count;                /* of those */
    int32_t quota;                /* of our control group, in thousandths of a core; 0: no limit */
    char usage[PATH_MAX];         /* the file with what the group has used ... */
    bool usage_in_stat;           /* ... as a line of cpu.stat, else a number of nanoseconds */
    char pressure[PATH_MAX + 16]; /* where the kernel tells of pressure: this, CORES_DISK ... */
    const char *pressure_end;     /* ... and this */
};

/* Counters that only grow. */
struct cores_used {
    int64_t at_us;    /* of the monotonic clock */
    int64_t busy_us;  /* of our cores, with any process; -1: not known */
    int64_t group_us; /* by our control group; -1: not known, or it has no limit */
};

/* How long something stood still so far: counters that only grow, -1 where they are not known. */
struct cores_stalled {
    int64_t at_us;              /* of the monotonic clock */
    int64_t disk_us, memory_us; /* for want of these */
};

/* Finds out what does not change. `root` is "", but for tests, which have files of their own. */
void cores_init(struct cores *c, const char *root);

/* How many cores we may use: those that we may run on, and no more than the limit of our control
 * group, rounded up. At least 1. */
uint32_t cores_allowed(const struct cores *c);
/* The same of this process, now. */
uint32_t cores_allowed_here(void);

/* Reads the counters. */
struct cores_used cores_read(const struct cores *c);

/* What was idle between two readings, in thousandths of a core, if `ours_us` of CPU time in that
 * span do not count as use. Never below 0. */
int32_t cores_idle(const struct cores *c, const struct cores_used *from,
                   const struct cores_used *to, int64_t ours_us);

/* CPU time of a process and its descendants so far, those that it has waited for included. 0 when
 * it is gone. */
int64_t cores_time_of(const struct cores *c, pid_t pid);

/* Reads how long processes of our control group stood still, or of the whole machine where groups
 * do not say. $DOLLY_PRESSURE is the folder with the files `io` and `memory`, for tests. */
struct cores_stalled cores_stalled_read(const struct cores *c);

/* The share of the time between two readings in which something stood still, in thousandths; 0
 * where it is not known. */
int32_t cores_stalled_milli(int64_t from_us, int64_t to_us, int64_t took_us);

/* Bytes that a process and its descendants have moved between files and disks so far, those that
 * it has waited for included. 0 when it is gone, or the kernel does not say. */
int64_t cores_bytes_of(const struct cores *c, pid_t pid);

#endif
