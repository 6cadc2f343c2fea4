/* stat.h - the one rule for percentiles, intervals over repeated runs, the line through points. */
#ifndef BASE_STAT_H
#define BASE_STAT_H

#include <stddef.h>

/* Nearest rank: the ceil(q*n)-th smallest (the smallest for q = 0). Reorders `at`; n > 0, 0 <= q
 * <= 1. Linear time on average. */
double stat_quantile(double *at, size_t n, double q);

/* The same; NaN for n = 0. */
double stat_quantile_or_nan(double *at, size_t n, double q);

/* Brings the values into ascending order. */
void stat_sort(double *at, size_t n);

/* The median (q = 0.5) of values that stay in their order; 0 for n = 0. */
double stat_median(const float *at, size_t n);

/* Which of n values in ascending order, from 0 on, stat_quantile gives. */
size_t stat_rank(size_t n, double q);

double stat_mean(const double *at, size_t n); /* 0 for n = 0 */

/* Half the width of the 95 % Student t interval of the mean; 0 for n < 2. */
double stat_interval(const double *at, size_t n);

/* The exponent of a Pareto tail, by Hill's estimator over the values from `from` on of an ascending
 * array; NaN without any. */
double stat_hill(const double *ascending, size_t count, size_t from);

/* The line through n > 0 points with the least squares. Where all x are equal the slope is 0 and
 * the base the mean. */
struct stat_line {
    double base, slope; /* y = base + slope x */
};
struct stat_line stat_line(const double *x, const double *y, size_t n);

#endif
