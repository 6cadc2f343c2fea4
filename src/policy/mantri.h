/* mantri.h - Mantri's estimates as plain functions, so that its rules can be checked by hand. */
#ifndef POLICY_MANTRI_H
#define POLICY_MANTRI_H

#include "policy/speculate.h"

/* t_rem: what is left at the pace so far. Very long when nothing was read yet. */
double mantri_left_s(double elapsed_s, double done, double total);

/* The probability that a new copy saves work when `copies` run already and the task needs `left_s`
 * more: P(left > t_new x (copies + 1) / copies), where t_new = rate x bytes + lag over the sampled
 * rates (s per byte). */
double mantri_chance(const double *rates, uint32_t count, double bytes, double lag_s, double left_s,
                     uint32_t copies);

#endif
