/* reaper.h - reaps dead processes and ends their descendants.
 *
 * The runner calls it after every sign of a death. It reports nothing to the coordinator: it passes
 * the attempts that have ended to its caller. */
#pragma once

#include "exec/process/descendants.h"
#include "exec/process/lineage.h"
#include "exec/process/process.h"

struct reaper {
    struct process_table *table;
    struct descendants *descendants;
    const struct lineage *lineage;
    /* Set when a look was inconclusive: look again soon, without waiting for a death. */
    bool again;
};

/* Waits for every dead child without blocking. An attempt whose main process is dead becomes
 * ending, with its status and use noted; the rest of its group is killed at once. */
void reaper_dead(struct reaper *r);

/* Kills the remaining processes of attempts that are ending or doomed, and calls `ended` for each
 * ending one that has no process left. `ended` may remove the entry, nothing else. */
void reaper_sweep(struct reaper *r, void (*ended)(void *ctx, struct process *p), void *ctx);

/* Kills a running attempt: TERM to its group and KILL after the grace, or KILL at once for grace 0.
 * An attempt that is dead already, though not yet reaped, counts as ended by itself. */
void reaper_kill(struct reaper *r, struct process *p, int64_t now_us, int64_t grace_us);

/* Dooms the attempts whose grace is over. Returns the time of the next such end, or INT64_MAX. */
int64_t reaper_overdue(struct reaper *r, int64_t now_us);
