#include <math.h>

#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

static const struct attempt_ref a0 = {.attempt = 0};

/* A job of one task of a second, with reports on. */
static void stage_reporting(struct sim_stage *st, int64_t input_bytes)
{
    struct stage_phase phase = {.tasks = 1, .size_us = STAGE_S, .input_bytes = input_bytes};
    stage_init(st, 1, 1);
    stage_job(st, 0, &phase, 1);
    st->reports = true;
}

/* Runs the task to its end, each report checked; how many came. */
static uint32_t count_reports(struct sim_stage *st, int64_t lag_max_us, int64_t total)
{
    uint32_t reports = 0;
    stage_start(st);
    stage_launch(st, a0, 0);
    for (;;) {
        expect(stage_wait(st) == 1);
        for (uint32_t i = 0; i < st->batch.count; i++) {
            const struct event *e = &st->batch.at[i];
            if (e->type == EV_ATTEMPT_FINISHED)
                return reports;
            if (e->type != EV_ATTEMPT_PROGRESS)
                continue;
            reports++;
            expect(e->u.progress.total == total && e->u.progress.cpu_us == -1);
            double share = (double)e->u.progress.done / (double)total;
            double now = (double)st->batch.now_us / (double)STAGE_S;
            double rounding = 1.5 / (double)total, late = (double)lag_max_us / (double)STAGE_S;
            expect(share <= now + rounding && share >= now - rounding - late);
        }
    }
}

TEST(sim_report_ten_per_lifetime_if_that_is_shorter)
{
    struct sim_stage st;
    stage_reporting(&st, 12345);
    expect(count_reports(&st, 0, 12345) == 9); /* the tenth would be the end */
    stage_fini(&st);
}

TEST(sim_report_as_often_as_asked)
{
    struct sim_stage st;
    stage_reporting(&st, 0);
    st.cluster->faults.report_every_us = 30000;
    expect(count_reports(&st, 0, 1000000) == 33);
    stage_fini(&st);
}

/* Two attempts that began at different moments, 4.13 s between two reports of each: all on whole
 * seconds, as many as without the clock, and each true when it is told. */
TEST(sim_report_of_all_on_one_clock)
{
    const int64_t size_us = 41300000;
    struct stage_phase phase = {.tasks = 2, .size_us = size_us};
    int64_t started_us[2] = {0}, said[2] = {0};
    struct sim_stage st;
    stage_init(&st, 2, 1);
    stage_job(&st, 0, &phase, 1);
    st.reports = true;
    stage_start(&st);
    stage_launch(&st, a0, 0);
    stage_timer(&st, 1, 777777);
    for (int ended = 0; ended < 2;) {
        expect(stage_wait(&st) == 1);
        for (uint32_t i = 0; i < st.batch.count; i++) {
            const struct event *e = &st.batch.at[i];
            if (e->type == EV_TIMER)
                stage_launch(&st, stage_ref(0, 0, 1, 0), 1);
            if (e->type == EV_ATTEMPT_STARTED)
                started_us[e->at.task] = st.batch.now_us;
            ended += e->type == EV_ATTEMPT_FINISHED;
            if (e->type != EV_ATTEMPT_PROGRESS)
                continue;
            int64_t elapsed_us = st.batch.now_us - started_us[e->at.task];
            said[e->at.task]++;
            expect(st.batch.now_us % STAGE_S == 0);
            expect(elapsed_us <= said[e->at.task] * 4130000);
            expect(elapsed_us > said[e->at.task] * 4130000 - STAGE_S);
            expect(e->u.progress.done == (int64_t)(1e6 * ((double)elapsed_us / (double)size_us)));
        }
    }
    expect(started_us[1] == 777777 && said[0] == 9 && said[1] == 9);
    stage_fini(&st);
}

TEST(sim_report_none_if_off)
{
    struct sim_stage st;
    stage_reporting(&st, 0);
    st.reports = false;
    expect(count_reports(&st, 0, 1000000) == 0);
    stage_fini(&st);
    stage_reporting(&st, 0);
    st.cluster->faults.report_every_us = 0;
    expect(count_reports(&st, 0, 1000000) == 0);
    stage_fini(&st);
}

TEST(sim_report_may_be_lost)
{
    struct sim_stage st;
    stage_reporting(&st, 0);
    st.cluster->faults.report_every_us = 1000;
    st.cluster->faults.report_loss_p = 0.5;
    uint32_t reports = count_reports(&st, 0, 1000000);
    expect(reports > 430 && reports < 570);
    stage_fini(&st);
    stage_reporting(&st, 0);
    st.cluster->faults.report_loss_p = 1;
    expect(count_reports(&st, 0, 1000000) == 0);
    stage_fini(&st);
}

/* Skewed reports never run backwards and say how much is done, as a power of the truth that belongs
 * to the task: some are ahead, some behind. */
TEST(sim_report_may_be_skewed)
{
    enum { TASKS = 20 };
    struct sim_stage st;
    struct stage_phase phase = {.tasks = TASKS, .size_us = STAGE_S};
    stage_init(&st, TASKS, 1);
    stage_job(&st, 0, &phase, 1);
    st.reports = true;
    st.cluster->faults.report_skew = 0.5;
    stage_start(&st);
    for (uint32_t i = 0; i < TASKS; i++)
        stage_launch(&st, stage_ref(0, 0, i, 0), i);
    double power[TASKS] = {0};
    uint32_t reports = 0, ahead = 0;
    for (uint32_t ended = 0; ended < TASKS;) {
        expect(stage_wait(&st) == 1);
        for (uint32_t i = 0; i < st.batch.count; i++) {
            const struct event *e = &st.batch.at[i];
            ended += e->type == EV_ATTEMPT_FINISHED;
            if (e->type != EV_ATTEMPT_PROGRESS)
                continue;
            double share = (double)e->u.progress.done / (double)e->u.progress.total;
            double now = (double)st.batch.now_us / (double)STAGE_S;
            double *p = &power[e->at.task], is = log(share) / log(now);
            expect(*p == 0 || fabs(is - *p) < 0.01);
            *p = is;
            reports++;
            ahead += share > now;
        }
    }
    expect(reports == 9 * TASKS);
    expect(ahead > reports / 4 && ahead < reports - reports / 4);
    stage_fini(&st);
}

TEST(sim_report_may_be_late_but_not_after_the_end)
{
    struct sim_stage st;
    stage_reporting(&st, 0);
    st.cluster->faults.report_every_us = 1000;
    st.cluster->faults.report_lag_us = 100000;
    uint32_t reports = count_reports(&st, 100000, 1000000);
    expect(reports > 900 && reports < 990); /* those of the last moments came too late */
    expect(st.sim->flying.count <= 101);    /* records are used again */
    stage_ask(&st, DO_JOB_FAILED, a0);
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_report_of_a_dead_attempt_never_comes)
{
    struct sim_stage st;
    stage_reporting(&st, 0);
    st.cluster->faults.report_lag_us = 1000000;
    stage_start(&st);
    stage_launch(&st, a0, 0);
    do
        expect(stage_wait(&st) == 1);
    while (st.batch.at[0].type != EV_ATTEMPT_PROGRESS);
    stage_ask(&st, DO_KILL, a0);
    stage_launch(&st, stage_ref(0, 0, 0, 1), 0); /* takes the same index */
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_KILLED, CAUSE_NONE, a0));
    do {
        expect(stage_wait(&st) == 1);
        expect(st.batch.at[0].at.attempt == 1);
    } while (st.batch.at[0].type != EV_ATTEMPT_FINISHED);
    stage_fini(&st);
}
