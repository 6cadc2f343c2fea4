#include "core/place/network_solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/unit/test.h"

enum { RACKS_MAX = 5, TASKS_MAX = 6 };

struct solve_case {
    struct network_problem p;
    uint32_t count[TASKS_MAX];
    double input[TASKS_MAX * RACKS_MAX], up[RACKS_MAX], down[RACKS_MAX];
};

/* Every assignment of single tasks to racks, by counting in base `racks`. */
static double brute_force(const struct network_problem *p)
{
    uint32_t task[16], rack[16] = {0}, tasks = 0;
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t i = 0; i < p->count[k]; i++)
            task[tasks++] = k;
    double best = INFINITY;
    for (;;) {
        double out[RACKS_MAX] = {0}, in[RACKS_MAX] = {0}, worst = 0;
        for (uint32_t t = 0; t < tasks; t++)
            for (uint32_t r = 0; r < p->racks; r++)
                if (r != rack[t]) {
                    out[r] += p->input[task[t] * p->racks + r];
                    in[rack[t]] += p->input[task[t] * p->racks + r];
                }
        for (uint32_t r = 0; r < p->racks; r++)
            worst = fmax(worst, fmax(out[r] / p->up[r], in[r] / p->down[r]));
        best = fmin(best, worst);
        uint32_t i = 0;
        while (i < tasks && ++rack[i] == p->racks)
            rack[i++] = 0;
        if (i == tasks)
            return best;
    }
}

static void draw(struct solve_case *s, uint64_t seed, bool alike)
{
    struct rng r = rng_stream(seed, RNG_TEST, 77, alike, 0, 0);
    s->p = (struct network_problem){.racks = 2 + (uint32_t)rng_below(&r, RACKS_MAX - 1),
                                    .rows = alike ? 1 : 2 + (uint32_t)rng_below(&r, 4),
                                    .count = s->count,
                                    .input = s->input,
                                    .up = s->up,
                                    .down = s->down};
    for (uint32_t k = 0; k < s->p.rows; k++) {
        s->count[k] = alike ? 1 + (uint32_t)rng_below(&r, TASKS_MAX) : 1;
        for (uint32_t i = 0; i < s->p.racks; i++)
            s->input[k * s->p.racks + i] = rng_unit(&r) < 0.3 ? 0 : (double)rng_below(&r, 100);
    }
    for (uint32_t i = 0; i < s->p.racks; i++) {
        s->up[i] = 1 + (double)rng_below(&r, 10);
        s->down[i] = 1 + (double)rng_below(&r, 10);
    }
}

static bool complete(const struct network_problem *p, const uint32_t *plan)
{
    for (uint32_t k = 0; k < p->rows; k++) {
        uint32_t sum = 0;
        for (uint32_t r = 0; r < p->racks; r++)
            sum += plan[k * p->racks + r];
        if (sum != p->count[k])
            return false;
    }
    return true;
}

TEST(network_solve_equals_brute_force)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct solve_case s;
        uint32_t plan[TASKS_MAX * RACKS_MAX];
        draw(&s, seed, seed % 2);
        double best = brute_force(&s.p);
        struct network_result got = network_solve(&s.p, (uint32_t)seed, plan);
        expect(got.exact && complete(&s.p, plan));
        expect(fabs(got.worst_s - best) <= 1e-9 * best);
        expect(fabs(network_solve_cost(&s.p, plan) - got.worst_s) <= 1e-9 * best);
    }
}

/* The greedy plan with its improvements is measured against the exact one; the bounds are printed
 * in docs/reference/policies/network-aware.md. */
TEST(network_solve_greedy_is_near_the_exact_plan)
{
    double worst = 1, sum = 0;
    uint32_t best = 0, cases = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct solve_case s;
        uint32_t plan[TASKS_MAX * RACKS_MAX];
        draw(&s, seed, false);
        double exact = network_solve(&s.p, 0, plan).worst_s;
        double greedy = network_solve_greedy(&s.p, 0, plan).worst_s;
        expect(complete(&s.p, plan) && greedy >= exact * (1 - 1e-9));
        if (exact <= 0)
            continue;
        worst = fmax(worst, greedy / exact);
        sum += greedy / exact;
        best += greedy <= exact * (1 + 1e-9);
        cases++;
    }
    if (getenv("PRINT"))
        printf("greedy / exact: worst %.3f, mean %.4f, %u of %u exact\n", worst, sum / cases, best,
               cases);
    expect(worst <= 1.7 && sum / cases <= 1.01 && best >= cases * 9 / 10);
}

