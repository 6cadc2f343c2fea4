/* flock.h - the live phases, each with its tasks that run, the times of its attempts that ended,
 * and the time at which it is to be looked at again.
 *
 * A look at one phase costs as much as the phase runs, whatever else runs in the cluster. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "core/brain/world.h"
#include "core/shepherd/watch.h"

/* Keeping more times in order would take longer than to look for their median now and then. */
enum { FLOCK_ORDERED = 512 };

/* A phase. */
struct fold {
    struct job_id job;
    uint16_t phase;
    bool used; /* an entry that is not used waits for another phase */
    int64_t due_us;
    VEC(uint32_t) tasks;  /* that were launched, until a look finds that they are over */
    VEC(uint64_t) listed; /* a bit for each task: it is among these */
    VEC(float) took;      /* us per byte of attempts that ended; negative: it was stopped ... */
    uint32_t stopped;     /* ... the number of these ... */
    VEC(double) finished; /* ... and the others of the first FLOCK_ORDERED, in ascending order */
    struct watch_starts starts;
    double fetched_s; /* the mean time of attempts until they had fetched all ... */
    uint32_t fetches; /* ... and of how many it is */
    double inputs;    /* healthy_inputs of the phase */
    /* As of the last time that it was worked out: */
    int64_t ends_us;       /* when the phase should end; 0: unknown */
    double bytes;          /* of a task, the mean */
    double rate;           /* healthy time per byte by its own attempts, us; 0: unknown ... */
    uint32_t slow;         /* ... and how many of those that ended straggled ... */
    uint32_t known, tried; /* ... when this many had ended, of this many */
};

/* Zeroed at the start; free with flock_fini. */
struct flock {
    VEC(struct fold) folds;
    VEC(uint32_t) unused;
    struct lookup by_phase;
    int64_t next_us; /* no phase is due before that */
};

void flock_fini(struct flock *f);

/* Adds a task of which an attempt was launched. A new phase is due at once. */
void flock_add(struct flock *f, const struct phase *p, uint32_t task);

/* Returns the entry of a phase, or NULL. Valid until the next flock_add. */
struct fold *flock_find(struct flock *f, const struct phase *p);

/* Forgets a phase; does nothing if it is not there. */
void flock_remove(struct flock *f, const struct phase *p);

/* Adds the time per byte of an attempt that has ended. */
void flock_ended(struct fold *fold, double per_byte_us, bool finished);

/* Removes the tasks that are over from the list. */
void flock_prune(struct fold *fold, const struct phase *p);
