#include "core/estimate/healthy.h"

#include <math.h>

#include "tests/unit/test.h"

/* A world with a phase of two tasks, 1000 bytes each, that was told to take ten seconds. */
struct lab {
    struct world world;
    struct job job;
    struct phase phase;
};

static void lab_init(struct lab *l)
{
    *l = (struct lab){.world.keeps_expected = true};
    l->phase = (struct phase){.job = &l->job, .count = 2, .input_bytes = 1000};
    l->phase.times = (struct task_times){.declared_us = 10 * 1000000, .history = RECALL_NONE};
    l->job = (struct job){.phases = &l->phase, .phase_count = 1, .app = RECALL_NONE};
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-6 * fabs(b);
}

TEST(healthy_mean_of_bytes)
{
    const int64_t each[] = {100, 500};
    struct phase p = {.count = 2, .input_bytes = 7};
    expect(healthy_mean_bytes(&p, healthy_inputs(&p)) == 7);
    p.input_each = each;
    expect(healthy_mean_bytes(&p, healthy_inputs(&p)) == 300);
    p.read_sum = 200; /* of outputs above: 100 more for each */
    expect(healthy_mean_bytes(&p, healthy_inputs(&p)) == 400);
    expect(healthy_mean_bytes(&(struct phase){.count = 3}, 0) == 1);
}

TEST(healthy_believes_what_is_told_at_first)
{
    struct lab l;
    struct healthy h = {0};
    lab_init(&l);
    expect(is_near(healthy_guess(&h, &l.world, &l.phase, 1000), 1e4)); /* 10 s / 1000 bytes */
    l.phase.times.declared_us = 0;
    expect(healthy_guess(&h, &l.world, &l.phase, 1000) == 0); /* bytes have no unit yet */
    expect(healthy_guess(&h, &l.world, &l.phase, 1) == 0);
}

/* Told 10 s, 5 s were healthy: the bias is log(1/2), and 20 s that are told count as 10. */
TEST(healthy_takes_out_the_bias)
{
    struct lab l;
    struct healthy h = {0};
    lab_init(&l);
    healthy_learn(&h, &l.world, &l.phase, 1000, 5e3);
    expect(is_near(h.experts[EXPECTED_DECLARED].bias, log(0.5)));
    expect(is_near(h.experts[HEALTHY_BYTES].bias, log(5e3)));
    l.phase.times.declared_us = 20 * 1000000;
    l.phase.input_bytes = 4000;
    /* Both experts err by 1 after one phase; the first of them is asked: 20 s / 2 for 4000. */
    expect(is_near(healthy_guess(&h, &l.world, &l.phase, 4000), 10e6 / 4000));
    l.phase.times.declared_us = 0; /* only bytes are left: 5 ms for each */
    expect(is_near(healthy_guess(&h, &l.world, &l.phase, 4000), 5e3));
}

/* The bytes were right twice, what was told was off by log 2 and log 4: bytes are believed. */
TEST(healthy_believes_the_one_that_errs_least)
{
    struct lab l;
    struct healthy h = {0};
    lab_init(&l);
    healthy_learn(&h, &l.world, &l.phase, 1000, 5e3);
    l.phase.times.declared_us = 20 * 1000000;
    healthy_learn(&h, &l.world, &l.phase, 1000, 5e3); /* 5 s, told 20, biased to 10: off by log 2 */
    expect(is_near(h.experts[EXPECTED_DECLARED].error, log(2)));
    expect(h.experts[HEALTHY_BYTES].error < 1e-9);
    expect(is_near(healthy_guess(&h, &l.world, &l.phase, 1000), 5e3));
    l.phase.times.declared_us = 100 * 1000000;
    expect(is_near(healthy_guess(&h, &l.world, &l.phase, 1000), 5e3));
}
