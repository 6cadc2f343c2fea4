#include "sim/sim_attempt.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

static struct attempt_ref map(uint32_t task)
{
    return stage_ref(0, 0, task, 0);
}

/* Three nodes, and a job of three maps of 1 MB and a reduce; map t runs on node t and is committed
 * at 1 s. */
static void stage_maps(struct sim_stage *st, bool network)
{
    static const struct stage_phase phases[] = {
        {.tasks = 3, .size_us = STAGE_S, .output_bytes = 1000 * 1000},
        {.tasks = 1, .size_us = STAGE_S, .reads = true}};
    stage_init(st, 3, 2);
    if (network)
        st->cluster->wires = (struct wires){.is_simulated = true,
                                            .up = 1000000,
                                            .down = 1000000,
                                            .disk = 1000000,
                                            .oversubscription = 1};
    st->cluster->faults.lose_window_us = 1000 * STAGE_S;
    st->cluster->faults.lose_share = 1;
    stage_job(st, 0, phases, 2);
    stage_start(st);
    for (uint32_t t = 0; t < 3; t++)
        stage_launch(st, map(t), t);
    expect(stage_wait(st) == 1 && stage_wait(st) == 1 && st->batch.count == 6);
    for (uint32_t t = 0; t < 3; t++)
        stage_ask(st, DO_COMMIT, map(t));
    expect(stage_wait(st) == 1 && st->batch.count == 3);
}

static const struct attempt_ref reader = {.phase = 1};

static void spoils_until(struct sim *s, uint32_t node, int64_t until_us)
{
    if (!s->spoils)
        s->spoils = mem_zalloc(s->cluster->node_count, sizeof *s->spoils);
    s->spoils[node].until_us = until_us;
}

/* All outputs of the node are gone, now. */
static void spoil(struct sim_stage *st, uint32_t node)
{
    struct sim *s = st->sim;
    spoils_until(s, node, INT64_MAX); /* and none is safe there any more */
    for (uint32_t i = s->nodes[node].first; i != NO_ATTEMPT; i = s->links.at[i].next)
        sim_output_rot(s, i);
}

/* Two outputs are spoilt: nothing is told until one is read, and then only the first is. */
static void losses_come_one_by_one(bool network)
{
    struct sim_stage st;
    stage_maps(&st, network);
    spoil(&st, 1);
    spoil(&st, 2);
    stage_launch(&st, reader, 0);
    stage_read(&st, reader, stage_all);
    expect(stage_wait(&st) == 1);
    uint32_t lost = 0, failed = 0;
    for (uint32_t i = 0; i < st.batch.count; i++) {
        lost += stage_saw(&st, i, EV_OUTPUT_LOST, CAUSE_OUTPUT_GONE, map(1));
        failed += stage_saw(&st, i, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reader);
        expect(st.batch.at[i].at.task != 2);
    }
    expect(lost == 1 && failed == 1 && st.batch.now_us == STAGE_S);
    stage_fini(&st);
}

TEST(sim_spoil_is_told_one_output_at_a_time)
{
    losses_come_one_by_one(true);
    losses_come_one_by_one(false);
}

/* Two attempts of a map have finished, and the second one was committed: what is read without a
 * name is that one, and what is read by name is the one that is named. */
TEST(sim_spoil_is_of_the_attempt_that_is_read)
{
    static const struct stage_phase phases[] = {
        {.tasks = 1, .size_us = STAGE_S, .output_bytes = 1000},
        {.tasks = 1, .size_us = STAGE_S, .reads = true}};
    const struct attempt_ref second = stage_ref(0, 0, 0, 1);
    for (int named = 0; named < 2; named++) {
        struct sim_stage st;
        stage_init(&st, 3, 1);
        st.cluster->faults.lose_window_us = 1000 * STAGE_S;
        st.cluster->faults.lose_share = 1;
        stage_job(&st, 0, phases, 2);
        stage_start(&st);
        stage_launch(&st, map(0), 0);
        stage_launch(&st, second, 1);
        expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.count == 4);
        stage_ask(&st, DO_COMMIT, second);
        expect(stage_wait(&st) == 1);
        spoil(&st, 1);
        stage_launch(&st, reader, 2);
        stage_read(&st, reader, named ? map(0) : stage_all);
        expect(stage_wait(&st) == 1);
        uint32_t lost = 0, failed = 0;
        for (uint32_t i = 0; i < st.batch.count; i++) {
            lost += stage_saw(&st, i, EV_OUTPUT_LOST, CAUSE_OUTPUT_GONE, second);
            failed += st.batch.at[i].type == EV_FETCH_FAILED;
        }
        expect(lost == !named && failed == !named);
        stage_fini(&st);
    }
}

/* With a replica the read goes on from there, and which copy is gone is told. */
static void replica_is_read(bool network)
{
    struct sim_stage st;
    stage_maps(&st, network);
    stage_replicate(&st, map(1), 2);
    if (network) { /* 1 MB at 1 MB/s */
        expect(stage_wait(&st) == 1 && st.batch.now_us == 2 * STAGE_S);
        expect(stage_only(&st, 2 * STAGE_S, EV_REPLICA_DONE, CAUSE_NONE, map(1)));
    } else {
        expect(stage_wait(&st) == 1);
        expect(stage_only(&st, STAGE_S, EV_REPLICA_DONE, CAUSE_NONE, map(1)));
    }
    int64_t now_us = st.batch.now_us;
    spoil(&st, 1);
    spoil(&st, 2);                /* map 2 goes, and so does the replica of map 1 */
    stage_launch(&st, reader, 1); /* reads map 1 on its own node first */
    stage_read(&st, reader, stage_all);
    expect(stage_wait(&st) == 1 && st.batch.now_us == now_us);
    uint32_t copy = 0, lost = 0;
    for (uint32_t i = 0; i < st.batch.count; i++) {
        copy += stage_saw(&st, i, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, map(1));
        lost += st.batch.at[i].type == EV_OUTPUT_LOST;
    }
    /* With a network the reader goes on to the replica at once, and loses that, too. */
    expect(copy == 1 && lost == (network ? 2 : 1));
    stage_fini(&st);
}

