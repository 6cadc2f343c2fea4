#include <math.h>

#include "core/model/reason.h"
#include "record/stats/phase_facts.h"
#include "tests/unit/test.h"

enum { SECOND = 1000000, TASKS = 10 };

/* A run told by hand: each call is one turn with one event or one decision. */
struct phases_told {
    struct follow *follow;
    struct phase_times *p;
};

static void tell(struct phases_told *st, double at_s, const struct event *e,
                 const struct decision *d)
{
    struct turn turn = {(int64_t)(at_s * SECOND), e, d, e ? 1 : 0, d ? 1 : 0, NULL};
    struct tap tap = follow_tap(st->follow);
    struct err err;
    expect(tap.turn(tap.ctx, &turn, &err) == 0);
}

static struct phases_told begin(void)
{
    struct phases_told st = {.follow = follow_create(0, 0)};
    st.p = phase_times_create(st.follow);
    for (uint32_t i = 0; i < 4; i++) {
        struct event up = {.type = EV_NODE_UP, .node = {i}};
        up.u.node.rack = i / 2;
        tell(&st, 0, &up, NULL);
    }
    return st;
}

static struct attempt_ref ref(uint32_t job, uint16_t phase, uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){{job}, task, phase, attempt};
}

static void launch(struct phases_told *st, double at_s, struct attempt_ref at, uint8_t kind,
                   uint32_t node)
{
    struct decision d = {.type = DO_LAUNCH, .kind = kind, .at = at, .node = {node}};
    tell(st, at_s, NULL, &d);
}

static void told(struct phases_told *st, double at_s, uint8_t type, struct attempt_ref at,
                 uint32_t node)
{
    struct event e = {.type = type, .at = at, .node = {node}};
    tell(st, at_s, &e, NULL);
}

/* The attempt finishes with so many bytes of output and wins. */
static void win(struct phases_told *st, double at_s, struct attempt_ref at, uint32_t node,
                int64_t bytes)
{
    struct event ready = {.type = EV_OUTPUT_READY, .at = at, .node = {node}};
    ready.u.output.bytes = bytes;
    tell(st, at_s, &ready, NULL);
    told(st, at_s, EV_ATTEMPT_FINISHED, at, node);
    told(st, at_s, EV_COMMITTED, at, node);
}

static void done(struct phases_told *st, double at_s, uint32_t job)
{
    struct decision d = {.type = DO_JOB_DONE, .at = ref(job, 0, 0, 0)};
    tell(st, at_s, NULL, &d);
}

static void submit(struct phases_told *st, uint32_t id, const struct phase_spec *phases,
                   uint16_t count)
{
    struct job_spec spec = {
        .id = {id}, .name = "j", .phases = phases, .phase_count = count, .weight = JOB_WEIGHT_ONE};
    struct event e = {.type = EV_JOB_SUBMITTED};
    e.u.job = &spec;
    tell(st, 0, &e, NULL);
}

/* One job of one phase; the tasks take these times and have these inputs. */
static struct phase_record run_phase(const double *times, const int64_t *inputs,
                                     struct phase_facts *facts)
{
    struct phases_told st = begin();
    struct phase_spec p = {
        .name = "p", .tasks = TASKS, .demand = {{RES_SLOT, 0, 0, 0}}, .input_each = inputs};
    submit(&st, 0, &p, 1);
    for (uint32_t t = 0; t < TASKS; t++)
        launch(&st, 1, ref(0, 0, t, 0), LAUNCH_FIRST, 0);
    for (double at = 1; at <= 1 + times[TASKS - 1]; at += 1)
        for (uint32_t t = 0; t < TASKS; t++)
            if (1 + times[t] == at)
                win(&st, at, ref(0, 0, t, 0), 0, 0);
    done(&st, 2 + times[TASKS - 1], 0);
    const struct phase_log *log = phase_times_log(st.p);
    expect(log->phases.count == 1 && log->jobs.count == 1);
    struct phase_record r = log->phases.at[0];
    *facts = phase_facts(log);
    follow_destroy(st.follow);
    phase_times_destroy(st.p);
    return r;
}

