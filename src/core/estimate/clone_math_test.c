#include "core/estimate/clone_math.h"

#include <math.h>

#include "base/rng.h"
#include "tests/unit/test.h"

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

TEST(clone_math_copies_is_the_least_that_suffices)
{
    static const uint64_t sizes[] = {1, 2, 10, 150, 10000, 1000000};
    static const double chances[] = {0.001, 0.05, 0.15, 0.5, 0.9};
    static const double risks[] = {0.001, 0.05, 0.3, 0.9};

    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 4; k++) {
                uint32_t c = clone_math_copies(sizes[i], chances[j], risks[k]);
                expect(clone_math_task_level(sizes[i], chances[j], c) <= risks[k] * (1 + 1e-7));
                expect(c == 1 || clone_math_task_level(sizes[i], chances[j], c - 1) > risks[k]);

                uint32_t job = clone_math_job_copies(sizes[i], chances[j], risks[k]);
                double level = clone_math_job_level(sizes[i], chances[j], job);
                expect(job == CLONE_MATH_COPIES_MAX || level <= risks[k] * (1 + 1e-7));
                expect(job == 1 || clone_math_job_level(sizes[i], chances[j], job - 1) > risks[k]);
            }
}

TEST(clone_math_copies_at_equality_and_on_each_side)
{
    /* One task: p^c = eps exactly. */
    expect(clone_math_copies(1, 0.1, 0.1) == 1);
    expect(clone_math_copies(1, 0.1, 0.0999) == 2);
    expect(clone_math_copies(1, 0.1, 0.1001) == 1);
    expect(clone_math_copies(1, 0.1, 0.01) == 2);
    expect(clone_math_copies(1, 0.1, 0.00999) == 3);
    expect(clone_math_copies(1, 0.1, 0.01001) == 2);
    expect(clone_math_copies(1, 0.1, 0.001) == 3);
    expect(clone_math_copies(1, 0.2, 0.2 * 0.2 * 0.2 * 0.2) == 4);

    /* Many tasks: eps is exactly what three copies give. */
    double exact = clone_math_task_level(50, 0.15, 3);
    expect(clone_math_copies(50, 0.15, exact) == 3);
    expect(clone_math_copies(50, 0.15, exact * 0.999) == 4);
    expect(clone_math_copies(50, 0.15, exact * 1.001) == 3);

    exact = clone_math_job_level(10, 0.05, 4);
    expect(clone_math_job_copies(10, 0.05, exact) == 4);
    expect(clone_math_job_copies(10, 0.05, exact * 0.999) == 5);
    expect(clone_math_job_copies(10, 0.05, exact * 1.001) == 4);
}

TEST(clone_math_copies_guards)
{
    expect(clone_math_copies(0, 0.5, 0.05) == 1);
    expect(clone_math_copies(10, 0, 0.05) == 1);
    expect(clone_math_copies(10, -1, 0.05) == 1);
    expect(clone_math_copies(10, 1e-300, 0.05) == 1);
    expect(clone_math_copies(10, 0.5, 1) == 1);
    expect(clone_math_copies(10, 0.5, 0.9999999) == 1); /* 1 - (1-eps)^(1/10) is about 0.8 */
    expect(clone_math_copies(10, 1, 0.05) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_copies(10, 2, 0.05) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_copies(10, 1 - 1e-12, 0.05) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_copies(10, 0.5, 0) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_copies(0, 1, 0) == 1);
    expect(clone_math_job_copies(0, 0.5, 0.05) == 1);
    expect(clone_math_job_copies(10, 0, 0.05) == 1);
    expect(clone_math_job_copies(10, 1, 0.05) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_job_copies(10, 0.5, 0) == CLONE_MATH_COPIES_MAX);
    expect(clone_math_job_copies(10, 0.5, 1) == 1);
}

