#include "sim/sim.h"

#include <string.h>

#include "sim/stage_test.h"
#include "tests/unit/test.h"

static const struct stage_phase one_task = {.tasks = 1, .size_us = 100};

TEST(sim_first_batch_brings_up_all_nodes)
{
    struct sim_stage st;
    stage_init(&st, 3, 2);
    stage_job(&st, 5, &one_task, 1);
    stage_start(&st);
    expect(st.batch.now_us == 0 && st.batch.count == 3);
    for (uint32_t n = 0; n < 3; n++) {
        const struct event *e = &st.batch.at[n];
        expect(e->type == EV_NODE_UP && e->node.v == n);
        expect(strcmp(e->u.node.name, st.cluster->nodes[n].name) == 0);
        expect(e->u.node.capacity.v[RES_CPU] == 2 * RES_SLOT && e->u.node.rack == 0);
    }
    stage_fini(&st);
}

TEST(sim_without_jobs_is_over_after_the_nodes)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_start(&st);
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_answers_without_lag_are_the_next_batch_of_the_instant)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    struct attempt_ref a = stage_ref(0, 0, 0, 0);
    expect(st.batch.count == 2 && st.batch.at[1].type == EV_JOB_SUBMITTED);

    stage_launch(&st, a, 0);
    expect(stage_wait(&st) == 1 && stage_only(&st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, a));
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_ATTEMPT_FINISHED, CAUSE_NONE, a));
    expect(st.batch.at[0].u.use.wall_us == 100);
    stage_ask(&st, DO_COMMIT, a);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_COMMITTED, CAUSE_NONE, a));
    stage_ask(&st, DO_JOB_DONE, a);
    expect(stage_wait(&st) == 0);
    expect(sim_event_count(st.sim) == 5);
    stage_fini(&st);
}

TEST(sim_delivers_all_events_of_an_instant_together)
{
    struct sim_stage st;
    stage_init(&st, 1, 3);
    struct stage_phase three = {.tasks = 3, .size_us = 100};
    stage_job(&st, 0, &three, 1);
    stage_job(&st, 100, &one_task, 1);
    stage_start(&st);
    for (uint32_t t = 0; t < 3; t++)
        stage_launch(&st, stage_ref(0, 0, t, 0), 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 3 && st.batch.now_us == 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 4 && st.batch.now_us == 100);
    expect(st.batch.at[0].type == EV_JOB_SUBMITTED); /* in the order in which they were queued */
    for (uint32_t t = 0; t < 3; t++)
        expect(stage_saw(&st, 1 + t, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, t, 0)));
    stage_fini(&st);
}

TEST(sim_answers_a_last_request_before_it_is_over)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    struct attempt_ref a = stage_ref(0, 0, 0, 0);
    stage_run(&st, a, 0);
    stage_ask(&st, DO_JOB_DONE, a);
    stage_ask(&st, DO_KILL, a);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_REFUSED, CAUSE_ALREADY_ENDED, a));
    expect(st.batch.at[0].u.refused.decision == 4);
    expect(st.batch.at[0].u.refused.decision_type == DO_KILL);
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_stalls_when_nothing_is_launched)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase phases[] = {{.tasks = 1, .size_us = 100},
                                   {.tasks = 3, .size_us = 100, .reads = true}};
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    stage_run(&st, stage_ref(0, 0, 0, 0), 0);
    stage_run(&st, stage_ref(0, 1, 1, 0), 0);
    expect(stage_wait(&st) == -1);
    expect(strstr(st.err.text, "stalled: job 0 (job), phase 1 (phase): 2 of 3 tasks") != NULL);
    stage_fini(&st);
}

TEST(sim_stalls_when_a_job_is_never_ended)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    stage_run(&st, stage_ref(0, 0, 0, 0), 0);
    expect(stage_wait(&st) == -1 && strstr(st.err.text, "stalled: job 0 (job): all") != NULL);
    stage_fini(&st);
}

TEST(sim_timers_for_ever_do_not_hide_a_stall)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    int turns = 0, answer;
    do {
        stage_timer(&st, 1, st.batch.now_us + STAGE_S);
        answer = stage_wait(&st);
    } while (answer == 1 && ++turns < 1000000);
    expect(answer == -1 && turns > 10000 && strstr(st.err.text, "stalled: job 0") != NULL);
    stage_fini(&st);
}

