/* mantri.h - Mantri's estimates as plain functions, so that its rules can be checked by hand. */
#ifndef CORE_MITIGATE_MANTRI_H
#define CORE_MITIGATE_MANTRI_H

#include "core/mitigate/speculate.h"

/* t_rem: what is left at the pace so far. Very long when nothing was read yet. */
double mantri_left_s(double elapsed_s, double done, double total);

/* What is remembered of an attempt between looks. Zeroed, with started_us -1. */
struct mantri_rest {
    int64_t started_us; /* whose it is: slots are used again */
    int64_t report_us;
    double left_s; /* at that report */
};

/* What a running attempt has reported, and when. */
struct mantri_report {
    int64_t started_us, report_us, now_us;
    double done, total;
};

/* t_rem now. What each report says is averaged with what was thought before, less the time that has
 * passed since: the newest counts half. Between reports it falls as time goes by; after more than
 * delta without one the attempt is taken to have done nothing since, and its rest grows. */
double mantri_rest_update(struct mantri_rest *r, const struct mantri_report *now, int64_t delta_us);

/* The largest factor that every t_new may be multiplied by before the probability below is not
 * above `chance` any more. Reorders the rates. */
double mantri_factor_max(double *rates, uint32_t count, double bytes, double lag_s, double left_s,
                         uint32_t copies, double chance);

/* The probability that a new copy saves work when `copies` run already and the task needs `left_s`
 * more: P(left > t_new x (copies + 1) / copies), where t_new = rate x bytes + lag over the sampled
 * rates (s per byte). */
double mantri_chance(const double *rates, uint32_t count, double bytes, double lag_s, double left_s,
                     uint32_t copies);

#endif