TEST(sim_spoil_leaves_replicas_to_read)
{
    replica_is_read(true);
    replica_is_read(false);
}

TEST(sim_spoil_takes_what_comes_until_the_window_ends)
{
    struct sim_stage st;
    stage_maps(&st, true);
    spoils_until(st.sim, 2, 2 * STAGE_S + 1); /* the copy comes in its last microsecond */
    stage_replicate(&st, map(0), 2);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_REPLICA_DONE, CAUSE_NONE, map(0)));
    stage_launch(&st, reader, 2); /* nearest first */
    stage_read(&st, reader, stage_all);
    uint32_t gone = 0;
    expect(stage_wait(&st) == 1);
    for (uint32_t i = 0; i < st.batch.count; i++)
        gone += stage_saw(&st, i, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, map(0));
    expect(gone == 1);
    stage_fini(&st);
}

/* A copy under way fails with its source, with its target, and with its job. */
TEST(sim_copy_fails_with_its_ends)
{
    struct sim_stage st;
    stage_maps(&st, true);
    stage_replicate(&st, map(0), 1);
    stage_replicate(&st, map(0), 1);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, STAGE_S, EV_REFUSED, CAUSE_ALREADY_STARTED, map(0)));
    stage_replicate(&st, map(1), 2);
    sim_node_fails(st.sim, 1, NODE_FAILS); /* the target of one and the source of the other */
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, map(1)));
    expect(stage_saw(&st, 2, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, map(1)));
    expect(stage_saw(&st, 3, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, map(0)));
    stage_replicate(&st, map(0), 2);
    stage_ask(&st, DO_JOB_FAILED, map(0));
    expect(stage_wait(&st) == 1);
    expect(stage_saw(&st, 0, EV_REPLICA_FAILED, CAUSE_JOB_OVER, map(0)));
    stage_fini(&st);
}

TEST(sim_spoil_finds_out_when_it_copies)
{
    struct sim_stage st;
    stage_maps(&st, true);
    stage_replicate(&st, map(0), 1);
    spoil(&st, 0); /* while it is copied */
    expect(stage_wait(&st) == 1 && st.batch.now_us == 2 * STAGE_S && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, map(0)));
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_OUTPUT_GONE, map(0)));
    stage_fini(&st);
}

/* About lose x windows bad ones, each with about lose_share of its outputs. */
TEST(sim_spoil_follows_its_probabilities)
{
    struct sim_stage st;
    static const struct stage_phase phases[] = {
        {.tasks = 400, .size_us = STAGE_S, .output_bytes = 10},
        {.tasks = 1, .size_us = STAGE_S, .reads = true}};
    stage_init(&st, 400, 1);
    for (uint32_t i = 0; i < 400; i++)
        st.cluster->nodes[i].lose = 0.25;
    st.cluster->faults.lose_window_us = 100 * STAGE_S;
    st.cluster->faults.lose_share = 0.5;
    stage_job(&st, 0, phases, 2);
    stage_job(&st, 100 * STAGE_S, phases, 2);
    stage_start(&st);
    for (uint32_t t = 0; t < 400; t++)
        stage_launch(&st, map(t), t);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    for (uint32_t t = 0; t < 400; t++)
        stage_ask(&st, DO_COMMIT, map(t));
    expect(stage_wait(&st) == 1);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 100 * STAGE_S);
    uint32_t spoilt = sim_phase_of(st.sim, map(0))->spoilt;
    expect(spoilt > 30 && spoilt < 70); /* 400 / 4 / 2, sigma 6.6 */
    stage_fini(&st);
}

/* The output of the first map is spoilt in half of its parts: the first of two reducers meets that
 * in about half of all worlds, and reads it in the others; what is not spoilt it reads in all. */
TEST(sim_spoil_of_a_part_is_met_by_its_reader_alone)
{
    static const struct stage_phase phases[] = {
        {.tasks = 3, .size_us = STAGE_S, .output_bytes = 1000 * 1000},
        {.tasks = 2, .size_us = STAGE_S, .reads = true}};
    uint32_t lost = 0, done = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_stage st;
        stage_init(&st, 3, 2);
        st.seed = seed;
        st.cluster->faults.lose_window_us = 1000 * STAGE_S;
        st.cluster->faults.lose_parts = 0.5;
        stage_job(&st, 0, phases, 2);
        stage_start(&st);
        for (uint32_t t = 0; t < 3; t++)
            stage_launch(&st, map(t), t);
        expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
        for (uint32_t t = 0; t < 3; t++)
            stage_ask(&st, DO_COMMIT, map(t));
        expect(stage_wait(&st) == 1);
        spoil(&st, 0);
        stage_launch(&st, reader, 0);
        stage_read(&st, reader, map(0));
        stage_read(&st, reader, map(1));
        expect(stage_wait(&st) == 1);
        for (uint32_t i = 0; i < st.batch.count; i++) {
            lost += stage_saw(&st, i, EV_OUTPUT_LOST, CAUSE_OUTPUT_GONE, map(0));
            done += st.batch.at[i].type == EV_FETCH_DONE;
            expect(st.batch.at[i].type != EV_OUTPUT_LOST || st.batch.at[i].at.task == 0);
        }
        stage_fini(&st);
    }
    expect(lost > 60 && lost < 140 && done == 400 - lost);
}
