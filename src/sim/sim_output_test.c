#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

/* Two nodes of two attempts, and a job of two maps and a reduce. */
static void stage_two(struct sim_stage *st)
{
    static const struct stage_phase phases[] = {
        {.tasks = 2, .size_us = 100, .output_bytes = 64},
        {.tasks = 1, .size_us = 100, .output_bytes = 8, .reads = true}};
    stage_init(st, 2, 2);
    stage_job(st, 0, phases, 2);
}

static const struct attempt_ref a0 = {.attempt = 0}, a1 = {.attempt = 1};

/* Launches both attempts of map 0, the first on node 0, and waits until both have finished. */
static void both_finish(struct sim_stage *st)
{
    stage_launch(st, a0, 0);
    stage_launch(st, a1, 1);
    expect(stage_wait(st) == 1 && st->batch.count == 2);
    expect(stage_wait(st) == 1 && st->batch.count == 4);
}

TEST(sim_output_is_ready_before_finished_unless_nobody_reads_it)
{
    struct sim_stage st;
    stage_two(&st);
    stage_start(&st);
    both_finish(&st);
    expect(stage_saw(&st, 0, EV_OUTPUT_READY, CAUSE_NONE, a0));
    expect(stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, a0));
    expect(stage_saw(&st, 2, EV_OUTPUT_READY, CAUSE_NONE, a1));
    expect(st.batch.at[0].u.output.bytes == 64 && st.batch.at[0].node.v == 0);
    expect(st.batch.at[0].u.output.checksum == st.batch.at[2].u.output.checksum);
    expect(st.batch.at[1].u.use.written_bytes == 64);

    uint64_t checksum = st.batch.at[0].u.output.checksum;
    stage_launch(&st, stage_ref(0, 0, 1, 0), 0);
    stage_launch(&st, stage_ref(0, 1, 0, 0), 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.count == 3);
    expect(st.batch.at[0].u.output.checksum != checksum);
    expect(stage_saw(&st, 2, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 1, 0, 0)));
    stage_fini(&st);
}

TEST(sim_output_of_a_nondeterministic_task_differs_between_attempts)
{
    struct sim_stage st;
    stage_two(&st);
    st.cluster->faults.nondeterministic_p = 1;
    stage_start(&st);
    both_finish(&st);
    expect(st.batch.at[0].u.output.checksum != st.batch.at[2].u.output.checksum);
    stage_fini(&st);
}

/* Of three readers the first gets 8 of 10 parts. */
TEST(sim_output_is_told_with_its_parts_where_they_differ)
{
    static const struct stage_phase phases[] = {
        {.tasks = 1, .size_us = 100, .output_bytes = 1000, .skew = 8},
        {.tasks = 3, .size_us = 100, .reads = true}};
    static const int64_t want[] = {800, 100, 100};
    struct sim_stage st;
    stage_init(&st, 2, 2);
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    stage_launch(&st, a0, 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    const struct event *e = &st.batch.at[0];
    expect(e->type == EV_OUTPUT_READY && e->u.output.partitions &&
           e->u.output.partition_count == 3);
    for (uint32_t i = 0; i < 3; i++)
        expect(e->u.output.partitions[i].bytes == want[i]);
    expect(e->u.output.partitions[1].checksum != e->u.output.partitions[2].checksum);
    stage_ask(&st, DO_COMMIT, a0);
    expect(stage_wait(&st) == 1);
    for (uint32_t i = 0; i < 3; i++) {
        struct attempt_ref reader = stage_ref(0, 1, i, 0);
        stage_launch(&st, reader, i % 2);
        stage_read(&st, reader, i ? a0 : stage_all);
        expect(stage_wait(&st) == 1);
        for (uint32_t k = 0; k < st.batch.count; k++)
            expect(st.batch.at[k].type != EV_FETCH_DONE || st.batch.at[k].u.fetch.bytes == want[i]);
    }
    stage_fini(&st);
}

TEST(sim_output_commits_once)
{
    struct sim_stage st;
    stage_two(&st);
    stage_start(&st);
    stage_launch(&st, a0, 0);
    stage_ask(&st, DO_COMMIT, a0); /* it only runs */
    expect(stage_wait(&st) == 1 && stage_saw(&st, 1, EV_REFUSED, CAUSE_OUTPUT_GONE, a0));
    stage_launch(&st, a1, 1);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.count == 4);
    stage_ask(&st, DO_COMMIT, a1);
    stage_ask(&st, DO_COMMIT, a1);
    stage_ask(&st, DO_COMMIT, a0);
    stage_ask(&st, DO_COMMIT, stage_ref(0, 0, 0, 2));
    stage_ask(&st, DO_COMMIT, stage_ref(0, 0, 2, 0));
    stage_ask(&st, DO_COMMIT, stage_ref(0, 2, 0, 0));
    stage_ask(&st, DO_COMMIT, stage_ref(1, 0, 0, 0));
    expect(stage_wait(&st) == 1 && st.batch.count == 7);
    expect(stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, a1));
    expect(stage_saw(&st, 1, EV_REFUSED, CAUSE_ALREADY_ENDED, a1));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_ALREADY_ENDED, a0));
    for (uint32_t i = 3; i < 7; i++)
        expect(st.batch.at[i].type == EV_REFUSED && st.batch.at[i].cause == CAUSE_UNKNOWN_ATTEMPT);
    stage_fini(&st);
}