/* Three racks, one part of three tasks in each, all links alike (Mantri's figure 11): one task per
 * rack moves two parts in and two out everywhere; any rack with two tasks takes four in. */
TEST(network_solve_spreads_alike_tasks)
{
    uint32_t count = 3, plan[3];
    double input[] = {10, 10, 10}, links[] = {5, 5, 5};
    struct network_problem p = {3, 1, &count, input, links, links};
    struct network_result got = network_solve(&p, 0, plan);
    expect(plan[0] == 1 && plan[1] == 1 && plan[2] == 1);
    expect(got.exact && fabs(got.worst_s - 4) < 1e-9); /* 2 x 10 / 5 */
    uint32_t heaped[] = {2, 1, 0};
    expect(fabs(network_solve_cost(&p, heaped) - 8) < 1e-9); /* 2 x 20 / 5 in */
}

/* By hand: 4 tasks, 30 bytes of each in rack 0 and 10 in rack 1; links of 10 bytes/s.
 * n tasks in rack 0: out_0 = (4 - n) 30, in_0 = 10 n, out_1 = 10 n, in_1 = (4 - n) 30:
 * n = 3: max(30, 30, 30, 30) / 10 = 3 s; n = 4: 40 / 10; n = 2: 60 / 10. */
TEST(network_solve_follows_the_data)
{
    uint32_t count = 4, plan[2];
    double input[] = {30, 10}, links[] = {10, 10};
    struct network_problem p = {2, 1, &count, input, links, links};
    struct network_result got = network_solve(&p, 0, plan);
    expect(plan[0] == 3 && plan[1] == 1 && fabs(got.worst_s - 3) < 1e-9);
    /* At 30 bytes in rack 0 and 1/3 of it there, n = 3 and n = 4 are equally good. */
    double at[] = {30, 7.5};
    p.input = at;
    got = network_solve(&p, 0, plan);
    expect(fabs(got.worst_s - 3) < 1e-9);
    uint32_t all[] = {4, 0};
    expect(fabs(network_solve_cost(&p, all) - 3) < 1e-9);
    /* With less in rack 1 all go to rack 0. */
    double less[] = {30, 7.4};
    p.input = less;
    got = network_solve(&p, 0, plan);
    expect(plan[0] == 4 && fabs(got.worst_s - 2.96) < 1e-9);
}

/* A slow link down gets fewer tasks: 12 alike tasks, data in a rack of its own (2). */
TEST(network_solve_keeps_off_slow_links)
{
    uint32_t count = 12, plan[3];
    double input[] = {0, 0, 6}, up[] = {9, 9, 1000}, down[] = {20, 10, 0.001};
    struct network_problem p = {3, 1, &count, input, up, down};
    expect(network_solve(&p, 0, plan).exact);
    expect(plan[2] == 12); /* nothing moves at all */
    double no_room[] = {1, 1, 6};
    p.input = no_room;
    (void)network_solve(&p, 0, plan);
    /* In rack 2 even one task reads 2 bytes at 0.001/s; 0 and 1 share 12 as 8 and 4. */
    expect(plan[2] == 0 && plan[0] == 8 && plan[1] == 4);
}

TEST(network_solve_is_exact_for_many_alike_tasks)
{
    uint32_t count = 100000, plan[40];
    double input[40], up[40], down[40];
    struct rng r = rng_stream(1, RNG_TEST, 78, 0, 0, 0);
    for (int i = 0; i < 40; i++) {
        input[i] = rng_unit(&r);
        up[i] = 1 + rng_unit(&r);
        down[i] = 1 + rng_unit(&r);
    }
    struct network_problem p = {40, 1, &count, input, up, down};
    struct network_result got = network_solve(&p, 3, plan);
    expect(got.exact && complete(&p, plan));
    /* No single move makes it better. */
    for (uint32_t a = 0; a < 40; a++)
        for (uint32_t b = 0; b < 40; b++) {
            if (a == b || plan[a] == 0)
                continue;
            plan[a]--;
            plan[b]++;
            expect(network_solve_cost(&p, plan) >= got.worst_s * (1 - 1e-9));
            plan[a]++;
            plan[b]--;
        }
}

TEST(network_solve_counts_plans)
{
    uint32_t counts[] = {1, 2, 3};
    struct network_problem p = {.racks = 3, .rows = 3, .count = counts};
    expect(network_solve_plans(&p) == 3 * 6 * 10);
    p.racks = 300;
    expect(network_solve_plans(&p) == NETWORK_PLANS_MAX + 1);
}
