#include "base/stat.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "tests/unit/test.h"

TEST(stat_quantile_is_the_nearest_rank)
{
    double at[10];
    const struct {
        double q, expected;
    } cases[] = {{0, 1},    {0.05, 1}, {0.1, 1},   {0.11, 2}, {0.5, 5},
                 {0.51, 6}, {0.9, 9},  {0.95, 10}, {1, 10}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int i = 0; i < 10; i++)
            at[i] = 10 - i;
        expect(stat_quantile(at, 10, cases[c].q) == cases[c].expected);
    }
    double one = 3;
    expect(stat_quantile(&one, 1, 0) == 3 && stat_quantile(&one, 1, 1) == 3);
}

/* k/100 of 100 elements must be the k-th, though k/100 is not a binary fraction. */
TEST(stat_quantile_is_not_fooled_by_binary_fractions)
{
    double at[100];
    for (int k = 1; k <= 100; k++) {
        for (int i = 0; i < 100; i++)
            at[i] = i + 1;
        expect(stat_quantile(at, 100, k / 100.0) == k);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(stat_quantile_agrees_with_sorting)
{
    enum { N = 500 };
    double at[N], sorted[N];
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int trial = 0; trial < 200; trial++) {
        size_t n = (size_t)(1 + rng_below(&r, N));
        uint64_t values = 1 + rng_below(&r, 300);
        for (size_t i = 0; i < n; i++)
            at[i] = sorted[i] = (double)rng_below(&r, values);
        qsort(sorted, n, sizeof *sorted, compare);
        size_t k = (size_t)rng_below(&r, n);
        expect(stat_quantile(at, n, (double)(k + 1) / (double)n) == sorted[k]);
    }
}

/* A quadratic method would need 10^11 steps for each of these, minutes; ours takes milliseconds. */
TEST(stat_insert_keeps_the_order)
{
    static const double values[] = {3, 1, 2, 3, 0, 5};
    double at[6];
    for (size_t n = 0; n < 6; n++)
        stat_insert(at, n, values[n]);
    static const double sorted[] = {0, 1, 2, 3, 3, 5};
    for (size_t i = 0; i < 6; i++)
        expect(at[i] == sorted[i]);
    expect(stat_up_to(at, 6, -1) == 0 && stat_up_to(at, 6, 0) == 1 && stat_up_to(at, 6, 2.5) == 3);
    expect(stat_up_to(at, 6, 3) == 5 && stat_up_to(at, 6, 5) == 6 && stat_up_to(at, 0, 1) == 0);
}

TEST(stat_quantile_does_not_degrade)
{
    enum { N = 300000 };
    double *at = mem_zalloc(N, sizeof *at);
    clock_t begin = clock();
    for (int shape = 0; shape < 4; shape++) {
        for (int i = 0; i < N; i++)
            at[i] = shape == 0 ? i : shape == 1 ? N - i : shape == 2 ? 5 : i < N / 2 ? i : N - i;
        double median = stat_quantile(at, N, 0.5);
        expect(shape == 2   ? median == 5
               : shape == 3 ? fabs(median - N / 4) <= 1
                            : fabs(median - N / 2) <= 1);
    }
    expect((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
    mem_free(at);
}

TEST(stat_mean_of_some_and_none)
{
    const double at[] = {1, 2, 6};
    expect(stat_mean(at, 3) == 3);
    expect(stat_mean(at, 0) == 0);
}

/* n numbers with mean 0 and sample variance n, so that the interval is t itself. */
static double t_of(size_t n)
{
    double *at = mem_zalloc(n, sizeof *at);
    for (size_t i = 0; i + 1 < n; i += 2) {
        at[i] = sqrt((double)n * (double)(n - 1) / (double)(n - n % 2));
        at[i + 1] = -at[i];
    }
    double interval = stat_interval(at, n);
    mem_free(at);
    return interval;
}

TEST(stat_interval_is_students)
{
    const double one = 7;
    expect(stat_interval(&one, 0) == 0 && stat_interval(&one, 1) == 0);
    const struct {
        size_t n;
        double t;
    } cases[] = {{2, 12.706}, {3, 4.303},  {5, 2.776},  {10, 2.262},  {30, 2.045},    {31, 2.042},
                 {32, 2.040}, {41, 2.021}, {61, 2.000}, {121, 1.980}, {100001, 1.960}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(fabs(t_of(cases[i].n) - cases[i].t) < 0.0006);
}

TEST(stat_median_leaves_the_values_as_they_are)
{
    float at[] = {3, 1, 4, 2};

    expect(stat_median(at, 3) == 3 && stat_median(at, 4) == 2 && stat_median(at, 1) == 3);
    expect(stat_median(NULL, 0) == 0 && at[0] == 3 && at[3] == 2);
}

/* ln 2 + ln 4 over two values. */
TEST(stat_hill_is_the_mean_of_logarithms_upside_down)
{
    const double at[] = {0, 1, 2, 4};
    expect(fabs(stat_hill(at, 4, 2) - 2 / (3 * log(2))) < 1e-12);
    expect(isnan(stat_hill(at, 4, 0)) && isnan(stat_hill(at, 4, 4)) && isnan(stat_hill(at, 4, 1)));
}

TEST(stat_line_goes_through_points_on_a_line)
{
    double x[] = {1, 2, 5}, y[] = {5, 7, 13};
    struct stat_line l = stat_line(x, y, 3);
    expect(l.base > 2.999 && l.base < 3.001 && l.slope > 1.999 && l.slope < 2.001);
}

TEST(stat_line_has_the_least_squares)
{
    double x[] = {0, 1, 2}, y[] = {0, 3, 0};
    struct stat_line l = stat_line(x, y, 3);
    expect(l.slope == 0 && l.base == 1);
}

TEST(stat_line_without_a_direction_is_flat)
{
    double x[] = {4, 4}, y[] = {1, 3};
    struct stat_line l = stat_line(x, y, 2);
    expect(l.slope == 0 && l.base == 2);
}