TEST(sim_waits_for_a_late_job_however_many_timers_fire)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 200 * 1000 * STAGE_S, &one_task, 1);
    stage_start(&st);
    int turns = 0;
    do {
        stage_timer(&st, 1, st.batch.now_us + STAGE_S);
        expect(stage_wait(&st) == 1);
    } while (st.batch.at[0].type == EV_TIMER && ++turns < 300000);
    expect(st.batch.at[0].type == EV_JOB_SUBMITTED && turns == 199999);
    stage_fini(&st);
}

TEST(sim_destroyed_in_the_middle_leaks_nothing)
{
    sim_destroy(NULL);
    struct sim_stage st;
    stage_init(&st, 1, 1);
    for (int j = 0; j < 3; j++)
        stage_job(&st, j, &one_task, 1);
    stage_start(&st);
    stage_launch(&st, stage_ref(0, 0, 0, 0), 0);
    stage_fini(&st);
}

/* A node drains and is back, a job changes and is cancelled; what concerns a node that is down, or
 * a job that is over, does not happen. */
TEST(sim_shows_what_comes_from_outside_at_its_time)
{
    const struct sim_outside outside[] = {
        {10, {.type = EV_NODE_DRAIN, .node = {1}}},
        {10, {.type = EV_CORES, .node = NODE_NONE, .u.cores = {2000, 500}}},
        {20, {.type = EV_NODE_UP, .node = {1}}},
        {30, {.type = EV_JOB_CHANGED, .node = NODE_NONE, .u.change = {7, 3}}},
        {50, {.type = EV_NODE_DRAIN, .node = {0}}},
        {60, {.type = EV_JOB_CANCELLED, .at = {.job = {1}}, .node = NODE_NONE}},
        {70, {.type = EV_JOB_CANCELLED, .node = NODE_NONE}},
    };
    struct sim_stage st;
    stage_init(&st, 2, 1);
    vec_push(&st.cluster->outages, ((struct cluster_outage){0, 40, 100, false}));
    st.outside = outside;
    st.outside_count = sizeof outside / sizeof *outside;
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 10 && st.batch.count == 2);
    expect(st.batch.at[0].type == EV_NODE_DRAIN && st.batch.at[0].node.v == 1);
    expect(st.batch.at[1].type == EV_CORES && st.batch.at[1].u.cores.spare == 2000);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 20 && st.batch.at[0].type == EV_NODE_UP);
    expect(strcmp(st.batch.at[0].u.node.name, "n1") == 0);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.at[0].u.change.weight == 7);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 40 && st.batch.at[0].type == EV_NODE_DOWN);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 70 && st.batch.count == 1);
    expect(st.batch.at[0].type == EV_JOB_CANCELLED && st.batch.at[0].at.job.v == 0);
    stage_fini(&st);
}

/* Of two cores one goes while both are in use, and is back with a third while the node is down. */
TEST(sim_nodes_hold_what_they_are_told_to)
{
    const struct sim_outside outside[] = {
        {10, {.type = EV_NODE_CAPACITY, .u.node.capacity = {{RES_SLOT}}}},
        {40, {.type = EV_NODE_CAPACITY, .u.node.capacity = {{3 * RES_SLOT}}}},
        {60, {.type = EV_NODE_UP}},
    };
    struct stage_phase phase = {.tasks = 3, .size_us = 20};
    struct sim_stage st;
    stage_init(&st, 1, 2);
    vec_push(&st.cluster->outages, ((struct cluster_outage){0, 30, 20, false}));
    st.outside = outside;
    st.outside_count = sizeof outside / sizeof *outside;
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    stage_launch(&st, stage_ref(0, 0, 0, 0), 0);
    stage_launch(&st, stage_ref(0, 0, 1, 0), 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 10 && st.batch.count == 1);
    expect(st.batch.at[0].type == EV_NODE_CAPACITY);
    expect(st.batch.at[0].u.node.capacity.v[RES_CPU] == RES_SLOT);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 20 && st.batch.count == 2);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.at[0].type == EV_NODE_DOWN);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 50 && st.batch.at[0].type == EV_NODE_UP);
    expect(st.batch.at[0].u.node.capacity.v[RES_CPU] == 3 * RES_SLOT);
    for (uint32_t t = 0; t < 3; t++) /* there is room for three */
        stage_launch(&st, stage_ref(0, 0, t, t < 2), 0);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 50 && st.batch.count == 3);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 60 && st.batch.at[0].type == EV_NODE_UP);
    expect(st.batch.at[0].u.node.capacity.v[RES_CPU] == 3 * RES_SLOT);
    stage_fini(&st);
}

