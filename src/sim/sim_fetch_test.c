/* sim_fetch_test.c - reads that take time. Links carry one byte in a microsecond, so that bytes are
 * microseconds. */
#include <string.h>

#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

/* `maps` tasks of 10 us with outputs of 100 bytes, and `reduces` tasks of 1000 us that read them;
 * nodes of two attempts. */
static void stage_shuffle(struct sim_stage *st, uint32_t nodes, uint32_t maps, uint32_t reduces,
                          struct edge_spec edge)
{
    struct stage_phase phases[] = {
        {.tasks = maps, .size_us = 10, .output_bytes = 100},
        {.tasks = reduces, .size_us = 1000, .reads = true, .edge = edge}};
    stage_init(st, nodes, 2);
    st->cluster->wires = (struct wires){.is_simulated = true,
                                        .up = 1000000,
                                        .down = 1000000,
                                        .disk = 500000,
                                        .oversubscription = 1};
    stage_job(st, 0, phases, 2);
}

static struct attempt_ref map(uint32_t task)
{
    return stage_ref(0, 0, task, 0);
}

static struct attempt_ref reduce(uint32_t task)
{
    return stage_ref(0, 1, task, 0);
}

/* Runs map t on node t / 2, one after the other. */
static void run_maps(struct sim_stage *st, uint32_t from, uint32_t to)
{
    for (uint32_t t = from; t < to; t++)
        stage_run(st, map(t), t / 2);
}

/* The same when all maps are committed; returns the time. */
static int64_t stage_mapped(struct sim_stage *st, uint32_t nodes, uint32_t maps, uint32_t reduces,
                            struct edge_spec edge)
{
    stage_shuffle(st, nodes, maps, reduces, edge);
    stage_start(st);
    run_maps(st, 0, maps);
    return st->batch.now_us;
}

/* Launches a reader without start-up, which begins to read at once. */
static void launch_reader(struct sim_stage *st, struct attempt_ref reader, uint32_t node,
                          struct attempt_ref source)
{
    stage_launch(st, reader, node);
    stage_read(st, reader, source);
    expect(stage_wait(st) == 1 && st->batch.count == 2);
    expect(stage_saw(st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, reader));
    expect(stage_saw(st, 1, EV_FETCH_STARTED, CAUSE_NONE, reader));
}

static const struct attempt_ref reduce_clone = {.phase = 1, .attempt = 1};

/* Launches the first reader and a clone of it on other nodes; both begin to read map 0. */
static void launch_race(struct sim_stage *st)
{
    stage_launch(st, reduce(0), 1);
    stage_launch(st, reduce_clone, 2);
    stage_read(st, reduce(0), map(0));
    stage_read(st, reduce_clone, map(0));
    expect(stage_wait(st) == 1 && st->batch.count == 4);
}

/* Nothing happens until then. */
static void wait_until(struct sim_stage *st, int64_t at_us)
{
    stage_timer(st, 1, at_us);
    expect(stage_wait(st) == 1 && st->batch.now_us == at_us && st->batch.count == 1);
    expect(st->batch.at[0].type == EV_TIMER);
}

/* The next batch is this one fetch event, so long after `from_us`. */
static bool next_fetch(struct sim_stage *st, int64_t from_us, int64_t after_us, uint8_t type,
                       struct attempt_ref reader, struct attempt_ref source)
{
    return stage_wait(st) == 1 && st->batch.now_us == from_us + after_us &&
           stage_saw(st, 0, type, type == EV_FETCH_FAILED ? CAUSE_OUTPUT_GONE : CAUSE_NONE,
                     reader) &&
           attempt_equal(st->batch.at[0].u.fetch.source, source);
}

static bool fetched(const struct sim_stage *st, uint32_t i, int64_t bytes, int64_t took_us)
{
    return st->batch.at[i].u.fetch.bytes == bytes && st->batch.at[i].u.fetch.took_us == took_us;
}

