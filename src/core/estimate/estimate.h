/* estimate.h - the progress of an attempt and its remaining time, from its reports.
 *
 * score = share of the work done, rate = score / time running, left = (1 - score) / rate: the
 * estimate of LATE, which assumes a steady pace. A task that never reports is judged by its
 * finished siblings: left = E[T - t | T > t] over their times T; beyond the longest of them, as
 * long again as it has run. While there are few siblings, times of earlier runs are added. Times
 * are those of a task with an average amount to read: a task that reads ten times as much of the
 * outputs above is expected to take ten times as long. */
#pragma once

#include <stdbool.h>

#include "core/brain/world.h"

struct estimate {
    double score; /* 0..1 */
    double rate;  /* of the whole task, per second */
    double left_s;
    bool by_elapsed; /* no report: judged by its siblings */
};

/* Estimates an attempt, which must be running. `siblings` are the times that estimate_times
 * returned for its phase, used only if the attempt has not reported. */
struct estimate estimate_attempt(const struct world *w, const struct attempt *a,
                                 const double *siblings, uint32_t count);

/* Fills `times` (capacity p->count / stride + 1 + p->past_count) with the times in seconds of the
 * committed attempts of every `stride`-th task, per load (phase_read_load), and of earlier runs,
 * newest first, until there are p->past_count in all. Returns how many. */
uint32_t estimate_times(const struct phase *p, uint32_t stride, double *times);

/* The seconds since the attempt started. */
static inline double estimate_elapsed_s(const struct world *w, const struct attempt *a)
{
    return (double)attempt_elapsed_us(w, a) / 1e6;
}

/* The rate of an attempt that has reported; all of an estimate that most looks need. */
static inline double estimate_rate(const struct world *w, const struct attempt *a)
{
    double elapsed = estimate_elapsed_s(w, a);
    return (a->score > 1 ? 1 : a->score) / (elapsed > 0 ? elapsed : 1e-6);
}
