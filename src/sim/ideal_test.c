/* The ideal worlds by hand. */
#include "sim/ideal.h"

#include <string.h>

#include "base/rng.h"
#include "inputs/workload/recorded.h"
#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

#define S STAGE_S

/* Four tasks whose first attempts take 1, 2, 6 and 10 s; a second one of each takes 50 s. */
static const uint32_t from[] = {0, 2, 4, 6, 8};
static const int64_t times[] = {1 * S, 50 * S, 2 * S, 50 * S, 6 * S, 50 * S, 10 * S, 50 * S};

static double measure(enum ideal i, const int64_t *bytes)
{
    struct cluster *c = cluster_plain(3, 1);
    struct phase_spec spec = {.tasks = 4, .input_each = bytes};
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    double m = ideal_measure(i, c, 1, (struct job_id){0}, 0, &spec, &truth, 0);
    cluster_destroy(c);
    return m;
}

TEST(ideal_times_of_a_phase_by_hand)
{
    expect(measure(IDEAL_NOSKEW, NULL) == 2 * S);   /* the second of four */
    expect(measure(IDEAL_CHOPTAIL, NULL) == 3 * S); /* without the 10: (1 + 2 + 6) / 3 */
    /* .1, .1, .2 and .25 s per byte: the median is .1, and each task takes that times its bytes. */
    int64_t bytes[] = {10, 20, 30, 40};
    double rate = measure(IDEAL_MEDIAN_RATE, bytes);
    struct phase_spec spec = {.tasks = 4, .input_each = bytes};
    for (uint32_t t = 0; t < 4; t++)
        expect(ideal_task_us(IDEAL_MEDIAN_RATE, rate, &spec, t) == (t + 1) * S);
    expect(ideal_task_us(IDEAL_NOSKEW, 2 * S, &spec, 3) == 2 * S);
}

/* By luck no task of the four is slower than the second; by size none than its own faster attempt:
 * here the first ones, but for the last task, whose second attempt takes 5 s. */
TEST(ideal_no_stragglers_depends_on_why_tasks_differ)
{
    static const int64_t own[] = {1 * S, 50 * S, 2 * S, 50 * S, 6 * S, 50 * S, 10 * S, 5 * S};
    struct phase_spec spec = {.tasks = 4};
    struct phase_truth truth = {.attempt_from = from, .attempts = own, .vary = RECORDED_LUCK};
    expect(ideal_most_us(2 * S, &spec, &truth, 0) == 2 * S);
    expect(ideal_most_us(2 * S, &spec, &truth, 3) == 2 * S);
    truth.vary = RECORDED_SIZE;
    expect(ideal_most_us(2 * S, &spec, &truth, 0) == 1 * S);
    expect(ideal_most_us(2 * S, &spec, &truth, 3) == 5 * S);
}

TEST(ideal_choptail_leaves_a_quarter_out_and_no_more)
{
    struct cluster *c = cluster_plain(1, 1);
    int64_t sizes[] = {1 * S, 1 * S, 4 * S};
    struct phase_spec spec = {.tasks = 3};
    struct phase_truth truth = {.size_each = sizes};
    /* A quarter of three is none; of one neither. */
    expect(ideal_measure(IDEAL_CHOPTAIL, c, 1, (struct job_id){0}, 0, &spec, &truth, 0) == 2 * S);
    spec.tasks = 1;
    expect(ideal_measure(IDEAL_CHOPTAIL, c, 1, (struct job_id){0}, 0, &spec, &truth, 0) == 1 * S);
    cluster_destroy(c);
}

/* A task of 1 s on a node that is drawn for it, as placement would draw that of a first attempt. */
TEST(ideal_measures_tasks_on_nodes_that_are_drawn_for_them)
{
    enum { NODES = 7 };
    struct cluster *c = cluster_plain(NODES, 1);
    struct phase_spec spec = {.tasks = 1};
    struct phase_truth truth = {.size_us = 1 * S};
    bool used[NODES] = {false};

    for (uint32_t i = 0; i < NODES; i++)
        c->nodes[i].speed = 1.0 / (1 << i); /* 1, 2, 4, ... s */
    for (uint32_t job = 0; job < 50; job++) {
        struct rng r = rng_stream(5, RNG_PLACE, job, 3, 0, 0);
        uint32_t node = (uint32_t)rng_below(&r, NODES);
        double us = ideal_measure(IDEAL_NOSKEW, c, 5, (struct job_id){job}, 3, &spec, &truth, 0);
        expect(us == (double)(S << node));
        used[node] = true;
    }
    for (uint32_t i = 0; i < NODES; i++)
        expect(used[i]);
    cluster_destroy(c);
}