TEST(sim_fetch_life_is_start_up_read_work)
{
    struct sim_stage st;
    stage_shuffle(&st, 3, 4, 2, (struct edge_spec){0});
    st.cluster->luck.startup_us = 7;
    stage_start(&st);
    run_maps(&st, 0, 4);
    int64_t from = st.batch.now_us;
    stage_launch(&st, reduce(0), 2);
    stage_read(&st, reduce(0), stage_all);
    expect(stage_wait(&st) == 1 &&
           stage_only(&st, from, EV_ATTEMPT_STARTED, CAUSE_NONE, reduce(0)));
    /* Half of each of four outputs, through one link down. */
    expect(next_fetch(&st, from, 7, EV_FETCH_STARTED, reduce(0), stage_all));
    expect(next_fetch(&st, from, 207, EV_FETCH_DONE, reduce(0), stage_all) &&
           fetched(&st, 0, 200, 200));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 1207, EV_ATTEMPT_FINISHED, CAUSE_NONE, reduce(0)));
    expect(st.batch.at[0].u.use.wall_us == 1207 && st.batch.at[0].u.use.read_bytes == 200);
    stage_fini(&st);
}

TEST(sim_fetch_from_the_own_disk_goes_beside_the_links)
{
    struct sim_stage st;
    int64_t from = stage_mapped(&st, 3, 4, 2, (struct edge_spec){0});
    launch_reader(&st, reduce(0), 1, stage_all);
    /* 100 bytes from node 0 in 100 us, and 100 from the disk in 200. */
    expect(next_fetch(&st, from, 200, EV_FETCH_DONE, reduce(0), stage_all) &&
           fetched(&st, 0, 200, 200));
    stage_fini(&st);
}

/* Links that carry one byte, streams that carry a quarter: four of them fill the link, two do not.
 */
TEST(sim_fetch_has_so_many_streams_at_a_time)
{
    for (uint32_t streams = 0; streams <= 2; streams++) {
        struct sim_stage st;
        stage_shuffle(&st, 4, 4, 2, (struct edge_spec){0});
        st.cluster->wires.stream = 250000;
        st.cluster->wires.streams = streams;
        stage_start(&st);
        run_maps(&st, 0, 4);
        int64_t from = st.batch.now_us, took = streams ? 800 / streams : 200;
        launch_reader(&st, reduce(0), 2, stage_all);
        expect(next_fetch(&st, from, took, EV_FETCH_DONE, reduce(0), stage_all));
        expect(fetched(&st, 0, 200, took));
        /* One by one it is the same. */
        stage_ask(&st, DO_KILL, reduce(0));
        expect(stage_wait(&st) == 1);
        from = st.batch.now_us;
        stage_launch(&st, reduce(1), 3);
        for (uint32_t t = 0; t < 4; t++)
            stage_read(&st, reduce(1), map(t));
        expect(stage_wait(&st) == 1 && st.batch.count == 5);
        expect(stage_wait(&st) == 1 && st.batch.count == 4 && st.batch.now_us == from + took);
        expect(fetched(&st, 3, 50, took));
        stage_fini(&st);
    }
}

TEST(sim_fetch_readers_of_one_source_contend)
{
    struct sim_stage st;
    int64_t from = stage_mapped(&st, 4, 2, 2, (struct edge_spec){.pattern = EDGE_ONE_TO_ONE});
    launch_race(&st);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 200 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_FETCH_DONE, CAUSE_NONE, reduce(0)) && fetched(&st, 0, 100, 200));
    expect(stage_saw(&st, 1, EV_FETCH_DONE, CAUSE_NONE, reduce_clone) && fetched(&st, 1, 100, 200));
    stage_fini(&st);
}

