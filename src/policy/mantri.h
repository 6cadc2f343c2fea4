/* mantri.h - Mantri's estimates as plain functions, so that its rules can be checked by hand. */
#ifndef POLICY_MANTRI_H
#define POLICY_MANTRI_H

#include "policy/speculate.h"

/* t_rem: what is left at the pace so far. Very long when nothing was read yet. */
double mantri_left_s(double elapsed_s, double done, double total);

/* t_new: the mean time of a new copy, and the probability that it saves work when `copies` run
 * already and the task needs `left_s` more: P(left > t_new x (copies + 1) / copies). */
struct mantri_new {
    double mean_s, chance;
};
struct mantri_new mantri_new_copy(const double *rates, uint32_t count, double bytes, double lag_s,
                                  double left_s, uint32_t copies);

#endif
