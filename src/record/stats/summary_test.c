#include "record/stats/summary.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/job.h"
#include "tests/unit/test.h"

enum { SECOND = 1000000 };

/* A run told by hand: each call is one turn with one event, one decision, or neither. */
struct summary_told {
    struct follow *follow;
    struct summary *s;
};

static void tell(struct summary_told *st, int64_t at_us, const struct event *e,
                 const struct decision *d)
{
    struct tap tap = follow_tap(st->follow);
    struct turn turn = {at_us, e, d, e ? 1 : 0, d ? 1 : 0, NULL};
    struct err err;
    expect(tap.turn(tap.ctx, &turn, &err) == 0);
}

static struct summary_told told_of(struct follow *follow, int32_t slots)
{
    struct summary_told st = {follow, summary_create(follow)};
    struct event up = {.type = EV_NODE_UP, .node = {0}};
    up.u.node.capacity.v[RES_CPU] = slots * RES_SLOT;
    tell(&st, 0, &up, NULL);
    return st;
}

static struct summary_told told_begin(int64_t warmup_s, int32_t slots)
{
    return told_of(follow_create(warmup_s * SECOND, 0), slots);
}

static struct summary_result told_end(struct summary_told *st)
{
    follow_destroy(st->follow);
    struct summary_result r = summary_result(st->s);
    summary_destroy(st->s);
    return r;
}

static void submit(struct summary_told *st, int64_t at_s, uint32_t id, uint32_t tasks,
                   int64_t arrived_us, int64_t wrapup_s)
{
    struct phase_spec phase = {.name = "map", .tasks = tasks, .demand = {{RES_SLOT}}};
    struct job_spec job = {.id = {id},
                           .name = "j",
                           .weight = JOB_WEIGHT_ONE,
                           .phases = &phase,
                           .phase_count = 1,
                           .arrived_us = arrived_us,
                           .wrapup_us = wrapup_s * SECOND};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    tell(st, at_s * SECOND, &e, NULL);
}

static void happen(struct summary_told *st, int64_t at_s, uint8_t type, uint32_t job, uint32_t task,
                   uint16_t attempt)
{
    struct event e = {.type = type, .at = {{job}, task, 0, attempt}};
    tell(st, at_s * SECOND, &e, NULL);
}

static void launch(struct summary_told *st, int64_t at_s, uint8_t kind, uint32_t job, uint32_t task,
                   uint16_t attempt)
{
    struct decision d = {.type = DO_LAUNCH, .kind = kind, .at = {{job}, task, 0, attempt}};
    tell(st, at_s * SECOND, NULL, &d);
}

static void over(struct summary_told *st, int64_t at_s, uint8_t type, uint32_t job)
{
    struct decision d = {.type = type, .at = {.job = {job}}};
    tell(st, at_s * SECOND, NULL, &d);
}