TEST(sim_fetch_work_begins_with_the_last_of_single_reads)
{
    struct sim_stage st;
    int64_t from = stage_mapped(&st, 3, 3, 1, (struct edge_spec){0});
    launch_reader(&st, reduce(0), 2, map(0));
    expect(next_fetch(&st, from, 100, EV_FETCH_DONE, reduce(0), map(0)));
    stage_read(&st, reduce(0), map(0));
    stage_read(&st, reduce(0), map(1));
    stage_read(&st, reduce(0), map(1));
    stage_read(&st, reduce(0), stage_all); /* what is left: map 2 */
    stage_read(&st, reduce(0), map(2));
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 100 && st.batch.count == 5);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_ENDED, reduce(0)));
    expect(stage_saw(&st, 1, EV_FETCH_STARTED, CAUSE_NONE, reduce(0)));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_ALREADY_STARTED, reduce(0)));
    expect(stage_saw(&st, 3, EV_FETCH_STARTED, CAUSE_NONE, reduce(0)));
    expect(stage_saw(&st, 4, EV_REFUSED, CAUSE_ALREADY_STARTED, reduce(0)));
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 300 && st.batch.count == 2);
    expect(fetched(&st, 0, 100, 200) && fetched(&st, 1, 100, 200));
    stage_read(&st, reduce(0), stage_all);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 300);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_ENDED, reduce(0)));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 1300, EV_ATTEMPT_FINISHED, CAUSE_NONE, reduce(0)));
    stage_fini(&st);
}

TEST(sim_fetch_of_tasks_that_the_reader_does_not_need_is_refused)
{
    struct sim_stage st;
    stage_mapped(&st, 3, 5, 2, (struct edge_spec){.pattern = EDGE_MANY_TO_ONE});
    stage_launch(&st, reduce(1), 0);
    /* It needs two, three and four. */
    stage_read(&st, reduce(1), map(1));
    stage_read(&st, reduce(1), map(2));
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 1, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, reduce(1)));
    expect(stage_saw(&st, 2, EV_FETCH_STARTED, CAUSE_NONE, reduce(1)));
    stage_fini(&st);
}

TEST(sim_fetch_reads_what_is_finished_by_name_and_what_is_committed_by_all)
{
    struct sim_stage st;
    stage_shuffle(&st, 3, 1, 1, (struct edge_spec){0});
    stage_start(&st);
    stage_launch(&st, map(0), 0);
    stage_launch(&st, reduce(0), 1);
    stage_read(&st, reduce(0), map(0)); /* not finished */
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 2, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 10);
    stage_read(&st, reduce(0), stage_all); /* not committed */
    stage_read(&st, reduce(0), map(0));
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));
    expect(stage_saw(&st, 1, EV_FETCH_STARTED, CAUSE_NONE, reduce(0)));
    expect(next_fetch(&st, 10, 100, EV_FETCH_DONE, reduce(0), map(0)));
    stage_fini(&st);
}

TEST(sim_fetch_fails_with_its_source_and_keeps_what_has_arrived)
{
    struct sim_stage st;
    stage_shuffle(&st, 4, 5, 1, (struct edge_spec){0});
    st.cluster->wires.disk = 10000000;
    stage_start(&st);
    run_maps(&st, 0, 5); /* two outputs on node 0, two on node 1, one on node 2 */
    int64_t from = st.batch.now_us;
    launch_reader(&st, reduce(0), 0, stage_all);
    /* Those on node 0 are read in 20 us, the three others would be in 300. */
    wait_until(&st, from + 100);
    sim_node_fails(st.sim, 1, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 100 && st.batch.count == 4);
    expect(stage_saw(&st, 1, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, map(3)));
    expect(stage_saw(&st, 2, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));
    expect(fetched(&st, 2, 200, 100));
    expect(stage_saw(&st, 3, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, map(2)));
    stage_read(&st, reduce(0), map(1));
    stage_read(&st, reduce(0), stage_all);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_ENDED, reduce(0)));
    expect(stage_saw(&st, 1, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));

    /* The lost tasks run again on node 3, and the reader needs no more than the rest. */
    stage_run(&st, stage_ref(0, 0, 2, 1), 3);
    stage_run(&st, stage_ref(0, 0, 3, 1), 3);
    from = st.batch.now_us;
    stage_read(&st, reduce(0), stage_all);
    expect(next_fetch(&st, from, 0, EV_FETCH_STARTED, reduce(0), stage_all));
    expect(next_fetch(&st, from, 300, EV_FETCH_DONE, reduce(0), stage_all) &&
           fetched(&st, 0, 300, 300));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 1300, EV_ATTEMPT_FINISHED, CAUSE_NONE, reduce(0)));
    expect(st.batch.at[0].u.use.read_bytes == 500);
    stage_fini(&st);
}