TEST(clone_math_keeps_its_digits)
{
    /* (1-eps)^(1/n) is 1 in a double here; the naive formula would take the logarithm of 0. */
    expect(clone_math_copies(10000000000000000, 0.1, 0.05) == 18);
    /* n p^c = 1e6 * 1e-40 */
    expect(near(clone_math_task_level(1000000, 0.1, 40), 1e-34, 1e-9));
    expect(near(clone_math_cc(1000000, 0.1, 40), 2e-34, 1e-9));
    /* Dominated by groups with one good copy of three: n*3*p^2*(1-p)*n*p and its neighbours. */
    expect(clone_math_cac(10, 1e-9, 3) > 0);
    /* p^c underflows, yet one task fails with (p + (1-p) p)^c. */
    expect(near(clone_math_cac(1, 0.9, 10000), pow(0.99, 10000), 1e-6));
}

TEST(clone_math_levels_at_the_ends)
{
    expect(clone_math_cac(3, 0, 2) == 0 && clone_math_cac(3, 1, 2) == 1);
    expect(clone_math_cac(0, 0.5, 2) == 0 && clone_math_cc(0, 0.5, 2) == 0);
    expect(clone_math_cc(3, 0, 2) == 0 && clone_math_cc(3, 1, 2) == 1);
    expect(clone_math_task_level(3, 0, 2) == 0 && clone_math_task_level(3, 1, 2) == 1);
    expect(clone_math_job_level(3, 0, 2) == 0 && clone_math_job_level(3, 1, 2) == 1);
    expect(clone_math_job_level(0, 1, 2) == 0 && clone_math_task_level(0, 1, 2) == 0);
    /* One copy: two phases of n tasks, whatever the strategy. */
    expect(near(clone_math_cac(7, 0.1, 1), clone_math_task_level(14, 0.1, 1), 1e-12));
    expect(near(clone_math_cc(7, 0.1, 1), clone_math_task_level(14, 0.1, 1), 1e-12));
    /* Waiting for exclusive copies wastes luck; sharing does not. */
    expect(clone_math_cac(7, 0.1, 3) > clone_math_cc(7, 0.1, 3));
}

/* ---- Monte Carlo: the stories the formulas tell, acted out ---- */

enum { TRIALS = 100000, N = 6, C = 3 };

/* Good copies among C. */
static int group(struct rng *r, double p, int copies)
{
    int good = 0;

    for (int i = 0; i < copies; i++)
        good += rng_unit(r) >= p;
    return good;
}

/* Good copies in the weakest of N groups. */
static int weakest(struct rng *r, double p, int copies)
{
    int least = copies;

    for (int i = 0; i < N; i++) {
        int good = group(r, p, copies);
        least = good < least ? good : least;
    }
    return least;
}

/* Whether `hits` of TRIALS agree with a probability, at five standard deviations. */
static bool agrees(int hits, double probability)
{
    double sd = sqrt(probability * (1 - probability) * TRIALS);
    return fabs(hits - probability * TRIALS) <= 5 * sd + 1;
}

static void act_out(double p, uint64_t stream)
{
    struct rng r = rng_stream(1, RNG_TEST, stream, 0, 0, 0);
    int task = 0, job = 0, cac = 0, cc = 0;

    for (int i = 0; i < TRIALS; i++) {
        int good_jobs = 0;
        for (int k = 0; k < C; k++)
            good_jobs += weakest(&r, p, 1);
        job += good_jobs == 0;

        int up = weakest(&r, p, C);
        task += up == 0;
        cac += up == 0 || weakest(&r, p, up) == 0;
        cc += up == 0 || weakest(&r, p, C) == 0;
    }
    expect(agrees(job, clone_math_job_level(N, p, C)));
    expect(agrees(task, clone_math_task_level(N, p, C)));
    expect(agrees(cac, clone_math_cac(N, p, C)));
    expect(agrees(cc, clone_math_cc(N, p, C)));
}

TEST(clone_math_agrees_with_monte_carlo)
{
    act_out(0.05, 1);
    act_out(0.2, 2);
    act_out(0.6, 3);
}
