#include "core/estimate/speedup.h"

#include <math.h>

#include "base/rng.h"
#include "tests/unit/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

TEST(speedup_fits_a_pareto_distribution)
{
    expect(near(speedup_alpha(3, 4), 2.25)); /* 1 + sqrt(1 + 9/16) */
    expect(near(speedup_alpha(4, 3), 1 + 5 / 3.));
    expect(near(speedup_alpha(1, 1), 1 + sqrt(2)));
    expect(speedup_alpha(0, 1) == 2); /* the least */
    /* Its mean and deviation are what was asked for: x alpha / (alpha - 1), and
     * x / (alpha - 1) sqrt(alpha / (alpha - 2)). */
    double a = speedup_alpha(7, 2), x = 7 * (a - 1) / a;
    expect(near(x / (a - 1) * sqrt(a / (a - 2)), 2));
}

TEST(speedup_of_copies_by_hand)
{
    expect(speedup_of(3, 1) == 1);
    expect(near(speedup_of(3, 2), 1.25) && near(speedup_of(3, 4), 1.375));
    expect(near(speedup_of(3, INFINITY), 1.5));
    expect(near(speedup_of(2, 2), 1.5) && speedup_of(2, INFINITY) == 2);
    /* The first of r Pareto copies is Pareto with r alpha: (alpha - 1/r) / (alpha - 1). */
    for (int r = 1; r < 20; r++)
        expect(near(speedup_of(2.5, r), (2.5 - 1. / r) / 1.5));
}

TEST(speedup_is_none_without_deviation)
{
    expect(speedup_alpha(5, 0) == INFINITY && speedup_alpha(0, 0) == INFINITY);
    expect(speedup_alpha(1e300, 1e-300) == INFINITY);
    expect(speedup_alpha(INFINITY, INFINITY) == INFINITY);
    expect(speedup_of(INFINITY, 2) == 1 && speedup_of(INFINITY, INFINITY) == 1);
    expect(isfinite(speedup_alpha(1e-300, 1e300)) && isfinite(speedup_alpha(1e150, 1e-150)));
}

TEST(speedup_copies_by_hand)
{
    /* alpha 3: h is 1, 1.25, 1.333, 1.375, ... below 1.5. */
    expect(speedup_copies(3, 8, 8, 10) == 1 && speedup_copies(3, 7, 8, 10) == 1);
    expect(speedup_copies(3, 8.001, 8, 10) == 2 && speedup_copies(3, 10, 8, 10) == 2);
    expect(speedup_copies(3, 10.001, 8, 10) == 3 && speedup_copies(3, 11, 8, 10) == 4);
    expect(speedup_copies(3, 11.001, 8, 10) == 5 && speedup_copies(3, 11.001, 8, 4) == 0);
    expect(speedup_copies(3, 12, 8, UINT32_MAX) == 0);
    expect(speedup_copies(3, 10, 8, 1) == 0 && speedup_copies(3, 8, 8, 1) == 1);
    expect(speedup_copies(INFINITY, 8.001, 8, 1000) == 0);
    expect(speedup_copies(3, 0, 0, 2) == 1 && speedup_copies(3, 1, 0, 2) == 0);
    expect(speedup_copies(3, INFINITY, 8, 2) == 0);
}

TEST(speedup_copies_are_the_least_that_do)
{
    struct rng r = rng_stream(1, RNG_TEST, 11, 0, 0, 0);
    for (int i = 0; i < 20000; i++) {
        double alpha = 2 + 3 * rng_unit(&r), limit = exp(20 * rng_unit(&r) - 10);
        uint32_t some = 1 + (uint32_t)(60 * rng_unit(&r));
        double time = limit * (i % 2 ? speedup_of(alpha, some) : 1 + rng_unit(&r));
        uint32_t least = 1;
        while (least <= 50 && limit * speedup_of(alpha, least) < time)
            least++;
        expect(speedup_copies(alpha, time, limit, 50) == (least <= 50 ? least : 0));
    }
}

TEST(speedup_flows_by_hand)
{
    /* alpha 3, three jobs: h(2) = 1.25, h(4) = 1.375, h(8) = 1.4375. */
    struct speedup_flows f = speedup_flows(3, 3);
    expect(near(f.together, 2.8) && near(f.two_each, 3.2));
    expect(near(f.one_by_one, 1 / 1.25 + 2 / 1.375 + 3 / 1.4375));
    /* The paper: with N > 2 alpha - 1 the third is the least, and the second the most. */
    f = speedup_flows(3, 6);
    expect(f.two_each < f.together && f.together < f.one_by_one);
    f = speedup_flows(3, 5); /* at equality the first and the third are even */
    expect(near(f.two_each, f.together));
    f = speedup_flows(INFINITY, 4);
    expect(f.together == 4 && f.one_by_one == 10 && f.two_each == 5);
}

TEST(speedup_flows_of_very_many_jobs)
{
    struct speedup_flows f = speedup_flows(2, 100);
    double sum = 0;
    for (int j = 1; j <= 100; j++)
        sum += j / speedup_of(2, ldexp(1, j));
    expect(near(f.one_by_one, sum));
    f = speedup_flows(2, 1000000000000000);
    expect(near(f.one_by_one, 1e15 * (1e15 + 1) / 4));
}
