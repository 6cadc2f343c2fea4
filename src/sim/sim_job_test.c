#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

static const struct stage_phase one_task = {.tasks = 1, .size_us = 100};

TEST(sim_job_ids_rise_and_times_are_kept)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    stage_job(&st, 10, &one_task, 1);
    stage_job(&st, 10, &one_task, 1);
    stage_job(&st, 30, &one_task, 1);
    st.jobs[1]->spec.arrived_us = 0; /* at the very start, and set up for a while */
    st.jobs[2]->spec.arrived_us = 20;
    stage_start(&st);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 10 && st.batch.count == 2);
    for (uint32_t j = 0; j < 2; j++) {
        const struct event *e = &st.batch.at[j];
        expect(e->type == EV_JOB_SUBMITTED && e->at.job.v == j && e->u.job->id.v == j);
        expect(e->u.job->arrived_us == (j == 0 ? 10 : 0));
    }
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.at[0].u.job->id.v == 2);
    expect(st.batch.at[0].u.job->arrived_us == 20);
    stage_fini(&st);
}

TEST(sim_job_is_drawn_one_ahead)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    for (int j = 0; j < 5; j++)
        stage_job(&st, j, &one_task, 1);
    stage_start(&st);
    expect(st.batch.now_us == 0 && st.job_next == 2);
    expect(stage_wait(&st) == 1 && st.job_next == 3);
    stage_fini(&st);
}

TEST(sim_job_window_slides)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    for (int j = 0; j < 1000; j++)
        stage_job(&st, j * STAGE_S, &one_task, 1);
    stage_start(&st);
    for (uint32_t j = 0; j < 1000; j++) {
        if (j > 0)
            expect(stage_wait(&st) == 1 && st.batch.at[0].at.job.v == j);
        stage_run(&st, stage_ref(j, 0, 0, 0), 0);
        stage_ask(&st, DO_JOB_DONE, stage_ref(j, 0, 0, 0));
        expect(st.sim->jobs.count <= 65 && st.sim->job_open == 0);
    }
    /* Jobs on either side of the window's edge are known to be gone. */
    stage_ask(&st, DO_KILL, stage_ref(3, 0, 0, 0));
    stage_ask(&st, DO_KILL, stage_ref(999, 0, 0, 0));
    stage_ask(&st, DO_KILL, stage_ref(1000, 0, 0, 0));
    stage_ask(&st, DO_JOB_DONE, stage_ref(999, 0, 0, 0));
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_ENDED, stage_ref(3, 0, 0, 0)));
    expect(stage_saw(&st, 1, EV_REFUSED, CAUSE_ALREADY_ENDED, stage_ref(999, 0, 0, 0)));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, stage_ref(1000, 0, 0, 0)));
    expect(stage_saw(&st, 3, EV_REFUSED, CAUSE_JOB_OVER, stage_ref(999, 0, 0, 0)));
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_job_old_one_keeps_its_place_in_the_window)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    for (int j = 0; j < 300; j++)
        stage_job(&st, j, &one_task, 1);
    stage_start(&st);
    for (uint32_t j = 1; j < 300; j++) {
        expect(stage_wait(&st) == 1);
        stage_ask(&st, DO_JOB_FAILED, stage_ref(j, 0, 0, 0));
    }
    expect(st.sim->job_open == 1);
    stage_run(&st, stage_ref(0, 0, 0, 0), 0);
    stage_ask(&st, DO_JOB_DONE, stage_ref(0, 0, 0, 0));
    expect(st.sim->jobs.count == 0 && st.sim->jobs.first == 300);
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_job_over_stays_until_its_last_attempt_has_ended)
{
    struct sim_stage st;
    stage_init(&st, 1, 2);
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    struct attempt_ref winner = stage_ref(0, 0, 0, 0), loser = stage_ref(0, 0, 0, 1);
    st.cluster->faults.kill_lag_us = 50;
    stage_launch(&st, winner, 0);
    stage_timer(&st, 1, 10);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.now_us == 10);
    stage_launch(&st, loser, 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1 && st.batch.now_us == 100);
    stage_ask(&st, DO_COMMIT, winner);
    stage_ask(&st, DO_JOB_DONE, winner);
    expect(st.sim->job_open == 1);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_COMMITTED, CAUSE_NONE, winner));
    expect(stage_wait(&st) == 1); /* nobody killed it: it ends, without an output */
    expect(stage_only(&st, 110, EV_ATTEMPT_FINISHED, CAUSE_NONE, loser));
    expect(st.sim->job_open == 0 && stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_job_over_answers_a_commit_on_its_way)
{
    struct sim_stage st;
    stage_init(&st, 1, 2);
    st.cluster->faults.commit_lag_us = 50;
    stage_job(&st, 0, &one_task, 1);
    stage_start(&st);
    struct attempt_ref a = stage_ref(0, 0, 0, 0);
    stage_launch(&st, a, 0);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    stage_ask(&st, DO_COMMIT, a);
    stage_ask(&st, DO_JOB_FAILED, a);
    expect(stage_wait(&st) == 1 && stage_only(&st, 100, EV_COMMIT_FAILED, CAUSE_JOB_OVER, a));
    expect(stage_wait(&st) == 0);
    stage_fini(&st);
}

TEST(sim_job_is_not_done_before_its_last_phases_are_committed)
{
    struct sim_stage st;
    stage_init(&st, 1, 2);
    struct stage_phase phases[] = {{.tasks = 2, .size_us = 1}, {.tasks = 2, .reads = true}};
    stage_job(&st, 0, phases, 2);
    stage_start(&st);
    struct decision done = {.type = DO_JOB_DONE}, failed = {.type = DO_JOB_FAILED};
    expect(!stage_aborts(&st, failed));
    stage_run(&st, stage_ref(0, 1, 0, 0), 0);
    expect(stage_aborts(&st, done));
    stage_run(&st, stage_ref(0, 1, 1, 0), 0);
    expect(!stage_aborts(&st, done)); /* the first phase may have been lost after it was read */
    stage_fini(&st);
}
