#include "base/vec.h"
#include "sim/sim_beat.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

struct beat_report {
    int64_t at_us, done;
};

struct beat_reports {
    VEC(struct beat_report) of[4]; /* by task */
    int64_t ended_us[4];
};

/* Runs the first attempts of all tasks of job 0, each on its own node from the start, to their
 * ends. */
static struct beat_reports reports_of(struct sim_stage *st, uint32_t tasks)
{
    struct beat_reports got = {0};
    st->reports = true;
    stage_start(st);
    for (uint32_t t = 0; t < tasks; t++)
        stage_launch(st, stage_ref(0, 0, t, 0), t);
    for (uint32_t ended = 0; ended < tasks;) {
        expect(stage_wait(st) == 1);
        for (uint32_t i = 0; i < st->batch.count; i++) {
            const struct event *e = &st->batch.at[i];
            struct beat_report r = {st->batch.now_us, e->u.progress.done};
            if (e->type == EV_ATTEMPT_PROGRESS)
                vec_push(&got.of[e->at.task], r);
            if (e->type == EV_ATTEMPT_FINISHED) {
                got.ended_us[e->at.task] = st->batch.now_us;
                ended++;
            }
        }
    }
    stage_fini(st);
    return got;
}

static void reports_free(struct beat_reports *r)
{
    for (uint32_t t = 0; t < 4; t++)
        vec_free(&r->of[t]);
}

/* One task of 20 s, and what stalls it: from the middle on, for a minute. */
static struct beat_reports stalled_or_not(bool stalls, int by)
{
    struct stage_phase phase = {.tasks = 1, .size_us = 20 * STAGE_S};
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 0, &phase, 1);
    st.cluster->faults.report_by = by;
    st.cluster->luck.stall_p = stalls;
    st.cluster->luck.stall_us = 60 * STAGE_S;
    st.cluster->luck.stall_at = 1;
    return reports_of(&st, 1);
}

/* How many reports of the healthy attempt the stalled one sent just so, from the first on. */
static uint32_t alike(const struct beat_reports *healthy, const struct beat_reports *stalled)
{
    uint32_t n = 0;
    while (n < healthy->of[0].count && n < stalled->of[0].count &&
           healthy->of[0].at[n].at_us == stalled->of[0].at[n].at_us &&
           healthy->of[0].at[n].done == stalled->of[0].at[n].done)
        n++;
    return n;
}

/* Until it stalls, an attempt that will stall reports what a healthy one reports, when that one
 * does. Then it stands still, at the same ages, and goes on. */
TEST(sim_beat_gives_no_stall_away)
{
    struct beat_reports healthy = stalled_or_not(false, REPORT_BY_PHASE);
    struct beat_reports stalled = stalled_or_not(true, REPORT_BY_PHASE);
    expect(healthy.ended_us[0] == 20 * STAGE_S && stalled.ended_us[0] == 80 * STAGE_S);
    expect(healthy.of[0].count == 9);

    uint32_t before = alike(&healthy, &stalled), count = stalled.of[0].count;
    expect(before >= 1 && before < 9);
    for (uint32_t i = before; i < 9; i++) {
        expect(stalled.of[0].at[i].at_us == healthy.of[0].at[i].at_us);
        expect(stalled.of[0].at[i].done < healthy.of[0].at[i].done);
        expect(i == before || stalled.of[0].at[i].done == stalled.of[0].at[i - 1].done);
    }
    /* 40 beats of 2 s: nine, then each second one until 20, each third one until 32, ... */
    expect(count > 9 && count < 30);
    expect(stalled.of[0].at[count - 1].done > stalled.of[0].at[before].done);
    reports_free(&healthy);
    reports_free(&stalled);
}

/* A tenth of its own life, stall included: its first report comes four times as late. */
TEST(sim_beat_by_life_gives_a_stall_away)
{
    struct beat_reports healthy = stalled_or_not(false, REPORT_BY_LIFE);
    struct beat_reports stalled = stalled_or_not(true, REPORT_BY_LIFE);
    expect(healthy.of[0].count == 9 && stalled.of[0].count == 9);
    expect(healthy.of[0].at[0].at_us == 2 * STAGE_S && stalled.of[0].at[0].at_us == 8 * STAGE_S);
    reports_free(&healthy);
    reports_free(&stalled);
}

/* Recorded times of 10, 12 (at its best), 100 and 1 s: the beat of all is a tenth of 10 s, the
 * median as stat_quantile takes it of an even number. The one that takes 100 s at first shows a
 * steady pace that is a tenth as fast, and does not report a hundred times. */
TEST(sim_beat_of_recorded_times_is_the_phases)
{
    static const uint32_t from[] = {0, 1, 3, 4, 5};
    static const int64_t times[] = {10 * STAGE_S, 120 * STAGE_S, 12 * STAGE_S, 100 * STAGE_S,
                                    1 * STAGE_S};
    struct stage_phase phase = {.tasks = 4, .attempt_from = from, .attempts = times};
    struct sim_stage st;
    stage_init(&st, 4, 1);
    stage_job(&st, 0, &phase, 1);
    struct beat_reports got = reports_of(&st, 4);
    expect(got.of[0].count == 9 && got.of[3].count == 0);
    for (uint32_t i = 0; i < got.of[0].count; i++)
        for (uint32_t t = 1; t < 3; t++) {
            expect(got.of[t].at[i].at_us == got.of[0].at[i].at_us);
            expect(got.of[t].at[i].done ==
                   got.of[t].at[i].at_us * 1000000 / (t == 1 ? 120 : 100) / STAGE_S);
        }
    expect(got.of[2].count > 20 && got.of[2].count < 40);
    reports_free(&got);
}

/* Beats 1 to 10, then each second one to 20, each third one to 32, each fourth one from there; but
 * never less often than asked for. */
TEST(sim_beat_outlives_its_phase)
{
    static const uint64_t want[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12,
                                    14, 16, 18, 20, 23, 26, 29, 32, 36, 40, 45};
    uint64_t at = 0;
    for (uint32_t i = 0; i < sizeof want / sizeof *want; i++) {
        at = sim_beat_next(at, 7, 1000000);
        expect(at == want[i]);
    }
    expect(sim_beat_next(1000, 10, 30) == 1003 && sim_beat_next(1000, 10, 10) == 1001);
    expect(sim_beat_next(1000, 10, 19) == 1001);
}

/* Nothing is too short or too long for a beat. */
TEST(sim_beat_has_limits)
{
    static const int64_t sizes[] = {0, 1, 9, 99, 1000 * STAGE_S, INT64_MAX};
    static const int64_t beats[] = {1, 1, 1, 9, 10 * STAGE_S, 10 * STAGE_S};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct stage_phase phase = {.tasks = 1, .size_us = sizes[i]};
        struct luck_plan plan = {.work_us = 1};
        struct sim_stage st;
        stage_init(&st, 1, 1);
        stage_job(&st, 0, &phase, 1);
        stage_start(&st);
        struct sim_phase *p = sim_phase_of(st.sim, stage_ref(0, 0, 0, 0));
        expect(sim_beat_us(st.sim, p, &plan) == beats[i]);
        stage_fini(&st);
    }
}
