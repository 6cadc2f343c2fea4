#include "sim/sim_read.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

/* Two racks of two nodes at 1 MB/s, racks 2:1, so a rack's links carry 1 MB/s; a map of 10 MB on
 * node 0 that a reduce on node 2 reads. */
static void stage_racks(struct sim_stage *st)
{
    static const struct stage_phase phases[] = {
        {.tasks = 1, .size_us = STAGE_S, .output_bytes = 10 * 1000 * 1000},
        {.tasks = 1, .size_us = STAGE_S, .reads = true}};
    stage_init(st, 4, 1);
    cluster_add_rack(st->cluster, "r1");
    st->cluster->nodes[2].rack = st->cluster->nodes[3].rack = 1;
    st->cluster->wires = (struct wires){.is_simulated = true,
                                        .up = 1000000,
                                        .down = 1000000,
                                        .disk = 1000000,
                                        .oversubscription = 2};
    st->cluster->faults.report_every_us = 4 * STAGE_S;
    stage_job(st, 0, phases, 2);
    st->samples = true;
}

static bool sampled(const struct event *e, uint32_t node, uint32_t to, int64_t bytes)
{
    return e->type == EV_LINK_SAMPLE && e->node.v == node && e->u.link.to.v == to &&
           e->u.link.bytes == bytes && e->u.link.took_us == STAGE_S;
}

TEST(sim_sample_tells_links_at_first_and_when_they_change)
{
    struct sim_stage st;
    stage_racks(&st);
    stage_start(&st);
    expect(st.batch.count == 9); /* nodes, links of racks, the job */
    uint32_t none = NODE_NONE.v;
    uint32_t first = 4;
    while (first < st.batch.count && st.batch.at[first].type != EV_LINK_SAMPLE)
        first++;
    expect(sampled(&st.batch.at[first], 0, none, 1000000));
    expect(sampled(&st.batch.at[first + 1], none, 0, 1000000));
    expect(sampled(&st.batch.at[first + 2], 2, none, 1000000));
    expect(sampled(&st.batch.at[first + 3], none, 2, 1000000));

    stage_run(&st, stage_ref(0, 0, 0, 0), 0); /* until 1 s */
    struct attempt_ref reader = stage_ref(0, 1, 0, 0);
    stage_launch(&st, reader, 2);
    stage_read(&st, reader, stage_all);
    expect(stage_wait(&st) == 1); /* committed, started, reading: 10 s from 1 s on */
    expect(stage_wait(&st) == 1 && st.batch.now_us == 4 * STAGE_S && st.batch.count == 2);
    expect(sampled(&st.batch.at[0], 0, none, 500000)); /* full: half */
    expect(sampled(&st.batch.at[1], none, 2, 500000));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 11 * STAGE_S); /* nothing new at 8 s */
    expect(stage_saw(&st, 0, EV_FETCH_DONE, CAUSE_NONE, reader));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 12 * STAGE_S);
    bool free = false;
    for (uint32_t i = 0; i < st.batch.count; i++)
        free |= sampled(&st.batch.at[i], 0, none, 1000000);
    expect(free);
    stage_fini(&st);
}

TEST(sim_sample_is_told_only_where_asked_for)
{
    struct sim_stage st;
    stage_racks(&st);
    st.samples = false;
    stage_start(&st);
    expect(st.batch.count == 5);
    stage_fini(&st);
}

/* When nobody has hope any more samples stop; what wakes them starts one row of them, and no more.
 */
TEST(sim_sample_wakes_once)
{
    struct sim_stage st;
    stage_racks(&st);
    stage_start(&st);
    struct sim *s = st.sim;
    uint64_t queued = timeq_count(s->queue);
    s->sample_asleep = true;
    sim_sample_wake(s);
    sim_sample_wake(s);
    expect(timeq_count(s->queue) == queued + 1);
    stage_fini(&st);
}