TEST(sim_output_commit_waits_for_its_lag)
{
    struct sim_stage st;
    stage_two(&st);
    st.cluster->faults.commit_lag_us = 1000;
    stage_start(&st);
    both_finish(&st);
    stage_ask(&st, DO_COMMIT, a0);
    stage_ask(&st, DO_COMMIT, a1); /* while the other is on its way */
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_REFUSED, CAUSE_ALREADY_STARTED, a1));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, a0));
    expect(st.batch.now_us > 100 && st.batch.now_us <= 1100);
    stage_fini(&st);
}

TEST(sim_output_commit_that_failed_may_be_tried_again)
{
    struct sim_stage st;
    stage_two(&st);
    st.cluster->faults.commit_fail_p = 0.5;
    stage_start(&st);
    both_finish(&st);
    int failures = 0;
    for (uint16_t round = 0; round < 64; round++) {
        stage_ask(&st, DO_COMMIT, a0);
        expect(stage_wait(&st) == 1 && st.batch.count == 1);
        if (st.batch.at[0].type == EV_COMMITTED)
            break;
        expect(stage_saw(&st, 0, EV_COMMIT_FAILED, CAUSE_INJECTED, a0));
        failures++;
    }
    expect(st.batch.at[0].type == EV_COMMITTED && failures < 64);

    st.cluster->faults.commit_fail_p = 1;
    stage_launch(&st, stage_ref(0, 0, 1, 0), 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    stage_ask(&st, DO_COMMIT, stage_ref(0, 0, 1, 0));
    expect(stage_wait(&st) == 1);
    expect(stage_saw(&st, 0, EV_COMMIT_FAILED, CAUSE_INJECTED, stage_ref(0, 0, 1, 0)));
    stage_fini(&st);
}

TEST(sim_output_discarded_is_gone)
{
    struct sim_stage st;
    stage_two(&st);
    st.cluster->faults.commit_lag_us = 1000;
    stage_start(&st);
    both_finish(&st);
    stage_ask(&st, DO_DISCARD_OUTPUT, a1);
    stage_ask(&st, DO_DISCARD_OUTPUT, a1); /* as asked */
    stage_ask(&st, DO_COMMIT, a1);
    stage_ask(&st, DO_COMMIT, a0);
    stage_ask(&st, DO_DISCARD_OUTPUT, a0);
    stage_ask(&st, DO_DISCARD_OUTPUT, stage_ref(0, 0, 1, 0));
    stage_launch(&st, stage_ref(0, 0, 1, 0), 0);
    stage_ask(&st, DO_DISCARD_OUTPUT, stage_ref(0, 0, 1, 0));
    expect(stage_wait(&st) == 1 && st.batch.count == 5);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_OUTPUT_GONE, a1));
    expect(stage_saw(&st, 1, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, a0));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, stage_ref(0, 0, 1, 0)));
    expect(stage_saw(&st, 4, EV_REFUSED, CAUSE_OUTPUT_GONE, stage_ref(0, 0, 1, 0)));
    expect(stage_wait(&st) == 1); /* the entry of the commit is stale */
    expect(stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 1, 0)));
    stage_fini(&st);
}

TEST(sim_output_is_lost_with_its_node)
{
    struct sim_stage st;
    stage_two(&st);
    st.cluster->faults.commit_lag_us = 1000;
    stage_start(&st);
    both_finish(&st);
    stage_ask(&st, DO_COMMIT, a0);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 3 && st.batch.now_us == 100);
    expect(st.batch.at[0].type == EV_NODE_DOWN && st.batch.at[0].node.v == 0);
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, a0));
    expect(stage_saw(&st, 2, EV_COMMIT_FAILED, CAUSE_OUTPUT_GONE, a0));
    stage_ask(&st, DO_COMMIT, a0);
    stage_ask(&st, DO_COMMIT, a1);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_REFUSED, CAUSE_OUTPUT_GONE, a0));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, a1));

    /* A committed one goes too, and its task may then be committed again. */
    sim_node_fails(st.sim, 1, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, a1));
    sim_node_returns(st.sim, 0);
    expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_NODE_UP);
    stage_launch(&st, stage_ref(0, 0, 0, 2), 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    stage_ask(&st, DO_COMMIT, stage_ref(0, 0, 0, 2));
    expect(stage_wait(&st) == 1);
    expect(stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, stage_ref(0, 0, 0, 2)));
    stage_fini(&st);
}

TEST(sim_output_of_a_leaf_survives_its_node)
{
    struct sim_stage st;
    stage_two(&st);
    stage_start(&st);
    struct attempt_ref reduce = stage_ref(0, 1, 0, 0);
    stage_launch(&st, reduce, 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 1);
    stage_ask(&st, DO_COMMIT, reduce);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_COMMITTED, CAUSE_NONE, reduce));
    stage_fini(&st);
}

TEST(sim_output_replica_keeps_it)
{
    struct sim_stage st;
    stage_two(&st);
    stage_start(&st);
    both_finish(&st);
    stage_replicate(&st, a0, 1);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 100, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, a0)); /* not committed */
    stage_ask(&st, DO_COMMIT, a0);
    stage_replicate(&st, a0, 1);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 1, EV_REPLICA_DONE, CAUSE_NONE, a0));
    expect(st.batch.at[1].node.v == 1);

    stage_replicate(&st, a0, 1); /* it is there */
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_REFUSED, CAUSE_ALREADY_ENDED, a0));

    /* A copy is left, and the brain hears which one is not. */
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_saw(&st, 1, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, a0));
    expect(st.batch.at[1].node.v == 0);
    stage_replicate(&st, a0, 0);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 100, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, a0));

    sim_node_fails(st.sim, 1, NODE_FAILS); /* the last copy, and the loser's output */
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, a0));
    expect(stage_saw(&st, 2, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, a1));
    stage_fini(&st);
}