TEST(sim_fetch_does_not_mind_the_loss_of_what_has_arrived)
{
    struct sim_stage st;
    stage_shuffle(&st, 3, 3, 1, (struct edge_spec){0});
    st.cluster->wires.disk = 100000; /* 0.1: the disk of node 1 is slow */
    stage_start(&st);
    run_maps(&st, 0, 3);
    int64_t from = st.batch.now_us;
    launch_reader(&st, reduce(0), 1, stage_all); /* 200 us from node 0, 1000 us from the own disk */
    wait_until(&st, from + 500);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 3); /* node_down and two output_lost */
    expect(next_fetch(&st, from, 1000, EV_FETCH_DONE, reduce(0), stage_all));
    expect(fetched(&st, 0, 300, 1000));
    stage_fini(&st);
}

/* The output before it and the one behind it are still to be read. */
TEST(sim_fetch_of_the_rest_does_not_need_what_has_arrived)
{
    struct sim_stage st;
    stage_shuffle(&st, 4, 3, 1, (struct edge_spec){0});
    stage_start(&st);
    for (uint32_t t = 0; t < 3; t++)
        stage_run(&st, map(t), t);
    launch_reader(&st, reduce(0), 3, map(1));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_FETCH_DONE, CAUSE_NONE, reduce(0)));
    sim_node_fails(st.sim, 1, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    int64_t from = st.batch.now_us;
    stage_read(&st, reduce(0), stage_all);
    expect(next_fetch(&st, from, 0, EV_FETCH_STARTED, reduce(0), stage_all));
    expect(next_fetch(&st, from, 200, EV_FETCH_DONE, reduce(0), stage_all));
    expect(fetched(&st, 0, 200, 200));
    stage_fini(&st);
}

TEST(sim_fetch_fails_when_its_source_is_discarded)
{
    struct sim_stage st;
    int64_t from = stage_mapped(&st, 3, 1, 1, (struct edge_spec){0});
    launch_reader(&st, reduce(0), 1, map(0));
    stage_ask(&st, DO_DISCARD_OUTPUT, map(0));
    expect(next_fetch(&st, from, 0, EV_FETCH_FAILED, reduce(0), map(0)));
    stage_read(&st, reduce(0), map(0));
    expect(next_fetch(&st, from, 0, EV_FETCH_FAILED, reduce(0), map(0)));
    stage_fini(&st);
}

TEST(sim_fetch_pending_fails_before_it_has_begun)
{
    struct sim_stage st;
    stage_shuffle(&st, 3, 1, 1, (struct edge_spec){0});
    st.cluster->luck.startup_us = 50;
    stage_start(&st);
    run_maps(&st, 0, 1);
    int64_t from = st.batch.now_us;
    stage_launch(&st, reduce(0), 1);
    stage_read(&st, reduce(0), stage_all);
    expect(stage_wait(&st) == 1 && st.batch.count == 1);
    sim_node_fails(st.sim, 0, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from && st.batch.count == 3);
    expect(stage_saw(&st, 2, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));
    stage_fini(&st);
}

TEST(sim_fetch_of_a_reader_that_ends_is_forgotten)
{
    struct sim_stage st;
    int64_t from = stage_mapped(&st, 4, 2, 2, (struct edge_spec){.pattern = EDGE_ONE_TO_ONE});
    launch_reader(&st, reduce(0), 1, map(0));
    wait_until(&st, from + 30);
    stage_ask(&st, DO_KILL, reduce(0));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 30, EV_ATTEMPT_KILLED, CAUSE_NONE, reduce(0)));
    expect(st.batch.at[0].u.use.read_bytes == 30);
    launch_reader(&st, reduce(1), 1, map(1));
    expect(next_fetch(&st, from, 130, EV_FETCH_DONE, reduce(1), map(1)));
    stage_fini(&st);
}

