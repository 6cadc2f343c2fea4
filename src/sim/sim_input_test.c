/* sim_input_test.c - the input of jobs on the network. Links carry one byte in a microsecond, disks
 * half a byte. */
#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

/* Six nodes of two attempts: 0, 1, 2 in one rack, 3, 4, 5 in another, a quarter of the speed
 * between them. Tasks of 1000 us read 300 bytes; that of task t lies on node t and on node 3. */
static void stage_input(struct sim_stage *st, uint32_t input)
{
    static const uint32_t from[] = {0, 2, 4, 6};
    static const struct node_id on[] = {{0}, {3}, {1}, {3}, {2}, {3}};
    struct stage_phase phase = {
        .tasks = 3, .size_us = 1000, .input_bytes = 300, .replica_from = from, .replicas = on};
    stage_init(st, 6, 2);
    cluster_add_rack(st->cluster, "far");
    for (uint32_t n = 3; n < 6; n++)
        st->cluster->nodes[n].rack = 1;
    st->cluster->wires = (struct wires){.is_simulated = true,
                                        .up = 1000000,
                                        .down = 1000000,
                                        .disk = 500000,
                                        .oversubscription = 12,
                                        .input = input};
    stage_job(st, 0, &phase, 1);
    stage_start(st);
}

static struct attempt_ref task(uint32_t t)
{
    return stage_ref(0, 0, t, 0);
}

/* Runs a task alone on a node; how long it takes. */
static int64_t alone(struct sim_stage *st, uint32_t t, uint32_t node)
{
    int64_t from = st->batch.now_us;
    stage_launch(st, task(t), node);
    expect(stage_wait(st) == 1 && stage_saw(st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, task(t)));
    expect(stage_wait(st) == 1 && stage_saw(st, 0, EV_ATTEMPT_FINISHED, CAUSE_NONE, task(t)));
    expect(st->batch.at[0].u.use.read_bytes == 300);
    return st->batch.now_us - from;
}

TEST(sim_input_comes_from_disk_rack_or_far)
{
    struct sim_stage st;
    stage_input(&st, 1);
    expect(alone(&st, 0, 0) == 600 + 1000); /* own disk */
    expect(alone(&st, 1, 2) == 300 + 1000); /* node 1, beside it, not node 3 */
    expect(alone(&st, 2, 5) == 300 + 1000); /* node 3, not node 2 */
    stage_fini(&st);
    stage_input(&st, 0);
    expect(alone(&st, 0, 5) == 1000); /* part of the size */
    stage_fini(&st);
}

/* One node and no rack near by: the racks' links carry a quarter of a byte. */
TEST(sim_input_goes_on_elsewhere_when_its_node_goes_down)
{
    struct sim_stage st;
    stage_input(&st, 1);
    st.sim->nodes_fail = true;
    stage_launch(&st, task(0), 4); /* from node 3, beside it */
    expect(stage_wait(&st) == 1);
    int64_t from = st.batch.now_us;
    stage_timer(&st, 1, from + 100);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 100);
    sim_node_fails(st.sim, 3, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_NODE_DOWN);
    /* 200 bytes are left, and node 0 is far away. */
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 100 + 800 + 1000, EV_ATTEMPT_FINISHED, CAUSE_NONE, task(0)));
    expect(st.batch.at[0].u.use.read_bytes == 300);
    /* With both of its nodes down somebody else serves it. */
    sim_node_fails(st.sim, 1, NODE_FAILS);
    expect(stage_wait(&st) == 1);
    expect(alone(&st, 1, 2) >= 1000 + 300);
    stage_fini(&st);
}

/* Copies are made of what only nodes had that are down: the last node that is up has them all. */
TEST(sim_input_is_found_as_long_as_a_node_is_up)
{
    for (uint32_t last = 0; last < 6; last++) {
        struct sim_stage st;
        stage_input(&st, 1);
        st.sim->nodes_fail = true;
        for (uint32_t node = 0; node < 6; node++) {
            if (node == last)
                continue;
            sim_node_fails(st.sim, node, NODE_FAILS);
            expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_NODE_DOWN);
        }
        for (uint32_t t = 0; t < 3; t++)
            expect(alone(&st, t, last) == 600 + 1000); /* its own disk */
        stage_fini(&st);
    }
}

TEST(sim_input_of_an_attempt_that_is_killed_counts_what_came)
{
    struct sim_stage st;
    stage_input(&st, 1);
    stage_launch(&st, task(1), 2);
    stage_launch(&st, task(2), 2); /* from its own disk, beside the link */
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    int64_t from = st.batch.now_us;
    stage_timer(&st, 1, from + 100);
    expect(stage_wait(&st) == 1);
    stage_ask(&st, DO_KILL, task(1));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_KILLED, CAUSE_NONE, task(1)));
    expect(st.batch.at[0].u.use.read_bytes == 100);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 1600, EV_ATTEMPT_FINISHED, CAUSE_NONE, task(2)));
    stage_fini(&st);
}

/* Where it lies is drawn: the same for all attempts of a task, others for other tasks. */
TEST(sim_input_of_unknown_place_is_drawn)
{
    uint32_t seen = 0;
    for (uint32_t t = 0; t < 40; t++) {
        struct sim_stage st;
        struct stage_phase phase = {.tasks = 40, .size_us = 10, .input_bytes = 300};
        stage_init(&st, 8, 4);
        st.cluster->wires = (struct wires){.is_simulated = true,
                                           .up = 1000000,
                                           .down = 1000000,
                                           .disk = 500000,
                                           .oversubscription = 1,
                                           .input = 1};
        stage_job(&st, 0, &phase, 1);
        stage_start(&st);
        /* Two attempts on different nodes: both from one disk or link, or one from its own. */
        struct attempt_ref second = stage_ref(0, 0, t, 1);
        stage_launch(&st, task(t), 0);
        stage_launch(&st, second, 1);
        expect(stage_wait(&st) == 1 && st.batch.count == 2);
        expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_ATTEMPT_FINISHED);
        int64_t took = st.batch.now_us;
        bool near = took == 310 && st.batch.count == 1; /* the other one's disk takes 610 */
        expect(near || (took == 610 && st.batch.count == 2));
        seen += near;
        stage_fini(&st);
    }
    expect(seen > 3 && seen < 20); /* a quarter of them */
}
