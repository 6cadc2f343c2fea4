#include <math.h>
#include <string.h>

#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

TEST(sim_node_failure_loses_what_is_on_it)
{
    struct sim_stage st;
    stage_init(&st, 2, 3);
    struct stage_phase phases[] = {{.tasks = 4, .size_us = 100}, {.tasks = 1, .reads = true}};
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    struct attempt_ref done = stage_ref(0, 0, 0, 0), runs = stage_ref(0, 0, 1, 0),
                       waits = stage_ref(0, 0, 2, 0), elsewhere = stage_ref(0, 0, 3, 0);
    stage_run(&st, done, 0);
    stage_launch(&st, runs, 0);
    stage_launch(&st, elsewhere, 1);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 100);
    st.cluster->faults.launch_lag_us = STAGE_S;
    stage_launch(&st, waits, 0);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(st.batch.at[0].type == EV_NODE_DOWN && st.batch.at[0].node.v == 0);
    expect(stage_saw(&st, 1, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NODE_DOWN, waits));
    expect(stage_saw(&st, 2, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, runs));
    expect(stage_saw(&st, 3, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, done));

    stage_launch(&st, stage_ref(0, 0, 1, 1), 0);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 100, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NODE_DOWN, stage_ref(0, 0, 1, 1)));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, elsewhere));
    stage_fini(&st);
}

/* What a node ends just before it fails is neither finished nor failed. */
TEST(sim_node_ends_its_attempts_before_it_fails)
{
    struct sim_stage st;
    stage_init(&st, 2, 3);
    struct stage_phase phases[] = {{.tasks = 2, .size_us = 100}};
    stage_job(&st, 0, phases, 1);
    stage_start(&st);
    st.cluster->faults.doubt_us = 30;
    struct attempt_ref runs = stage_ref(0, 0, 0, 0), elsewhere = stage_ref(0, 0, 1, 0);
    stage_launch(&st, runs, 0);
    stage_launch(&st, elsewhere, 1);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 0 && st.batch.count == 2);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && stage_only(&st, 0, EV_ATTEMPT_ENDED, CAUSE_NONE, runs));
    expect(res_equal(&st.sim->nodes[0].free, &st.cluster->nodes[0].capacity));
    expect(stage_wait(&st) == 1 && st.batch.now_us < 30 && st.batch.count == 2);
    expect(st.batch.at[0].type == EV_NODE_DOWN);
    expect(stage_saw(&st, 1, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, runs));
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_ATTEMPT_ENDED, CAUSE_NONE, elsewhere));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 130);
    expect(stage_saw(&st, 0, EV_ATTEMPT_FINISHED, CAUSE_NONE, elsewhere));
    expect(st.batch.at[0].u.use.wall_us == 100);
    stage_fini(&st);
}

/* A kill does not wait for the doubt to be over. */
TEST(sim_node_kills_an_attempt_in_doubt_at_once)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase phases[] = {{.tasks = 1, .size_us = 100}};
    stage_job(&st, 0, phases, 1);
    stage_start(&st);
    st.cluster->faults.doubt_us = 30;
    struct attempt_ref runs = stage_ref(0, 0, 0, 0);
    stage_launch(&st, runs, 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    expect(stage_only(&st, 100, EV_ATTEMPT_ENDED, CAUSE_NONE, runs));
    stage_ask(&st, DO_KILL, runs);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_ATTEMPT_KILLED, CAUSE_NONE, runs));
    stage_fini(&st);
}

/* On a disk that others see: a reader elsewhere reads it while the node is away. */
TEST(sim_node_failure_may_spare_outputs)
{
    struct sim_stage st;
    stage_init(&st, 2, 3);
    struct stage_phase phases[] = {{.tasks = 2, .size_us = 100}, {.tasks = 1, .reads = true}};
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    struct attempt_ref done = stage_ref(0, 0, 0, 0), runs = stage_ref(0, 0, 1, 0),
                       reader = stage_ref(0, 1, 0, 0);
    stage_run(&st, done, 0);
    stage_launch(&st, runs, 0);
    expect(stage_wait(&st) == 1);
    st.cluster->faults.node_keep_p = 1;
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(st.batch.at[0].type == EV_NODE_DOWN && st.batch.at[0].node.v == 0);
    expect(stage_saw(&st, 1, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, runs));
    stage_launch(&st, reader, 1);
    stage_read(&st, reader, done);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 2, EV_FETCH_DONE, CAUSE_NONE, reader));
    stage_fini(&st);
}