TEST(sim_fetch_with_slow_start_goes_on_as_outputs_come)
{
    struct sim_stage st;
    stage_shuffle(&st, 4, 4, 1, (struct edge_spec){.slowstart = 25});
    stage_start(&st);
    run_maps(&st, 0, 2);
    int64_t from = st.batch.now_us;
    launch_reader(&st, reduce(0), 3, stage_all);
    stage_run(&st, map(2), 1); /* at 10: while the first two are on their way, until 200 */
    /* The third follows from 200 to 300; then nothing is there until the fourth is. */
    wait_until(&st, from + 350);
    stage_run(&st, map(3), 2);
    expect(next_fetch(&st, from, 460, EV_FETCH_DONE, reduce(0), stage_all) &&
           fetched(&st, 0, 400, 400));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, from + 1460, EV_ATTEMPT_FINISHED, CAUSE_NONE, reduce(0)));
    stage_fini(&st);
}

TEST(sim_fetch_with_slow_start_fails_for_a_lost_output)
{
    struct sim_stage st;
    stage_shuffle(&st, 4, 4, 1, (struct edge_spec){.slowstart = 25});
    stage_start(&st);
    run_maps(&st, 0, 2);
    int64_t from = st.batch.now_us;
    launch_reader(&st, reduce(0), 3, stage_all);
    stage_run(&st, map(2), 1);
    expect(st.batch.now_us == from + 10);
    sim_node_fails(st.sim, 1, NODE_FAILS); /* its turn has not come */
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 2, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0)));
    stage_fini(&st);
}

/* Map 0 runs on node 0 and has a replica on node 1; one of them fails while it is read. Returns the
 * time at which the read began. */
static int64_t read_replica(struct sim_stage *st, uint32_t reader_node, uint32_t fails)
{
    stage_mapped(st, 4, 1, 1, (struct edge_spec){0});
    stage_replicate(st, map(0), 1);
    expect(stage_wait(st) == 1 && stage_saw(st, 0, EV_REPLICA_DONE, CAUSE_NONE, map(0)));
    int64_t from = st->batch.now_us;
    launch_reader(st, reduce(0), reader_node, stage_all);
    wait_until(st, from + 90);
    sim_node_fails(st->sim, fails, NODE_FAILS);
    expect(stage_wait(st) == 1 && st->batch.count == 2);
    expect(stage_saw(st, 1, EV_REPLICA_FAILED, CAUSE_NODE_DOWN, map(0)));
    return from;
}

TEST(sim_fetch_reads_the_nearest_replica_and_goes_on_from_another)
{
    struct sim_stage st;
    int64_t from = read_replica(&st, 1, 0); /* nobody reads from node 0 */
    expect(next_fetch(&st, from, 200, EV_FETCH_DONE, reduce(0), stage_all)); /* by disk */
    stage_fini(&st);

    from = read_replica(&st, 2, 1); /* the newest copy was the one being read */
    expect(next_fetch(&st, from, 190, EV_FETCH_DONE, reduce(0), stage_all));
    expect(fetched(&st, 0, 100, 190));
    stage_fini(&st);
}

TEST(sim_fetch_fails_when_the_job_is_over)
{
    struct sim_stage st;
    stage_mapped(&st, 3, 1, 1, (struct edge_spec){0});
    launch_reader(&st, reduce(0), 1, stage_all);
    stage_ask(&st, DO_JOB_FAILED, stage_ref(0, 0, 0, 0));
    stage_ask(&st, DO_KILL, reduce(0));
    expect(stage_wait(&st) == 1 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_FETCH_FAILED, CAUSE_JOB_OVER, reduce(0)));
    expect(stage_saw(&st, 1, EV_ATTEMPT_KILLED, CAUSE_NONE, reduce(0)));
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_fetch_of_nothing_takes_no_time)
{
    struct sim_stage st;
    struct stage_phase phases[] = {{.tasks = 2, .size_us = 10},
                                   {.tasks = 1, .size_us = 1000, .reads = true}};
    stage_init(&st, 3, 2);
    st.cluster->wires.is_simulated = true;
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    run_maps(&st, 0, 2);
    int64_t from = st.batch.now_us;
    stage_launch(&st, reduce(0), 1);
    stage_read(&st, reduce(0), stage_all);
    expect(stage_wait(&st) == 1 && st.batch.now_us == from && st.batch.count == 3);
    expect(stage_saw(&st, 1, EV_FETCH_STARTED, CAUSE_NONE, reduce(0)));
    expect(stage_saw(&st, 2, EV_FETCH_DONE, CAUSE_NONE, reduce(0)) && fetched(&st, 2, 0, 0));
    expect(stage_wait(&st) == 1 && st.batch.now_us == from + 1000);
    stage_fini(&st);
}

