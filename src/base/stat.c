/* stat.c - percentiles and intervals.
 *
 * A percentile is one element of the sample (nearest rank): it was really observed, and there is
 * one rule for every table that dolly prints. It is found by quickselect with the median of three
 * as pivot, so that sorted input is not a worst case, and a three-way partition, so that neither
 * are equal values. No random pivots: the same input takes the same steps. Sorting would do, but
 * reports ask for several percentiles of millions of tasks. */
#include "base/stat.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

static double median_of_three(double a, double b, double c)
{
    if (a > b) {
        double swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

static void swap_at(double *at, size_t i, size_t j)
{
    double swap = at[i];
    at[i] = at[j];
    at[j] = swap;
}

/* The element that would stand at index k if at[0..n-1] were sorted. */
static double select_kth(double *at, size_t n, size_t k)
{
    size_t from = 0, to = n; /* index k belongs to at[from..to-1] */
    while (to - from > 1) {
        double pivot = median_of_three(at[from], at[from + (to - from) / 2], at[to - 1]);
        /* [from, less) is below the pivot, [less, i) equal to it, [more, to) above it. */
        size_t less = from, i = from, more = to;
        while (i < more) {
            if (at[i] < pivot)
                swap_at(at, less++, i++);
            else if (at[i] > pivot)
                swap_at(at, i, --more);
            else
                i++;
        }
        if (k < less)
            to = less;
        else if (k >= more)
            from = more;
        else
            return pivot;
    }
    return at[from];
}

size_t stat_rank(size_t n, double q)
{
    check(n > 0 && q >= 0 && q <= 1);
    /* 0.07 * 100 is a hair above 7 in binary; without the correction its rank would be 8. */
    double rank = ceil(q * (double)n * (1 - 4 * DBL_EPSILON));
    size_t k = rank < 1 ? 0 : (size_t)rank - 1;
    return k < n ? k : n - 1;
}

double stat_quantile(double *at, size_t n, double q)
{
    return select_kth(at, n, stat_rank(n, q));
}

double stat_quantile_or_nan(double *at, size_t n, double q)
{
    return n ? stat_quantile(at, n, q) : NAN;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stat_sort(double *at, size_t n)
{
    if (n > 0)
        qsort(at, n, sizeof *at, by_value);
}

double stat_median(const float *at, size_t n)
{
    double *copy = mem_zalloc(n, sizeof *copy);

    for (size_t i = 0; i < n; i++)
        copy[i] = (double)at[i];
    double median = n ? stat_quantile(copy, n, 0.5) : 0;
    mem_free(copy);
    return median;
}

size_t stat_up_to(const double *ascending, size_t n, double x)
{
    size_t from = 0, to = n; /* the number is within these */
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (ascending[middle] > x)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

void stat_insert(double *ascending, size_t n, double x)
{
    size_t i = stat_up_to(ascending, n, x);
    memmove(&ascending[i + 1], &ascending[i], (n - i) * sizeof *ascending);
    ascending[i] = x;
}

double stat_mean(const double *at, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += at[i];
    return n ? sum / (double)n : 0;
}

/* The 97.5 % point of Student's t. Beyond the table the first terms of its expansion in 1/freedom
 * around the normal's point are right to four digits. */
static double student_t(size_t freedom)
{
    static const double table[] = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    };
    if (freedom <= sizeof table / sizeof *table)
        return table[freedom - 1];
    double f = (double)freedom;
    return 1.959964 + 2.372271 / f + 2.822499 / (f * f);
}

double stat_interval(const double *at, size_t n)
{
    if (n < 2)
        return 0;
    double mean = stat_mean(at, n), squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (at[i] - mean) * (at[i] - mean);
    double deviation = sqrt(squares / (double)(n - 1));
    return student_t(n - 1) * deviation / sqrt((double)n);
}

double stat_hill(const double *ascending, size_t count, size_t from)
{
    if (from == 0 || from >= count || ascending[from - 1] <= 0)
        return NAN;
    double sum = 0;
    for (size_t i = from; i < count; i++)
        sum += log(ascending[i] / ascending[from - 1]);
    return sum > 0 ? (double)(count - from) / sum : NAN;
}

struct stat_line stat_line(const double *x, const double *y, size_t n)
{
    double mean_x = stat_mean(x, n), mean_y = stat_mean(y, n), xy = 0, xx = 0;
    for (size_t i = 0; i < n; i++) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
    }
    double slope = xx > 0 ? xy / xx : 0;
    return (struct stat_line){mean_y - slope * mean_x, slope};
}
