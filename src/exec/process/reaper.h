/* reaper.h - reaping dead processes and ending what they leave behind.
 *
 * Used by the runner after every sign of a death. Reports nothing to the coordinator: it hands the
 * attempts that have ended to its caller. */
#ifndef EXEC_PROCESS_REAPER_H
#define EXEC_PROCESS_REAPER_H

#include "exec/process/descendants.h"
#include "exec/process/lineage.h"
#include "exec/process/process.h"

struct reaper {
    struct process_table *table;
    struct descendants *descendants;
    const struct lineage *lineage;
    pid_t spare; /* a child that belongs to no attempt (runner_link.h); 0: none */
    /* Set when a look was inconclusive: look again soon, without waiting for a death. */
    bool again;
};

/* Waits for every dead child without blocking. An attempt whose main process is dead becomes
 * ending, with its status and use noted; the rest of its group is killed at once. */
void reaper_dead(struct reaper *r);

/* Kills what is left of attempts that are ending or doomed, and calls `ended` for each ending one
 * that has no process left. `ended` may remove the entry, nothing else. */
void reaper_sweep(struct reaper *r, void (*ended)(void *ctx, struct process *p), void *ctx);

/* Orders a running attempt to die: TERM to its group and KILL after the grace, or KILL at once for
 * grace 0. An attempt that is dead already, though not yet reaped, ended by itself and stays so. */
void reaper_kill(struct reaper *r, struct process *p, int64_t now_us, int64_t grace_us);

/* Dooms the attempts whose grace is over. Returns the time of the next such end, or INT64_MAX. */
int64_t reaper_overdue(struct reaper *r, int64_t now_us);

#endif