/* What ends at that moment has ended, its commit goes on, and only what runs is lost. */
TEST(sim_node_restart_loses_attempts_alone)
{
    struct sim_stage st;
    stage_init(&st, 1, 2);
    struct stage_phase phases[] = {{.tasks = 1, .size_us = 101},
                                   {.tasks = 1, .size_us = 100},
                                   {.tasks = 1, .reads = true}};
    stage_job(&st, 0, phases, 3);
    vec_push(&st.cluster->outages, ((struct cluster_outage){0, 100, 1, true}));
    stage_start(&st);
    struct attempt_ref runs = stage_ref(0, 0, 0, 0), done = stage_ref(0, 1, 0, 0);
    st.cluster->faults.commit_lag_us = STAGE_S;
    stage_launch(&st, runs, 0);
    stage_launch(&st, done, 0);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 0 && st.batch.count == 2);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 100 && st.batch.count == 4);
    expect(stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, done));
    expect(st.batch.at[2].type == EV_NODE_DOWN);
    expect(stage_saw(&st, 3, EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, runs));
    stage_ask(&st, DO_COMMIT, done);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 101 && st.batch.at[0].type == EV_NODE_UP);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, done));
    stage_fini(&st);
}

TEST(sim_node_outputs_of_a_job_that_is_over_are_not_missed)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase phases[] = {{.tasks = 1}, {.tasks = 1, .reads = true}};
    stage_job(&st, 0, phases, 2);
    stage_job(&st, STAGE_S, phases, 2);
    stage_start(&st);
    stage_run(&st, stage_ref(0, 0, 0, 0), 0);
    stage_run(&st, stage_ref(0, 1, 0, 0), 0);
    stage_ask(&st, DO_JOB_DONE, stage_ref(0, 0, 0, 0));
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 1 && st.batch.at[0].type == EV_NODE_DOWN);
    stage_fini(&st);
}

TEST(sim_node_fails_and_returns_as_often_as_said)
{
    struct sim_stage st;
    stage_init(&st, 50, 1);
    struct stage_phase phase = {.tasks = 1};
    stage_job(&st, 10000 * STAGE_S, &phase, 1);
    st.cluster->faults.node_mtbf_us = 100 * STAGE_S;
    st.cluster->faults.node_repair_us = 25 * STAGE_S;
    stage_start(&st);
    uint32_t downs = 0;
    int64_t down_since[50] = {0}, down_us = 0;
    for (;;) {
        expect(stage_wait(&st) == 1 && st.batch.count >= 1);
        const struct event *e = &st.batch.at[0];
        if (e->type == EV_JOB_SUBMITTED)
            break;
        if (e->type == EV_NODE_DOWN) {
            downs++;
            expect(down_since[e->node.v] == 0);
            down_since[e->node.v] = st.batch.now_us;
        } else {
            expect(e->type == EV_NODE_UP && e->u.node.name == st.cluster->nodes[e->node.v].name);
            expect(down_since[e->node.v] > 0);
            down_us += st.batch.now_us - down_since[e->node.v];
            down_since[e->node.v] = 0;
        }
    }
    /* 50 nodes, one cycle in 125 s, for 10000 s. */
    expect(fabs(downs - 4000.0) < 200);
    expect(fabs((double)down_us / downs / (double)STAGE_S - 25) < 1.5);
    stage_fini(&st);
}

