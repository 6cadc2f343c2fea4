#include "commands/sim/sim_numbers.h"

#include <math.h>
#include <string.h>

#include "record/stats/follow.h"
#include "tests/unit/test.h"

TEST(sim_numbers_all_have_a_name)
{
    for (int i = 0; i < NUMBER_COUNT; i++) {
        expect(sim_numbers_table[i].name != NULL);
        for (int k = 0; k < i && i < NUMBER_PLAIN_END; k++) /* members of one object */
            expect(strcmp(sim_numbers_table[i].name, sim_numbers_table[k].name) != 0);
    }
}

/* A policy that needs more of another resource: 200 of 10 cores against 30 of 1 GPU. */
TEST(sim_numbers_compare_dominant_shares)
{
    struct sim_numbers n;
    sim_numbers_init(&n, 2, 1);
    for (uint32_t p = 0; p < 2; p++) {
        double *v = sim_numbers_run(&n, p, 0)->v;
        v[NUMBER_RES_CAPACITY + RES_CPU] = 10;
        v[NUMBER_RES_CAPACITY + RES_X] = 1;
        v[NUMBER_RES_BUSY + RES_CPU] = 200;
        v[NUMBER_RES_BUSY + RES_X] = p == 0 ? 10 : 30;
    }
    sim_numbers_relate(&n, 0);
    expect(sim_numbers_run(&n, 0, 0)->v[NUMBER_BUSY_VS_FIRST] == 1);
    expect(sim_numbers_run(&n, 1, 0)->v[NUMBER_BUSY_VS_FIRST] == 1.5);
    /* Of three that are used, the second most. */
    for (uint32_t p = 0; p < 2; p++) {
        double *v = sim_numbers_run(&n, p, 0)->v;
        for (int i = 0; i < NUMBER_RES_CAPACITY; i++)
            v[i] = 1e9;
        v[NUMBER_RES_CAPACITY + RES_MEM] = 10;
        v[NUMBER_RES_BUSY + RES_MEM] = p == 0 ? 300 : 450;
        v[NUMBER_RES_BUSY + RES_X] = 25;
    }
    sim_numbers_relate(&n, 0);
    expect(sim_numbers_run(&n, 1, 0)->v[NUMBER_BUSY_VS_FIRST] == 1.5);
    sim_numbers_fini(&n);
}

TEST(sim_numbers_of_the_same_run_are_freed_once)
{
    struct sim_numbers n[2];
    struct follow *follow = follow_create(0, 0);
    for (int i = 0; i < 2; i++)
        sim_numbers_init(&n[i], 1, 1);
    sim_numbers_run(&n[0], 0, 0)->phases = phase_times_create(follow);
    sim_numbers_run(&n[0], 0, 0)->digest = 7;
    *sim_numbers_run(&n[1], 0, 0) = *sim_numbers_run(&n[0], 0, 0);
    sim_numbers_run(&n[1], 0, 0)->borrowed = true;
    expect(sim_numbers_run(&n[1], 0, 0)->digest == 7);
    expect(sim_numbers_run(&n[1], 0, 0)->phases == sim_numbers_run(&n[0], 0, 0)->phases);
    for (int i = 0; i < 2; i++)
        sim_numbers_fini(&n[i]);
    follow_destroy(follow);
}

TEST(sim_numbers_are_taken_from_the_summary)
{
    struct sim_run run = {.v = {[NUMBER_WALL] = 7}};
    struct summary_result s = {.mean_jct_s = 2.5, .attempts = 12, .loser_frac = 0.25};
    s.bins[4].jobs = 3;
    s.bins[4].mean_jct_s = 9;
    sim_numbers_take(&run, NUMBER_OF_SUMMARY, &s);
    expect(run.v[NUMBER_MEAN_JCT] == 2.5 && run.v[NUMBER_ATTEMPTS] == 12);
    expect(run.v[NUMBER_LOSER] == 0.25 && run.v[NUMBER_WALL] == 7);
    expect(run.v[NUMBER_BIN_JOBS + 4] == 3 && run.v[NUMBER_BIN_MEAN + 4] == 9);
}

/* Two policies and two seeds: ratios are taken seed by seed. */
TEST(sim_numbers_relate_runs_of_one_seed)
{
    static const double mean[2][2] = {{10, 20}, {5, 15}}, busy[2][2] = {{100, 200}, {110, 240}};
    struct sim_numbers n;
    sim_numbers_init(&n, 2, 2);
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t k = 0; k < 2; k++) {
            sim_numbers_run(&n, p, k)->v[NUMBER_MEAN_JCT] = mean[p][k];
            sim_numbers_run(&n, p, k)->v[NUMBER_RES_CAPACITY] = 10;
            sim_numbers_run(&n, p, k)->v[NUMBER_RES_BUSY] = busy[p][k];
            sim_numbers_run(&n, p, k)->digest = 1 + p;
        }
    sim_numbers_relate(&n, 0);
    expect(sim_numbers_run(&n, 1, 0)->v[NUMBER_IMPROVEMENT] == 0.5);
    expect(sim_numbers_run(&n, 1, 1)->v[NUMBER_BUSY_VS_FIRST] == 1.2);
    expect(sim_numbers_estimate(&n, 1, NUMBER_IMPROVEMENT).mean == 0.375);
    expect(sim_numbers_estimate(&n, 1, NUMBER_IMPROVEMENT).half > 0);
    expect(sim_numbers_share(&n, 1, 1).mean == 1 && isnan(sim_numbers_share(&n, 1, 0).mean));
    expect(sim_numbers_digest(&n, 0) != sim_numbers_digest(&n, 1));
    sim_numbers_fini(&n);
}