/* The first attempt was seen to fail after 30 of its 100 us, the second was not. */
TEST(sim_attempts_fail_as_recorded)
{
    const uint32_t from[] = {0, 2};
    const int64_t times[] = {100, 50}, fails[] = {30, 0};
    struct stage_phase phase = {
        .tasks = 1, .attempt_from = from, .attempts = times, .attempt_fails = fails};
    struct sim_stage st;
    stage_init(&st, 1, 2);
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    struct attempt_ref first = stage_ref(0, 0, 0, 0), second = stage_ref(0, 0, 0, 1);
    stage_launch(&st, first, 0);
    stage_launch(&st, second, 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_wait(&st) == 1 && stage_only(&st, 30, EV_ATTEMPT_FAILED, CAUSE_INJECTED, first));
    expect(stage_wait(&st) == 1 && stage_only(&st, 50, EV_ATTEMPT_FINISHED, CAUSE_NONE, second));
    stage_fini(&st);
}

/* The second attempt is recorded, the third is not. */
TEST(sim_knows_whether_the_reading_matters)
{
    const uint32_t from[] = {0, 2};
    const int64_t times[] = {100, 50};
    struct stage_phase phase = {.tasks = 1, .attempt_from = from, .attempts = times};
    struct sim_stage st;
    stage_init(&st, 1, 3);
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    for (uint16_t k = 0; k < 3; k++) {
        stage_launch(&st, stage_ref(0, 0, 0, k), 0);
        expect(sim_reading_matters(st.sim) == (k == 2));
    }
    stage_fini(&st);
}

/* Of two attempts on a node that fails at 30, one is told lost 5 us later, as it was recorded; the
 * other at once, and the kill of its second attempt takes the 7 us that were recorded. */
TEST(sim_ends_are_told_as_late_as_recorded)
{
    const uint32_t from[] = {0, 1, 3};
    const int64_t times[] = {100, 100, 100}, lags[] = {5, -1, 7};
    struct stage_phase phase = {
        .tasks = 2, .attempt_from = from, .attempts = times, .attempt_lags = lags};
    struct sim_stage st;
    stage_init(&st, 2, 2);
    vec_push(&st.cluster->outages, ((struct cluster_outage){0, 30, 100, false}));
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    struct attempt_ref late = stage_ref(0, 0, 0, 0), soon = stage_ref(0, 0, 1, 0),
                       killed = stage_ref(0, 0, 1, 1);
    stage_launch(&st, late, 0);
    stage_launch(&st, soon, 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.count == 2);
    expect(st.batch.at[0].type == EV_NODE_DOWN);
    expect(stage_saw(&st, 1, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, soon));
    stage_launch(&st, killed, 1);
    expect(stage_wait(&st) == 1 && stage_only(&st, 30, EV_ATTEMPT_STARTED, CAUSE_NONE, killed));
    stage_ask(&st, DO_KILL, killed);
    expect(stage_wait(&st) == 1 && stage_only(&st, 35, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, late));
    expect(stage_wait(&st) == 1 && stage_only(&st, 37, EV_ATTEMPT_KILLED, CAUSE_NONE, killed));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 130 && st.batch.at[0].type == EV_NODE_UP);
    stage_fini(&st);
}

/* A node that is back before that is told has lost its attempt. */
TEST(sim_attempts_are_lost_before_their_node_is_back)
{
    const uint32_t from[] = {0, 1};
    const int64_t times[] = {100}, lags[] = {50};
    struct stage_phase phase = {
        .tasks = 1, .attempt_from = from, .attempts = times, .attempt_lags = lags};
    struct sim_stage st;
    stage_init(&st, 1, 1);
    vec_push(&st.cluster->outages, ((struct cluster_outage){0, 30, 10, false}));
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    struct attempt_ref a = stage_ref(0, 0, 0, 0);
    stage_launch(&st, a, 0);
    expect(stage_wait(&st) == 1);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.count == 1);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 40 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, a));
    expect(st.batch.at[1].type == EV_NODE_UP);
    stage_fini(&st);
}
