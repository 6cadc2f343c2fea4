#include "core/estimate/graphene_plan.h"

#include <math.h>

#include "base/rng.h"
#include "tests/unit/test.h"

static const uint16_t zero[] = {0}, one[] = {1};

static struct dag_phase phase(uint32_t tasks, double time_s, double share, const uint16_t *parent)
{
    return (struct dag_phase){.tasks = tasks,
                              .time_s = time_s,
                              .share = {share},
                              .parents = parent,
                              .parent_count = parent != 0};
}

TEST(graphene_plan_keeps_a_chain_in_order)
{
    struct dag_phase p[] = {phase(4, 10, 0.5, 0), phase(1, 5, 0.5, zero), phase(3, 1, 0.5, one)};
    double score[3];
    expect(graphene_plan(p, 3, score) == 27);
    expect(score[0] == 1 && score[0] > score[1] && score[1] > score[2] && score[2] > 0);
}

/* The long phase behind a short one begins as soon as it can, and the many small tasks stand beside
 * it; packed as they come, the small ones would be first, and all of it would take 35 s. */
TEST(graphene_plan_places_the_troublesome_first)
{
    struct dag_phase p[] = {phase(1, 1, 0.1, 0), phase(1, 20, 0.6, zero), phase(5, 5, 0.4, 0)};
    static const double whole[RES_COUNT] = {1, 1, 1, 1};
    double score[3];
    uint32_t starts[3];
    expect(dag_plan_forward(p, 3, whole, starts) == 35);
    expect(graphene_plan(p, 3, score) == 25);
    expect(score[0] > score[1]);
}

/* Five tasks leave so much unused that no two of them fit beside each other: they go first, also
 * those that are short, and the small ones fill the gaps. */
TEST(graphene_plan_places_first_what_leaves_gaps)
{
    struct dag_phase p[] = {phase(4, 6, 0.6, 0), phase(3, 8, 0.3, 0), phase(1, 11, 0.6, 0)};
    double score[3];
    expect(graphene_plan(p, 3, score) == 4 * 6 + 11);
}

/* No two tasks of the last two phases fit beside each other, so 35 s is the least. It takes that
 * the first phase, for which only the third waits, stands beside the second. */
TEST(graphene_plan_places_a_phase_beside_one_that_does_not_wait_for_it)
{
    struct dag_phase p[] = {phase(1, 10, 0.3, 0), phase(3, 5, 0.6, 0), phase(2, 10, 0.6, zero)};
    double score[3];
    expect(graphene_plan(p, 3, score) == 35);
    expect(score[1] > score[2] && score[0] > score[2]);
}

TEST(graphene_plan_bears_extremes)
{
    double score[80];
    struct dag_phase p[80] = {0};
    expect(graphene_plan(p, 0, score) == 0);
    expect(graphene_plan(p, 80, score) == 0 && score[0] == 1 && score[79] > 0);
    expect(graphene_plan(p, 64, score) == 0 && score[63] == 1); /* nothing left to do */
    p[0] = phase(1, 1, 2, 0);
    expect(graphene_plan(p, 1, score) == INFINITY && score[0] == 1);
}

/* Never shorter than the longest path or than the work, never longer than one after the other. */
TEST(graphene_plan_stays_within_bounds)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct rng r = rng_branch(seed, 1, 2);
        struct dag_phase p[8];
        uint16_t parents[8][8];
        double score[8], path_s[8] = {0}, longest_s = 0, work_s = 0, all_s = 0;
        for (uint16_t k = 0; k < 8; k++) {
            double share = 0.05 + 0.9 * (double)(rng_u64(&r) % 100) / 100;
            p[k] = phase(1 + (uint32_t)(rng_u64(&r) % 6), 1 + (double)(rng_u64(&r) % 20), share, 0);
            p[k].parents = parents[k];
            for (uint16_t i = 0; i < k; i++)
                if (rng_u64(&r) % 3 == 0) {
                    parents[k][p[k].parent_count++] = i;
                    path_s[k] = fmax(path_s[k], path_s[i]);
                }
            path_s[k] += p[k].time_s;
            longest_s = fmax(longest_s, path_s[k]);
            work_s += p[k].tasks * p[k].time_s * share;
            all_s += p[k].tasks * p[k].time_s;
        }
        double took_s = graphene_plan(p, 8, score);
        expect(took_s >= longest_s - 1e-6 && took_s >= work_s - 1e-6 && took_s <= all_s + 1e-6);
        for (uint16_t k = 0; k < 8; k++)
            for (uint16_t i = 0; i < p[k].parent_count; i++)
                expect(score[parents[k][i]] >= score[k]);
    }
}
