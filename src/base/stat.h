/* stat.h - the one rule for percentiles, intervals over repeated runs, the line through points. */
#pragma once

#include <stddef.h>

/* Returns the quantile by nearest rank: the ceil(q*n)-th smallest value (the smallest for q = 0).
 * Reorders `at`; n > 0, 0 <= q <= 1. Linear time on average. */
double stat_quantile(double *at, size_t n, double q);

/* Returns the same quantile, or NaN for n = 0. */
double stat_quantile_or_nan(double *at, size_t n, double q);

/* Sorts the values in ascending order. */
void stat_sort(double *at, size_t n);

/* The median (q = 0.5), without reordering the values; 0 for n = 0. */
double stat_median(const float *at, size_t n);

/* The index of the value that stat_quantile returns, among n values in ascending order. */
size_t stat_rank(size_t n, double q);

/* Returns how many of the values, which are in ascending order, are x at most. */
size_t stat_up_to(const double *ascending, size_t n, double x);

/* Inserts a value into n values in ascending order, behind which there is room for one more. */
void stat_insert(double *ascending, size_t n, double x);

/* The mean; 0 for n = 0. */
double stat_mean(const double *at, size_t n);

/* Half the width of the 95 % Student t interval of the mean; 0 for n < 2. */
double stat_interval(const double *at, size_t n);

/* The exponent of a Pareto tail, by Hill's estimator over the values of an ascending array whose
 * index is at least `from`; NaN if there are none. */
double stat_hill(const double *ascending, size_t count, size_t from);

/* A line y = base + slope x. */
struct stat_line {
    double base, slope;
};
/* Fits the line with the least squares through n > 0 points. If all x are equal, the slope is 0 and
 * the base is the mean. */
struct stat_line stat_line(const double *x, const double *y, size_t n);
