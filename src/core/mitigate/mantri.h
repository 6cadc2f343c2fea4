/* mantri.h - Mantri's estimates as plain functions, so that its rules can be checked by hand. */
#pragma once

#include "core/mitigate/speculate.h"

/* The rate of an attempt by its last report, s per byte; negative: it has done nothing yet. */
static inline double mantri_rate(const struct progress *said, int64_t started_us, double bytes)
{
    if (said->done <= 0 || said->total <= 0)
        return -1;
    return (double)(said->at_us - started_us) / 1e6 * (double)said->total / (double)said->done /
           bytes;
}

/* The rate of a task that is done. */
static inline double mantri_done_rate(const struct task *t, double bytes)
{
    return (double)t->took_us / 1e6 / bytes;
}

/* t_rem, the remaining time at the pace so far. Very long before the first byte was read. */
double mantri_left_s(double elapsed_s, double done, double total);

/* The state of an attempt between scans. Zeroed, with started_us -1. */
struct mantri_rest {
    int64_t started_us; /* start of the attempt it belongs to: entries are used again */
    int64_t report_us;
    double left_s; /* at that report */
};

/* The last report of a running attempt, and its time. */
struct mantri_report {
    int64_t started_us, report_us, now_us;
    double done, total;
};

/* Updates the state and returns t_rem now. Each report is averaged with the previous estimate, less
 * the time that has passed since: the newest counts half. Between reports t_rem falls with time;
 * after more than delta without one the attempt is assumed to have done nothing since, and t_rem
 * grows. */
double mantri_rest_update(struct mantri_rest *r, const struct mantri_report *now, int64_t delta_us);

/* The largest factor by which every t_new may be multiplied while the probability below is above
 * `chance`. Reorders the rates. */
double mantri_factor_max(double *rates, uint32_t count, double bytes, double lag_s, double left_s,
                         uint32_t copies, double chance);

/* The rate that decides whether a probability as below is above `chance`: it is if a copy of this
 * rate alone saves work. INFINITY if none is. Reorders the rates. */
double mantri_deciding_rate(double *rates, uint32_t count, double chance);

/* The probability that a new copy saves work when `copies` run already and the task needs `left_s`
 * more: P(left > t_new x (copies + 1) / copies), where t_new = rate x bytes + lag over the sampled
 * rates (s per byte). */
double mantri_chance(const double *rates, uint32_t count, double bytes, double lag_s, double left_s,
                     uint32_t copies);
