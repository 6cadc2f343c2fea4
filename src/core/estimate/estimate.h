/* estimate.h - how far an attempt is and how long it has to go, from what it reported.
 *
 * score = share of the work done, rate = score / time running, left = (1 - score) / rate: the
 * estimate of LATE, which assumes a steady pace. A task that never reports is judged by its
 * finished siblings: left = E[T - t | T > t] over their times T; beyond the longest of them, as
 * long again as it has run. As long as siblings are few, times of earlier runs stand in for them.
 * Times are those of a task with as much to read as one has on average: of one that reads ten times
 * as much of the outputs above, ten times those are expected. */
#ifndef CORE_ESTIMATE_ESTIMATE_H
#define CORE_ESTIMATE_ESTIMATE_H

#include <stdbool.h>

#include "core/brain/world.h"

struct estimate {
    double score; /* 0..1 */
    double rate;  /* of the whole task, per second */
    double left_s;
    bool by_elapsed; /* no report: judged by its siblings */
};

/* The attempt must be running. `siblings` are what estimate_times gives for its phase, used only
 * where it has not reported. */
struct estimate estimate_attempt(const struct world *w, const struct attempt *a,
                                 const double *siblings, uint32_t count);

/* Fills `times` (room for p->count / stride + 1 + p->past_count) with the times in seconds of the
 * committed attempts of every `stride`-th task, per load (phase_read_load), and of earlier runs,
 * newest first, until there are p->past_count in all; returns how many. */
uint32_t estimate_times(const struct phase *p, uint32_t stride, double *times);

/* Seconds since it started. */
double estimate_elapsed_s(const struct world *w, const struct attempt *a);

#endif
