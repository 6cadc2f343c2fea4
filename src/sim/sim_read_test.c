#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

/* Four upstream tasks of 100 bytes each, two readers, on two nodes. */
static void stage_edge(struct sim_stage *st, uint8_t pattern, uint8_t slowstart)
{
    struct stage_phase phases[] = {{.tasks = 4, .size_us = 100, .output_bytes = 100},
                                   {.tasks = 2,
                                    .size_us = 100,
                                    .reads = true,
                                    .edge = {.pattern = pattern, .slowstart = slowstart}}};
    stage_init(st, 2, 2);
    stage_job(st, 0, phases, 2);
    stage_start(st);
}

/* Upstream tasks 0 and 1 are run on node 0, 2 and 3 on node 1. */
static void run_upstream(struct sim_stage *st, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++)
        stage_run(st, stage_ref(0, 0, t, 0), t / 2);
}

/* Launches a reader on node 1 that reads everything; the bytes it got, or -1 for a failed fetch. */
static int64_t read_all(struct sim_stage *st, uint32_t reader, uint16_t attempt)
{
    struct attempt_ref at = stage_ref(0, 1, reader, attempt);
    stage_launch(st, at, 1);
    stage_read(st, at, stage_all);
    expect(stage_wait(st) == 1);
    expect(stage_saw(st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, at));
    if (stage_saw(st, 1, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, at))
        return -1;
    expect(stage_saw(st, 1, EV_FETCH_STARTED, CAUSE_NONE, at));
    expect(stage_saw(st, 2, EV_FETCH_DONE, CAUSE_NONE, at));
    expect(attempt_equal(st->batch.at[2].u.fetch.source, stage_all));
    return st->batch.at[2].u.fetch.bytes;
}

TEST(sim_read_share_depends_on_the_pattern)
{
    static const int64_t bytes[] = {
        [EDGE_ALL_TO_ALL] = 200, [EDGE_MANY_TO_ONE] = 200, [EDGE_ONE_TO_ONE] = 100};
    for (uint8_t pattern = 0; pattern < 3; pattern++) {
        struct sim_stage st;
        stage_edge(&st, pattern, 0);
        run_upstream(&st, 4);
        expect(read_all(&st, 1, 0) == bytes[pattern]);
        stage_fini(&st);
    }
}

TEST(sim_read_of_one_source)
{
    struct sim_stage st;
    stage_edge(&st, EDGE_ALL_TO_ALL, 0);
    run_upstream(&st, 1);
    struct attempt_ref reader = stage_ref(0, 1, 0, 0), source = stage_ref(0, 0, 0, 0);
    stage_launch(&st, reader, 1);
    stage_read(&st, reader, source);
    stage_read(&st, reader, stage_ref(0, 0, 1, 0));
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(stage_saw(&st, 2, EV_FETCH_DONE, CAUSE_NONE, reader));
    expect(st.batch.at[2].u.fetch.bytes == 50);
    expect(stage_saw(&st, 3, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reader));
    stage_fini(&st);
}

TEST(sim_read_needs_all_that_is_upstream_of_the_reader)
{
    for (uint8_t i = 0; i < 6; i++) { /* with and without slow start */
        uint8_t pattern = i % 3;
        struct sim_stage st;
        stage_edge(&st, pattern, i < 3 ? 0 : 1);
        run_upstream(&st, 2);
        /* Tasks 2 and 3 are missing: reader 0 needs them only if all read all. */
        expect((read_all(&st, 0, 0) < 0) == (pattern == EDGE_ALL_TO_ALL));
        expect((read_all(&st, 1, 0) < 0) == (pattern != EDGE_ONE_TO_ONE));
        stage_fini(&st);
    }
}

TEST(sim_read_with_slow_start_fails_for_lost_outputs)
{
    struct sim_stage st;
    stage_edge(&st, EDGE_MANY_TO_ONE, 50);
    run_upstream(&st, 2);
    expect(read_all(&st, 0, 0) == 200);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1);
    expect(read_all(&st, 0, 1) == -1);
    stage_fini(&st);
}

TEST(sim_read_with_slow_start_needs_the_whole_phase_without_a_network)
{
    struct sim_stage st;
    stage_edge(&st, EDGE_ALL_TO_ALL, 50);
    run_upstream(&st, 3);
    expect(read_all(&st, 0, 0) == -1);
    stage_run(&st, stage_ref(0, 0, 3, 0), 1);
    expect(read_all(&st, 1, 0) == 200);
    stage_fini(&st);
}

TEST(sim_read_works_again_after_recomputation)
{
    struct sim_stage st;
    stage_edge(&st, EDGE_ALL_TO_ALL, 0);
    run_upstream(&st, 4);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(read_all(&st, 0, 0) == -1);
    stage_ask(&st, DO_KILL, stage_ref(0, 1, 0, 0));
    expect(stage_wait(&st) == 1);
    stage_run(&st, stage_ref(0, 0, 0, 1), 1);
    stage_run(&st, stage_ref(0, 0, 1, 1), 1);
    expect(read_all(&st, 0, 1) == 200);
    stage_fini(&st);
}

TEST(sim_read_by_nobody_or_of_nothing_is_refused)
{
    struct sim_stage st;
    stage_edge(&st, EDGE_ALL_TO_ALL, 0);
    struct attempt_ref reader = stage_ref(0, 1, 0, 0), map = stage_ref(0, 0, 0, 0);
    stage_read(&st, reader, stage_all);
    stage_launch(&st, map, 0);
    stage_read(&st, map, stage_all); /* phase 0 reads nothing */
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, reader));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, map));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 100);
    stage_read(&st, map, stage_all);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_REFUSED, CAUSE_ALREADY_ENDED, map));
    stage_fini(&st);
}