/* Runs one task of a job of one task. */
static void plain_job(struct summary_told *st, int64_t from_s, int64_t to_s, uint32_t id,
                      int64_t arrived_us)
{
    submit(st, from_s, id, 1, arrived_us, 0);
    launch(st, from_s, LAUNCH_FIRST, id, 0, 0);
    happen(st, to_s, EV_ATTEMPT_FINISHED, id, 0, 0);
    happen(st, to_s, EV_COMMITTED, id, 0, 0);
    over(st, to_s, DO_JOB_DONE, id);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

TEST(summary_jct_counts_from_arrival_and_adds_wrapup)
{
    struct summary_told st = told_begin(0, 4);
    submit(&st, 5, 1, 1, 2 * SECOND, 7);
    launch(&st, 5, LAUNCH_FIRST, 1, 0, 0);
    happen(&st, 20, EV_ATTEMPT_FINISHED, 1, 0, 0);
    happen(&st, 20, EV_COMMITTED, 1, 0, 0);
    over(&st, 21, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(r.jobs == 1 && r.tasks == 1 && r.jobs_failed == 0);
    expect(near(r.mean_jct_s, 21 - 2 + 7) && near(r.p50_jct_s, 26) && near(r.p95_jct_s, 26));
    expect(near(r.makespan_s, 26));
    expect(r.bins[0].jobs == 1 && near(r.bins[0].mean_jct_s, 26));
    expect(r.bins[1].jobs == 0 && isnan(r.bins[1].mean_jct_s));
    expect(near(r.busy_slot_s, 15) && near(r.loser_frac, 0));
    expect(isnan(r.slowdown_p50)); /* one task has no median to lag behind */
}

TEST(summary_warmup_leaves_out_jobs_that_arrived_before_it)
{
    struct summary_told st = told_begin(10, 4);
    plain_job(&st, 0, 5, 1, 10 * SECOND - 1); /* just before */
    plain_job(&st, 10, 12, 2, 10 * SECOND);   /* just in time */
    plain_job(&st, 12, 16, 3, 12 * SECOND);
    expect(st.follow->jobs_over == 3);
    struct summary_result r = told_end(&st);
    expect(r.jobs == 2 && r.attempts == 2);
    expect(near(r.mean_jct_s, 3) && near(r.makespan_s, 6) && near(r.busy_slot_s, 6));
}

TEST(summary_percentiles_use_the_nearest_rank)
{
    struct summary_told st = told_begin(0, 4);
    for (uint32_t i = 1; i <= 20; i++) /* job i takes i seconds */
        plain_job(&st, i * 100, i * 101, i, (int64_t)i * 100 * SECOND);
    struct summary_result r = told_end(&st);
    expect(near(r.p50_jct_s, 10) && near(r.p95_jct_s, 19) && near(r.mean_jct_s, 10.5));
}

TEST(summary_charges_extra_attempts_until_confirmed)
{
    struct summary_told st = told_begin(0, 10);
    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    launch(&st, 0, LAUNCH_CLONE, 1, 0, 1);
    happen(&st, 10, EV_ATTEMPT_FINISHED, 1, 0, 0);
    happen(&st, 10, EV_COMMITTED, 1, 0, 0);
    over(&st, 10, DO_JOB_DONE, 1); /* the clone outlives its job */
    happen(&st, 12, EV_ATTEMPT_KILLED, 1, 0, 1);
    struct summary_result r = told_end(&st);
    expect(r.attempts == 2 && r.clones == 1 && r.killed == 1);
    expect(near(r.busy_slot_s, 22));
    expect(near(r.clone_capacity_frac, 12.0 / 120));
    expect(near(r.max_clone_frac, 0.1));
    expect(near(r.loser_frac, 12.0 / 10));
    expect(near(r.mean_jct_s, 10) && near(r.makespan_s, 10));
}

TEST(summary_between_finish_and_commit_the_other_attempt_is_needed)
{
    struct summary_told st = told_begin(0, 10);
    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    launch(&st, 4, LAUNCH_BACKUP, 1, 0, 1);
    happen(&st, 10, EV_ATTEMPT_FINISHED, 1, 0, 1);
    happen(&st, 13, EV_COMMITTED, 1, 0, 1);
    happen(&st, 20, EV_ATTEMPT_LOST, 1, 0, 0);
    over(&st, 20, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(r.backups == 1 && r.killed == 0);
    expect(near(r.clone_capacity_frac, (6.0 + 7) / 200)); /* 4..10 and 13..20 */
    expect(near(r.loser_frac, 20.0 / 6));
}

TEST(summary_output_lost_opens_the_task_again)
{
    struct summary_told st = told_begin(0, 10);
    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    happen(&st, 5, EV_ATTEMPT_FINISHED, 1, 0, 0);
    happen(&st, 5, EV_COMMITTED, 1, 0, 0);
    happen(&st, 6, EV_OUTPUT_LOST, 1, 0, 1); /* not the winner's: nothing changes */
    launch(&st, 6, LAUNCH_CLONE, 1, 0, 1);   /* of a finished task: extra */
    happen(&st, 7, EV_OUTPUT_LOST, 1, 0, 0); /* from now on it is needed */
    happen(&st, 9, EV_ATTEMPT_FAILED, 1, 0, 1);
    launch(&st, 9, LAUNCH_RECOMPUTE, 1, 0, 2);
    happen(&st, 10, EV_ATTEMPT_FINISHED, 1, 0, 2);
    happen(&st, 10, EV_COMMITTED, 1, 0, 2);
    over(&st, 10, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(near(r.clone_capacity_frac, 1.0 / 100));
    expect(near(r.loser_frac, 3.0 / 6)); /* both commits won */
}

TEST(summary_a_launch_that_failed_ends_its_charge)
{
    struct summary_told st = told_begin(0, 2);
    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    happen(&st, 3, EV_ATTEMPT_LAUNCH_FAILED, 1, 0, 0);
    launch(&st, 3, LAUNCH_RESTART, 1, 0, 1);
    happen(&st, 4, EV_ATTEMPT_FINISHED, 1, 0, 1);
    happen(&st, 4, EV_COMMITTED, 1, 0, 1);
    over(&st, 4, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(near(r.busy_slot_s, 4) && r.attempts == 2 && r.restarts == 1);
    expect(near(r.clone_capacity_frac, 0) && r.max_clone_frac == 0);
}

TEST(summary_failed_jobs_are_counted_but_have_no_completion_time)
{
    struct summary_told st = told_begin(0, 2);
    submit(&st, 1, 1, 3, 1 * SECOND, 50);
    launch(&st, 1, LAUNCH_FIRST, 1, 0, 0);
    over(&st, 4, DO_JOB_FAILED, 1);
    happen(&st, 6, EV_ATTEMPT_KILLED, 1, 0, 0);
    struct summary_result r = told_end(&st);
    expect(r.jobs == 1 && r.jobs_failed == 1 && r.tasks == 3);
    expect(isnan(r.mean_jct_s) && isnan(r.p95_jct_s) && r.bins[0].jobs == 0);
    expect(near(r.makespan_s, 3) && isnan(r.loser_frac) && near(r.busy_slot_s, 5));
}

TEST(summary_of_nothing)
{
    struct summary_told st = told_begin(0, 2);
    struct summary_result r = told_end(&st);
    expect(r.jobs == 0 && isnan(r.mean_jct_s) && isnan(r.makespan_s));
    expect(r.busy_slot_s == 0 && isnan(r.clone_capacity_frac));
    summary_destroy(NULL);
}

TEST(summary_slowdown_is_slowest_time_over_median_time)
{
    struct summary_told st = told_begin(0, 4);
    int64_t input[] = {100, 400, 300, 100};
    struct phase_spec phase = {
        .name = "map", .tasks = 4, .demand = {{RES_SLOT}}, .input_each = input};
    struct job_spec job = {
        .id = {9}, .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &phase, .phase_count = 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    static const int64_t took_s[] = {1, 5, 6, 10};

    tell(&st, 0, &e, NULL);
    for (uint32_t t = 0; t < 4; t++)
        launch(&st, 0, LAUNCH_FIRST, 9, t, 0);
    for (uint32_t t = 0; t < 4; t++) {
        happen(&st, took_s[t], EV_ATTEMPT_FINISHED, 9, t, 0);
        happen(&st, took_s[t], EV_COMMITTED, 9, t, 0);
    }
    over(&st, 10, DO_JOB_DONE, 9);
    struct summary_result r = told_end(&st);
    /* Times per byte 10, 12.5, 20, 100 ms: the second of four is the median. */
    expect(near(r.slowdown_p50, 8) && near(r.slowdown_p95, 8) && near(r.small_slowdown_p50, 8));
    /* Without stragglers the third task would take 3.75 s, the last 1.25 s; the second's 5 s stay.
     */
    expect(near(r.mean_jct_s, 10) && near(r.healthy_jct_s, 5));
}

TEST(summary_measures_so_many_jobs_and_no_more)
{
    struct summary_told st = told_of(follow_create(5 * SECOND, 1), 4);
    for (uint32_t j = 0; j < 3; j++) { /* before the warm-up is over, measured, one too many */
        int64_t at_s = 4 + 2 * (int64_t)j;
        submit(&st, at_s, j, 1, at_s * SECOND, 0);
        launch(&st, at_s, LAUNCH_FIRST, j, 0, 0);
    }
    for (uint32_t j = 0; j < 3; j++) {
        expect(!follow_settled(st.follow) || j > 1);
        happen(&st, 20 + 10 * (int64_t)j, EV_ATTEMPT_FINISHED, j, 0, 0);
        happen(&st, 20 + 10 * (int64_t)j, EV_COMMITTED, j, 0, 0);
        over(&st, 20 + 10 * (int64_t)j, DO_JOB_DONE, j);
    }
    expect(follow_settled(st.follow));
    struct summary_result r = told_end(&st);
    expect(r.jobs == 1 && near(r.mean_jct_s, 24) && near(r.busy_slot_s, 24));
}

TEST(summary_capacity_follows_the_nodes)
{
    struct summary_told st = told_begin(0, 10);
    struct event e = {.type = EV_NODE_UP, .node = {2}};
    e.u.node.capacity.v[RES_CPU] = 10 * RES_SLOT;

    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    launch(&st, 0, LAUNCH_CLONE, 1, 0, 1);
    tell(&st, 10 * SECOND, &e, NULL); /* another ten slots */
    e.type = EV_NODE_DOWN;
    tell(&st, 15 * SECOND, &e, NULL); /* ten again */
    e.type = EV_NODE_CAPACITY;
    e.u.node.capacity.v[RES_CPU] = 30 * RES_SLOT;
    tell(&st, 20 * SECOND, &e, NULL); /* a node that is down has none */
    e.type = EV_NODE_UP;
    tell(&st, 25 * SECOND, &e, NULL); /* forty */
    happen(&st, 30, EV_ATTEMPT_KILLED, 1, 0, 1);
    struct summary_result r = told_end(&st);
    expect(near(r.clone_capacity_frac, 30.0 / (100 + 100 + 100 + 200)));
    expect(near(r.max_clone_frac, 0.1));
}

/* 10 cores and 100 MiB, and a job of one task of 1 core and 30 MiB: 10 s, and a clone of it from 2
 * s to 12 s. Memory is what the cluster is short of: the clone holds 0.3 of it for 10 of 20 s. */
TEST(summary_shares_are_those_of_the_scarcest_resource)
{
    struct summary_told st = {.follow = follow_create(0, 0)};
    st.s = summary_create(st.follow);
    struct event up = {.type = EV_NODE_UP, .u.node.capacity = {{10 * RES_SLOT, 100, 0, 0}}};
    tell(&st, 0, &up, NULL);
    struct phase_spec phase = {.name = "p", .tasks = 1, .demand = {{RES_SLOT, 30, 0, 0}}};
    struct job_spec job = {
        .id = {1}, .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &phase, .phase_count = 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    tell(&st, 0, &e, NULL);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    launch(&st, 2, LAUNCH_CLONE, 1, 0, 1);
    happen(&st, 10, EV_ATTEMPT_FINISHED, 1, 0, 0);
    happen(&st, 10, EV_COMMITTED, 1, 0, 0);
    happen(&st, 12, EV_ATTEMPT_KILLED, 1, 0, 1);
    over(&st, 20, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(near(r.busy_slot_s, 20) && near(r.resources[RES_CPU].busy_s, 20));
    expect(near(r.resources[RES_MEM].busy_s, 600) && near(r.resources[RES_MEM].extra_s, 300));
    expect(r.resources[RES_MEM].capacity == 100 && r.resources[RES_X].capacity == 0);
    expect(near(r.clone_capacity_frac, 0.15) && near(r.max_clone_frac, 0.3));
    expect(near(r.loser_frac, 1) && near(r.load_p50, 0.3));
    expect(near(r.load_mean, 0.3) && isnan(r.load_arriving)); /* it came at once */
}

/* Five slots and two jobs of one task: one arrives at once and runs from 10 to 40 s, the other
 * arrives at 20 s and runs from 30 to 60 s. */
TEST(summary_load_while_jobs_arrive_and_until_the_end)
{
    struct summary_told st = told_begin(0, 5);
    submit(&st, 0, 1, 1, 0, 0);
    launch(&st, 10, LAUNCH_FIRST, 1, 0, 0);
    submit(&st, 20, 2, 1, 20 * SECOND, 0);
    launch(&st, 30, LAUNCH_FIRST, 2, 0, 0);
    for (uint32_t i = 1; i <= 2; i++) {
        happen(&st, 20 + 20 * i, EV_ATTEMPT_FINISHED, i, 0, 0);
        happen(&st, 20 + 20 * i, EV_COMMITTED, i, 0, 0);
        over(&st, 20 + 20 * i, DO_JOB_DONE, i);
    }
    struct summary_result r = told_end(&st);
    expect(near(r.load_arriving, 0.2 * 10 / 20));
    expect(near(r.load_mean, 0.2 * (30 + 30) / 60));
}

/* Where nodes have no cpu. */
TEST(summary_shares_of_a_cluster_without_cpu)
{
    struct summary_told st = {.follow = follow_create(0, 0)};
    st.s = summary_create(st.follow);
    struct event up = {.type = EV_NODE_UP, .u.node.capacity = {{0, 0, 4, 2}}};
    tell(&st, 0, &up, NULL);
    struct phase_spec phase = {.name = "p", .tasks = 1, .demand = {{0, 0, 1, 0}}};
    struct job_spec job = {
        .id = {1}, .name = "j", .weight = JOB_WEIGHT_ONE, .phases = &phase, .phase_count = 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    tell(&st, 0, &e, NULL);
    launch(&st, 0, LAUNCH_FIRST, 1, 0, 0);
    launch(&st, 0, LAUNCH_CLONE, 1, 0, 1);
    happen(&st, 10, EV_ATTEMPT_FINISHED, 1, 0, 0);
    happen(&st, 10, EV_COMMITTED, 1, 0, 0);
    happen(&st, 10, EV_ATTEMPT_KILLED, 1, 0, 1);
    over(&st, 10, DO_JOB_DONE, 1);
    struct summary_result r = told_end(&st);
    expect(near(r.clone_capacity_frac, 0.25) && near(r.loser_frac, 1) && near(r.load_p50, 0.5));
    expect(near(r.resources[RES_X].busy_s, 20) && r.busy_slot_s == 0); /* none of it is slots */
}