TEST(phase_times_measure_life_and_slots)
{
    static const double times[TASKS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 10};
    static const int64_t inputs[TASKS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 10};
    struct phase_facts f;
    struct phase_record r = run_phase(times, inputs, &f);
    expect(r.life_s == 10 && r.slot_s == 46 && r.tasks == TASKS && r.peak == TASKS);
    expect(r.outlier_count == 1 && r.outliers == OUTLIERS_EXPLAINED);
    expect(f.waves_p50 == 1 && f.outlier_phases == 0 && f.explained == 1 && f.unexplained == 0);
    expect(f.outliers_below == 0 && f.outliers_far == 0); /* it took 2.5 times as long */
}

/* More than 15 % are outliers, and none has more input. */
TEST(phase_times_see_outliers_without_a_cause)
{
    static const double times[TASKS] = {4, 4, 4, 4, 4, 4, 4, 4, 12, 44};
    static const int64_t inputs[TASKS] = {3, 4, 5, 3, 4, 5, 3, 4, 4, 4};
    struct phase_facts f;
    struct phase_record r = run_phase(times, inputs, &f);
    expect(r.outlier_count == 2 && r.outliers == OUTLIERS_UNEXPLAINED);
    expect(f.outlier_phases == 1 && f.explained == 0 && f.unexplained == 1);
    expect(f.outliers_below == 0 && f.outliers_far == 0.5);
}

