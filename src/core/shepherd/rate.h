/* rate.h - the healthy time per byte of a phase, by its own attempts.
 *
 * It is the median of those that ended and, until half have, of those that run: by their pace, and
 * if that is unknown as longer than all. Where less than half are known, experts are asked. */
#pragma once

#include "base/vec.h"
#include "core/estimate/healthy.h"
#include "core/shepherd/flock.h"
#include "core/shepherd/watch.h"

/* Scratch memory. Zeroed at the start; free with rate_fini. */
struct rate {
    VEC(double) known;
};

void rate_fini(struct rate *rate);

/* Returns the bytes that a task reads, 1 at least. */
static inline double rate_bytes(const struct phase *p, uint32_t task)
{
    double bytes = (double)phase_task_bytes(p, task);
    return bytes > 0 ? bytes : 1;
}

/* Returns true if the attempt is to go on, and has not finished. */
static inline bool rate_counts(const struct attempt *a)
{
    return !a->unwanted && a->state != ATTEMPT_FINISHED;
}

/* Returns the median time per byte, us, of the phase's attempts that finished; there must be
 * one. */
double rate_median(struct rate *rate, const struct fold *fold);

/* Works out the rate of the phase, us per byte, and what became of the attempts that ended, unless
 * hardly any has ended since; fold->bytes is up to date. Returns fold->rate; 0: unknown. */
double rate_work_out(struct rate *rate, struct fold *fold, const struct phase *p,
                     const struct healthy *healthy, const struct watch *watch,
                     const struct world *w);