/* When an attempt of the fourth task ends that was launched at 0. */
static int64_t ends_us(enum ideal ideal, uint16_t attempt)
{
    struct sim_stage st;
    stage_init(&st, 2, 4);
    struct stage_phase phase = {.tasks = 4, .attempt_from = from, .attempts = times};
    stage_job(&st, 0, &phase, 1);
    st.ideal = ideal;
    stage_start(&st);
    for (uint16_t a = 0; a <= attempt; a++)
        stage_launch(&st, stage_ref(0, 0, 3, a), a);
    int64_t end_us = -1;
    while (end_us < 0 && stage_wait(&st) == 1)
        for (uint32_t i = 0; i < st.batch.count; i++)
            if (st.batch.at[i].type == EV_ATTEMPT_FINISHED && st.batch.at[i].at.attempt == attempt)
                end_us = st.batch.now_us;
    stage_fini(&st);
    return end_us;
}

TEST(ideal_attempts_take_the_same_time_whatever_their_number)
{
    expect(ends_us(IDEAL_NONE, 0) == 10 * S && ends_us(IDEAL_NONE, 1) == 50 * S);
    expect(ends_us(IDEAL_NOSKEW, 0) == 2 * S && ends_us(IDEAL_NOSKEW, 1) == 2 * S);
    expect(ends_us(IDEAL_CHOPTAIL, 0) == 3 * S);
    expect(ends_us(IDEAL_NO_BAD_LUCK, 1) == 50 * S); /* given times are not luck */
    expect(ends_us(IDEAL_NO_STRAGGLERS, 0) == 10 * S && ends_us(IDEAL_NO_STRAGGLERS, 1) == 10 * S);
}

/* How long attempt `attempt` of the first of three tasks takes; sizes are 1, 2 and 4 s. */
static int64_t further_us(struct luck luck, uint64_t seed, uint16_t attempt)
{
    static const int64_t sizes[] = {1 * S, 2 * S, 4 * S};
    struct cluster *c = cluster_plain(1, 1);
    struct phase_spec spec = {.tasks = 3};
    struct phase_truth truth = {.size_each = sizes};
    c->luck = luck;
    struct luck_plan plan = ideal_plan_real(c, seed, stage_ref(0, 0, 0, attempt),
                                            (struct node_id){0}, 1, &spec, &truth, 0);
    cluster_destroy(c);
    return luck_life_us(&plan);
}

TEST(ideal_further_attempts_take_the_time_of_any_task_of_the_phase)
{
    struct luck own = {.further = FURTHER_SIZE}, any = {.further = FURTHER_TASK};
    uint32_t took[5] = {0};
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        expect(further_us(any, seed, 0) == 1 * S); /* the first one is the task's own */
        expect(further_us(own, seed, 1) == 1 * S);
        int64_t s = further_us(any, seed, 1) / S;
        expect(s == 1 || s == 2 || s == 4);
        took[s <= 4 ? s : 0]++;
    }
    for (int s = 1; s <= 4; s *= 2)
        expect(took[s] > 900 && took[s] < 1100); /* a third each, five deviations wide */
    expect(further_us(any, 5, 1) == further_us(any, 5, 1));
}

/* The time is the other task's as it was, bad luck and all. */
TEST(ideal_further_attempts_take_the_luck_along)
{
    struct luck any = {.noise = 0.5, .further = FURTHER_TASK};
    struct cluster *c = cluster_plain(1, 1);
    struct phase_spec spec = {.tasks = 3};
    struct phase_truth truth = {.size_us = 1 * S};
    c->luck = any;
    for (uint16_t attempt = 1; attempt < 20; attempt++) {
        bool found = false;
        struct luck_plan is = ideal_plan_real(c, 1, stage_ref(0, 0, 1, attempt),
                                              (struct node_id){0}, 1, &spec, &truth, 0);
        for (uint32_t t = 0; t < 3; t++) {
            struct luck_plan of = ideal_plan_real(c, 1, stage_ref(0, 0, t, 0), (struct node_id){0},
                                                  1, &spec, &truth, 0);
            found |= of.work_us == is.work_us;
        }
        expect(found);
    }
    cluster_destroy(c);
}