/* Nobody assigns anything: the run must not go on for ever, timers and reports or not. */
TEST(sim_fetch_a_reader_without_input_is_a_stall)
{
    for (int reports = 0; reports < 2; reports++) {
        struct sim_stage st;
        stage_shuffle(&st, 3, 1, 1, (struct edge_spec){0});
        st.reports = reports;
        st.cluster->faults.report_every_us = 1000;
        stage_start(&st);
        run_maps(&st, 0, 1);
        stage_launch(&st, reduce(0), 1);
        int answer = 1;
        for (uint32_t turn = 0; answer == 1 && turn < 300000; turn++)
            answer = stage_wait(&st);
        expect(answer == -1);
        expect(strstr(st.err.text, "phase 1 (phase): 1 of 1 tasks are waiting") != NULL);
        stage_fini(&st);
    }
}

/* One report in each row, and what it says if reading counts for half and for a quarter. */
static void expect_progress(double read_score, bool quarter)
{
    struct sim_stage st;
    stage_shuffle(&st, 3, 2, 1, (struct edge_spec){0});
    st.reports = true;
    st.cluster->faults.report_every_us = 150;
    st.cluster->wires.read_score = read_score;
    stage_start(&st);
    run_maps(&st, 0, 2);
    while (st.batch.now_us < 100) { /* reports of the maps are over */
        stage_timer(&st, 1, 100);
        expect(stage_wait(&st) == 1);
    }
    int64_t from = st.batch.now_us;
    stage_launch(&st, reduce(0), 2);
    stage_read(&st, reduce(0), stage_all);
    static const struct {
        int64_t at_us, done[2];
        uint8_t stage;
    } reports[] = {
        {100, {100, 50}, 0}, {300, {220, 130}, 2}, {400, {240, 160}, 2}, {1100, {380, 370}, 2}};
    uint32_t next = 0;
    do {
        expect(stage_wait(&st) == 1);
        const struct event *e = &st.batch.at[0];
        if (next == 4 || e->type != EV_ATTEMPT_PROGRESS ||
            st.batch.now_us != from + reports[next].at_us)
            continue;
        expect(e->u.progress.done == reports[next].done[quarter] && e->u.progress.total == 400);
        expect(e->u.progress.stage == reports[next].stage);
        next++;
    } while (st.batch.at[0].type != EV_ATTEMPT_FINISHED);
    expect(next == 4 && st.batch.now_us == from + 1200);
    stage_fini(&st);
}

TEST(sim_fetch_progress_is_half_reading_and_half_work_or_as_asked)
{
    expect_progress(0.5, false);
    expect_progress(0.25, true);
}

/* A reader with 10 us of work that reads for a second: not a report for each microsecond. And while
 * nothing is on its way it says nothing. */