TEST(sim_node_failures_end_with_the_last_job)
{
    struct sim_stage st;
    stage_init(&st, 3, 1);
    struct stage_phase phase = {.tasks = 1};
    stage_job(&st, 0, &phase, 1);
    st.cluster->faults.node_mtbf_us = STAGE_S;
    st.cluster->faults.node_repair_us = STAGE_S;
    stage_start(&st);
    stage_run(&st, stage_ref(0, 0, 0, 0), 0);
    stage_ask(&st, DO_JOB_DONE, stage_ref(0, 0, 0, 0));
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_node_is_never_overcommitted)
{
    struct sim_stage st;
    stage_init(&st, 1, 2);
    struct stage_phase phase = {.tasks = 3, .size_us = 100};
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    stage_launch(&st, stage_ref(0, 0, 0, 0), 0);
    struct decision second = {.type = DO_LAUNCH, .at = stage_ref(0, 0, 1, 0)};
    struct decision third = {.type = DO_LAUNCH, .at = stage_ref(0, 0, 2, 0)};
    expect(!stage_aborts(&st, second));
    stage_do(&st, second);
    expect(stage_aborts(&st, third));
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.count == 2);
    expect(!stage_aborts(&st, third)); /* there is room again */
    stage_fini(&st);
}

TEST(sim_node_fails_and_returns_as_planned)
{
    struct sim_stage st;
    stage_init(&st, 2, 1);
    struct stage_phase phase = {.tasks = 1};
    stage_job(&st, 100 * STAGE_S, &phase, 1);
    vec_push(&st.cluster->outages, ((struct cluster_outage){1, 5 * STAGE_S, 2 * STAGE_S, false}));
    vec_push(&st.cluster->outages,
             ((struct cluster_outage){0, 6 * STAGE_S, CLUSTER_FOR_GOOD, false}));
    vec_push(&st.cluster->outages, ((struct cluster_outage){1, 8 * STAGE_S, STAGE_S, false}));
    st.cluster->faults.node_mtbf_us = 1; /* not of nodes with plans */
    stage_start(&st);
    static const struct {
        int64_t at_s;
        uint8_t type;
        uint32_t node;
    } plan[] = {{5, EV_NODE_DOWN, 1},
                {6, EV_NODE_DOWN, 0},
                {7, EV_NODE_UP, 1},
                {8, EV_NODE_DOWN, 1},
                {9, EV_NODE_UP, 1}};
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        expect(stage_wait(&st) == 1 && st.batch.count == 1);
        expect(st.batch.now_us == plan[i].at_s * STAGE_S && st.batch.at[0].type == plan[i].type);
        expect(st.batch.at[0].node.v == plan[i].node);
    }
    stage_fini(&st);
}

TEST(sim_node_tells_of_pressure_as_planned)
{
    struct sim_stage st;
    stage_init(&st, 2, 1);
    struct stage_phase phase = {.tasks = 1};
    stage_job(&st, 100 * STAGE_S, &phase, 1);
    vec_push(&st.cluster->pressures, ((struct cluster_pressure){1, 5 * STAGE_S, STAGE_S, 0.5, 0}));
    vec_push(&st.cluster->pressures,
             ((struct cluster_pressure){0, 7 * STAGE_S, CLUSTER_FOR_GOOD, 0, 0.25}));
    stage_start(&st);
    static const struct {
        int64_t at_s;
        uint32_t node;
        int32_t disk, memory;
    } plan[] = {{5, 1, 500, 0}, {6, 1, 0, 0}, {7, 0, 0, 250}};
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        expect(stage_wait(&st) == 1 && st.batch.count == 1);
        const struct event *e = &st.batch.at[0];
        expect(st.batch.now_us == plan[i].at_s * STAGE_S && e->type == EV_PRESSURE);
        expect(e->node.v == plan[i].node && e->u.pressure.disk == plan[i].disk &&
               e->u.pressure.memory == plan[i].memory);
    }
    stage_fini(&st);
}

/* Jobs may arrive for ever; when no node will ever be up again, that is no hope. */
TEST(sim_node_all_down_for_good_is_a_stall)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase phase = {.tasks = 1, .size_us = 1};
    stage_job(&st, 0, &phase, 1);
    stage_job(&st, 100 * STAGE_S, &phase, 1);
    vec_push(&st.cluster->outages,
             ((struct cluster_outage){0, 5 * STAGE_S, CLUSTER_FOR_GOOD, false}));
    stage_start(&st);
    expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_NODE_DOWN);
    expect(stage_wait(&st) == -1 && strstr(st.err.text, "stalled: job 0"));
    stage_fini(&st);
}