/* 1.5 times the median is no outlier yet. */
TEST(phase_times_outliers_begin_above_one_and_a_half)
{
    static const double times[TASKS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 6};
    static const int64_t inputs[TASKS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct phase_facts f;
    struct phase_record r = run_phase(times, inputs, &f);
    expect(r.outlier_count == 0 && r.outliers == OUTLIERS_NONE && isnan(f.explained));
}

/* Copies: a backup that loses, a backup that wins, and a start in place of one that was killed for
 * it. A start after a failure is none. */
TEST(phase_times_count_copies_and_those_that_won)
{
    struct phases_told st = begin();
    struct phase_spec p = {.name = "p", .tasks = 4, .demand = {{RES_SLOT, 0, 0, 0}}};
    submit(&st, 0, &p, 1);
    for (uint32_t t = 0; t < 4; t++)
        launch(&st, 0, ref(0, 0, t, 0), LAUNCH_FIRST, 0);
    launch(&st, 1, ref(0, 0, 0, 1), LAUNCH_BACKUP, 1);
    launch(&st, 1, ref(0, 0, 1, 1), LAUNCH_BACKUP, 1);
    win(&st, 2, ref(0, 0, 0, 0), 0, 0);
    told(&st, 2, EV_ATTEMPT_KILLED, ref(0, 0, 0, 1), 1);
    win(&st, 2, ref(0, 0, 1, 1), 1, 0);
    told(&st, 3, EV_ATTEMPT_KILLED, ref(0, 0, 1, 0), 0);
    struct decision kill = {
        .type = DO_KILL, .at = ref(0, 0, 2, 0), .why = {.code = WHY_RESTART_FASTER}};
    tell(&st, 3, NULL, &kill);
    told(&st, 3, EV_ATTEMPT_KILLED, ref(0, 0, 2, 0), 0);
    launch(&st, 3, ref(0, 0, 2, 1), LAUNCH_RESTART, 1);
    win(&st, 4, ref(0, 0, 2, 1), 1, 0);
    told(&st, 4, EV_ATTEMPT_FAILED, ref(0, 0, 3, 0), 0);
    launch(&st, 4, ref(0, 0, 3, 1), LAUNCH_RESTART, 1);
    win(&st, 6, ref(0, 0, 3, 1), 1, 0);
    done(&st, 6, 0);
    const struct phase_record *r = &phase_times_log(st.p)->phases.at[0];
    struct phase_facts f = phase_facts(phase_times_log(st.p));
    expect(r->copies == 3 && r->copies_won == 2 && r->slot_s == 2 + 1 + 3 + 1 + 3 + 1 + 4 + 2);
    expect(f.copies_per_task == 0.75 && fabs(f.copies_won - 2.0 / 3) < 1e-9);
    follow_destroy(st.follow);
    phase_times_destroy(st.p);
}

/* Four readers of everything, one in each node, and four of one task each on the node itself. */
TEST(phase_times_follow_reads_between_racks)
{
    struct phases_told st = begin();
    struct edge_spec all = {.from = 0}, own = {.from = 1, .pattern = EDGE_ONE_TO_ONE};
    struct res slot = {{RES_SLOT, 0, 0, 0}};
    struct phase_spec p[3] = {
        {.name = "a", .tasks = 4, .demand = slot},
        {.name = "b", .tasks = 4, .demand = slot, .edges = &all, .edge_count = 1},
        {.name = "c", .tasks = 4, .demand = slot, .edges = &own, .edge_count = 1}};
    submit(&st, 0, p, 3);
    for (int i = 0; i < 3 * 2 * 4; i++) {
        uint16_t k = (uint16_t)(i / 8);
        uint32_t t = (uint32_t)i % 4, node = k == 2 && t == 3 ? 0 : t; /* in the other rack */
        if (i % 8 < 4)
            launch(&st, k, ref(0, k, t, 0), LAUNCH_FIRST, node);
        else
            win(&st, k + 0.5, ref(0, k, t, 0), node, 100);
    }
    launch(&st, 3, ref(0, 0, 2, 1), LAUNCH_RECOMPUTE, 1); /* what node 2 had is lost */
    win(&st, 3.5, ref(0, 0, 2, 1), 1, 100);
    done(&st, 4, 0);
    const struct phase_log *log = phase_times_log(st.p);
    struct phase_facts f = phase_facts(log);
    expect(log->read_bytes == 800 && log->cross_bytes[READS_ALL] == 200);
    expect(log->cross_bytes[READS_SHARE] == 100 && fabs(f.cross_reduce - 2.0 / 3) < 1e-9);
    expect(fabs(f.not_recomputed - 2.0 / 3) < 1e-9 && f.lost_on_worst == 1);
    expect(log->lost.at[2] == 1);
    follow_destroy(st.follow);
    phase_times_destroy(st.p);
}

/* Records made by hand: phase k of job 0 lived and used so much. */
static void note(struct phase_log *log, uint16_t phase, double life_s, double slot_s)
{
    struct phase_record r = {.phase = phase, .tasks = 1, .peak = 1};
    r.life_s = life_s;
    r.slot_s = slot_s;
    vec_push(&log->phases, r);
}

TEST(phase_gains_weigh_by_lifetime)
{
    struct phase_log before = {0}, after = {0};
    note(&before, 0, 10, 10); /* half as long, twice the slots */
    note(&after, 0, 5, 20);
    note(&before, 1, 60, 60); /* the same */
    note(&after, 1, 60, 60);
    note(&before, 2, 30, 30); /* a third shorter with a tenth less */
    note(&after, 2, 20, 27);
    note(&after, 3, 1, 1); /* nobody to compare with */
    struct phase_gains g = phase_facts_gains(&after, &before);
    expect(g.shorter_p30 == 0 && g.shorter_p50 == 0);
    expect(fabs(g.shorter_p75 - 1.0 / 3) < 1e-9 && fabs(g.shorter_p80 - 1.0 / 3) < 1e-9);
    expect(g.saved_p50 == 0 && fabs(g.saved_p75 - 0.1) < 1e-9);
    g = phase_facts_gains(&before, &before);
    expect(g.shorter_p75 == 0 && g.saved_p50 == 0);
    struct phase_log none = {0};
    expect(isnan(phase_facts_gains(&none, &before).shorter_p50));
    vec_free(&before.phases);
    vec_free(&after.phases);
}

TEST(phase_facts_of_repeated_jobs)
{
    struct phase_log log = {0};
    static const struct job_time jobs[] = {{1, 10}, {2, 5}, {1, 20}, {1, 30}, {2, 5}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        vec_push(&log.jobs, jobs[i]);
    expect(fabs(phase_facts(&log).repeat_variation - 0.5) < 1e-9); /* two are too few */
    vec_free(&log.jobs);
    struct phase_log none = {0};
    expect(isnan(phase_facts(&none).repeat_variation) && isnan(phase_facts(&none).waves_p50));
}