TEST(sim_fetch_reports_are_few_and_stop_while_nothing_comes)
{
    struct sim_stage st;
    struct stage_phase phases[] = {{.tasks = 2, .size_us = 10, .output_bytes = 500000},
                                   {.tasks = 1, .size_us = 10, .reads = true}};
    stage_init(&st, 3, 2);
    st.cluster->wires = (struct wires){.is_simulated = true,
                                       .up = 1000000,
                                       .down = 1000000,
                                       .disk = 1000000,
                                       .oversubscription = 1,
                                       .read_score = 0.5};
    st.reports = true;
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    run_maps(&st, 0, 2);
    stage_launch(&st, reduce(0), 2);
    expect(stage_wait(&st) == 1);
    int64_t from = st.batch.now_us;
    uint32_t early = 0, late = 0;
    stage_timer(&st, 1, 1000000);
    while (st.batch.now_us < 1000000) {
        expect(stage_wait(&st) == 1);
        early += st.batch.at[0].type == EV_ATTEMPT_PROGRESS;
    }
    stage_read(&st, reduce(0), stage_all);
    while (st.batch.at[0].type != EV_ATTEMPT_FINISHED) {
        expect(stage_wait(&st) == 1);
        late += st.batch.at[0].type == EV_ATTEMPT_PROGRESS && st.batch.at[0].u.progress.done > 0;
    }
    expect(early == 0 && late >= 5 && late <= 20);
    expect(st.batch.now_us == 2000010 && from < 100);
    stage_fini(&st);
}

/* Forty-eight outputs on as many nodes, of a rack of fifty: one wide flow, and the own disk. */
TEST(sim_fetch_of_very_many_outputs)
{
    struct sim_stage st;
    stage_shuffle(&st, 50, 48, 2, (struct edge_spec){0});
    stage_start(&st);
    for (uint32_t t = 0; t < 48; t++)
        stage_run(&st, map(t), t);
    int64_t from = st.batch.now_us;
    stage_launch(&st, reduce(0), 49);
    stage_launch(&st, reduce(1), 0);
    stage_read(&st, reduce(0), stage_all);
    stage_read(&st, reduce(1), stage_all);
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(next_fetch(&st, from, 47 * 50, EV_FETCH_DONE, reduce(1), stage_all));
    expect(next_fetch(&st, from, 48 * 50, EV_FETCH_DONE, reduce(0), stage_all));
    expect(fetched(&st, 0, 2400, 2400));
    launch_reader(&st, reduce_clone, 48, stage_all);
    sim_node_fails(st.sim, 17, NODE_FAILS);
    expect(stage_wait(&st) == 1 && st.batch.count == 3);
    expect(stage_saw(&st, 2, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce_clone));
    stage_fini(&st);
}

/* Forty-eight nodes of a rack are one wide flow, which fills the link between the racks; what lies
 * in the reader's own rack has long arrived. A node that fails takes along what still flows from
 * it, and nothing else. */
TEST(sim_fetch_has_what_flows_from_a_node_no_more)
{
    enum { FAR = 48, NODES = FAR + 4, REDUCES = 90 };
    for (int far = 0; far < 2; far++) {
        struct sim_stage st;
        struct stage_phase phases[] = {
            {.tasks = FAR + 1, .size_us = 10, .output_bytes = 100 * REDUCES},
            {.tasks = REDUCES, .size_us = 1000, .reads = true}};
        stage_init(&st, NODES, 2);
        st.cluster->wires = (struct wires){.is_simulated = true,
                                           .up = 1000000,
                                           .down = 1000000,
                                           .disk = 500000,
                                           .oversubscription = 16};
        uint32_t near = cluster_add_rack(st.cluster, "near");
        for (uint32_t i = FAR; i < NODES; i++)
            st.cluster->nodes[i].rack = near;
        stage_job(&st, 0, phases, 2);
        stage_start(&st);
        for (uint32_t t = 0; t <= FAR; t++)
            stage_run(&st, map(t), t);
        int64_t from = st.batch.now_us;
        launch_reader(&st, reduce(0), NODES - 1, stage_all);
        wait_until(&st, from + 1000);
        sim_node_fails(st.sim, far ? 17 : FAR, NODE_FAILS);
        expect(stage_wait(&st) == 1);
        bool lost = false, failed = false;
        for (uint32_t i = 0; i < st.batch.count; i++) {
            lost |= stage_saw(&st, i, EV_OUTPUT_LOST, CAUSE_NODE_DOWN, map(far ? 17 : FAR));
            failed |= stage_saw(&st, i, EV_FETCH_FAILED, CAUSE_OUTPUT_GONE, reduce(0));
        }
        expect(lost && failed == far);
        stage_fini(&st);
    }
}