/* What the workload says of this very attempt is true; beyond that it is drawn. */
TEST(ideal_further_attempts_keep_the_times_that_are_given)
{
    struct cluster *c = cluster_plain(1, 1);
    struct phase_spec spec = {.tasks = 4};
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    c->luck.further = FURTHER_TASK;
    struct luck_plan given =
        ideal_plan_real(c, 1, stage_ref(0, 0, 0, 1), (struct node_id){0}, 1, &spec, &truth, 0);
    struct luck_plan drawn =
        ideal_plan_real(c, 1, stage_ref(0, 0, 0, 2), (struct node_id){0}, 1, &spec, &truth, 0);
    expect(given.work_us == 50 * S && drawn.work_us <= 10 * S);
    cluster_destroy(c);
}

/* Only the first task of two has a recorded time. Whichever is drawn, its own time counts: the
 * recorded one or that of its size, for further attempts of both. */
TEST(ideal_further_attempts_take_what_is_given_of_the_task_that_is_drawn)
{
    static const uint32_t first_only[] = {0, 1, 1};
    static const int64_t seven[] = {7 * S};
    struct cluster *c = cluster_plain(1, 1);
    struct phase_spec spec = {.tasks = 2};
    struct phase_truth truth = {.attempt_from = first_only, .attempts = seven, .size_us = S};
    c->luck.further = FURTHER_TASK;
    for (uint32_t task = 0; task < 2; task++) {
        uint32_t recorded = 0, sized = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            struct luck_plan plan = ideal_plan_real(c, seed, stage_ref(0, 0, task, 1),
                                                    (struct node_id){0}, 1, &spec, &truth, 0);
            recorded += luck_life_us(&plan) == 7 * S;
            sized += luck_life_us(&plan) == S;
        }
        expect(recorded + sized == 100 && recorded >= 30 && sized >= 30);
    }
    cluster_destroy(c);
}

TEST(ideal_world_without_bad_luck_keeps_the_rest)
{
    struct cluster *c = cluster_plain(2, 1);
    c->luck.stall_p = 0.5;
    c->luck.slow_p = 0.5;
    c->luck.pareto = 1.5;
    c->luck.noise = 0.2;
    c->luck.startup_us = 7;
    c->wires.oversubscription = 10;
    ideal_cluster(IDEAL_NO_BAD_LUCK, c);
    expect(c->luck.stall_p == 0 && c->luck.slow_p == 0 && c->luck.pareto == 0);
    expect(c->luck.noise == 0.2 && c->luck.startup_us == 7 && c->wires.oversubscription == 10);
    ideal_cluster(IDEAL_REDUCE, c);
    expect(c->wires.oversubscription == 1);
    cluster_destroy(c);
}

TEST(ideal_recompute_loses_no_output)
{
    for (int spared = 0; spared < 2; spared++) {
        struct sim_stage st;
        stage_init(&st, 2, 1);
        st.ideal = spared ? IDEAL_RECOMPUTE : IDEAL_NONE;
        struct stage_phase phases[] = {{.tasks = 1, .size_us = 100}, {.tasks = 1, .reads = true}};
        stage_job(&st, 0, phases, 2);
        stage_start(&st);
        struct attempt_ref map = stage_ref(0, 0, 0, 0), reader = stage_ref(0, 1, 0, 0);
        stage_run(&st, map, 0);
        sim_node_fails(st.sim, 0, NODE_FAILS);
        expect(stage_wait(&st) == 1);
        expect(st.batch.count == (spared ? 1 : 2)); /* node_down, and output_lost */
        stage_launch(&st, reader, 1);
        stage_read(&st, reader, stage_all);
        expect(stage_wait(&st) == 1);
        bool got = false;
        for (uint32_t i = 0; i < st.batch.count; i++)
            got |= st.batch.at[i].type == EV_FETCH_DONE;
        expect(got == spared);
        stage_fini(&st);
    }
}

TEST(ideal_names_are_read_back)
{
    struct err err;
    for (int i = IDEAL_NONE + 1; i < IDEAL_COUNT; i++) {
        enum ideal out = IDEAL_NONE;
        expect(ideal_parse(ideal_name((enum ideal)i), &out, &err) == 0 && (int)out == i);
    }
    enum ideal out;
    expect(ideal_parse("none", &out, &err) < 0 && strstr(err.text, "noskew+choptail"));
}
