/* reaper.h - burying the dead and ending what they leave behind.
 *
 * Used by the guardian after every sign of a death. Knows processes and wards, but says nothing to
 * the coordinator: it hands the wards that have ended to its caller. */
#ifndef RUNNER_REAPER_H
#define RUNNER_REAPER_H

#include "runner/descendants.h"
#include "runner/lineage.h"
#include "runner/process.h"

struct reaper {
    struct processes *wards;
    struct descendants *tree;
    const struct lineage *kin;
    bool again; /* set when a look was inconclusive: look again soon, without waiting for a death */
};

/* Waits for every dead child without blocking. A ward whose main process is dead becomes ending,
 * with its status and use noted; the rest of its group is killed at once. */
void reaper_dead(struct reaper *r);

/* Kills what is left of wards that are ending or doomed, and calls `ended` for each ending one of
 * which nothing is left. `ended` may remove the ward, nothing else. */
void reaper_sweep(struct reaper *r, void (*ended)(void *ctx, struct process *ward), void *ctx);

/* Tells a running ward to die: TERM to its group and KILL after the grace, or KILL at once for
 * grace 0. A ward that is dead already, though not yet buried, ended by itself and stays so. */
void reaper_kill(struct reaper *r, struct process *ward, int64_t now_us, int64_t grace_us);

/* Dooms the wards whose grace is over. Returns the time of the next such end, or INT64_MAX. */
int64_t reaper_overdue(struct reaper *r, int64_t now_us);

#endif
