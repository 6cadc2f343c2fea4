#include "sim/sim_state.h"
#include "sim/stage_test.h"
#include "tests/unit/test.h"

static const struct stage_phase long_task = {.tasks = 1, .size_us = 1000, .input_bytes = 500};

/* One node of one core, one job of one task; the caller sets faults and then starts. */
static void stage_one(struct sim_stage *st)
{
    stage_init(st, 1, 1);
    stage_job(st, 0, &long_task, 1);
}

static const struct attempt_ref a0 = {.attempt = 0}, a1 = {.attempt = 1};

TEST(sim_attempt_launch_waits_for_its_lag)
{
    bool differs = false;
    int64_t first = -1;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sim_stage st;
        stage_one(&st);
        st.seed = seed;
        st.cluster->faults.launch_lag_us = 50;
        stage_start(&st);
        stage_launch(&st, a0, 0);
        expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, a0));
        int64_t started = st.batch.now_us;
        expect(started >= 0 && started <= 50);
        differs |= first >= 0 && started != first;
        first = started;
        expect(stage_wait(&st) == 1);
        expect(stage_only(&st, started + 1000, EV_ATTEMPT_FINISHED, CAUSE_NONE, a0));
        expect(st.batch.at[0].u.use.wall_us == 1000);
        stage_fini(&st);
    }
    expect(differs);
}

TEST(sim_attempt_launch_fails_when_injected)
{
    struct sim_stage st;
    stage_one(&st);
    st.cluster->faults.launch_fail_p = 1;
    stage_start(&st);
    stage_launch(&st, a0, 0);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 0, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_INJECTED, a0));
    stage_launch(&st, a1, 0); /* the room is free again: no check fails */
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 0, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_INJECTED, a1));
    stage_fini(&st);
}

TEST(sim_attempt_launch_of_a_job_that_is_over_fails)
{
    struct sim_stage st;
    stage_one(&st);
    stage_job(&st, 0, &long_task, 1);
    stage_start(&st);
    stage_ask(&st, DO_JOB_FAILED, a0);
    stage_launch(&st, a0, 0);
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 0, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_JOB_OVER, a0));
    stage_fini(&st);
}

TEST(sim_attempt_withdraw_before_and_after_the_start)
{
    struct sim_stage st;
    stage_one(&st);
    st.cluster->faults.launch_lag_us = 50;
    stage_start(&st);
    stage_ask(&st, DO_WITHDRAW, a0);
    stage_launch(&st, a0, 0);
    stage_ask(&st, DO_WITHDRAW, a0);
    stage_ask(&st, DO_WITHDRAW, a0);
    stage_launch(&st, a1, 0);
    expect(stage_wait(&st) == 1 && st.batch.count >= 3 && st.batch.now_us == 0);
    expect(stage_saw(&st, 0, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, a0));
    expect(stage_saw(&st, 1, EV_ATTEMPT_LAUNCH_FAILED, CAUSE_WITHDRAWN, a0));
    expect(stage_saw(&st, 2, EV_REFUSED, CAUSE_ALREADY_ENDED, a0));

    /* The entry of the withdrawn launch is stale: what starts is its successor. */
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, a1));
    stage_ask(&st, DO_WITHDRAW, a1);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_STARTED, a1));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_FINISHED, CAUSE_NONE, a1));
    stage_ask(&st, DO_WITHDRAW, a1);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_REFUSED, CAUSE_ALREADY_ENDED, a1));
    stage_fini(&st);
}

TEST(sim_attempt_kill_at_once)
{
    struct sim_stage st;
    stage_one(&st);
    stage_start(&st);
    stage_ask(&st, DO_KILL, a0);
    stage_launch(&st, a0, 0);
    stage_timer(&st, 1, 400);
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, a0));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 400);
    stage_ask(&st, DO_KILL, a0);
    stage_ask(&st, DO_KILL, a0);
    stage_launch(&st, a1, 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 3 && st.batch.now_us == 400);
    expect(stage_saw(&st, 0, EV_ATTEMPT_KILLED, CAUSE_NONE, a0));
    expect(st.batch.at[0].u.use.wall_us == 400 && st.batch.at[0].u.use.read_bytes == 200);
    expect(stage_saw(&st, 1, EV_REFUSED, CAUSE_ALREADY_ENDED, a0));
    expect(stage_saw(&st, 2, EV_ATTEMPT_STARTED, CAUSE_NONE, a1));

    /* The end of the killed attempt, at 1000, is stale although its index is used again. */
    expect(stage_wait(&st) == 1 && stage_only(&st, 1400, EV_ATTEMPT_FINISHED, CAUSE_NONE, a1));
    stage_fini(&st);
}

/* The plan of an attempt is known again when it is killed, not that of one that had its index. */
TEST(sim_attempt_kill_tells_what_was_read_by_its_own_pace)
{
    static const struct {
        uint32_t node;
        int64_t read;
    } tries[] = {{0, 150}, {1, 300}, {1, 300}, {0, 150}};
    struct sim_stage st;
    stage_init(&st, 2, 1);
    st.cluster->nodes[1].speed = 2;
    stage_job(&st, 0, &long_task, 1);
    stage_start(&st);
    for (uint16_t i = 0; i < 4; i++) {
        stage_launch(&st, stage_ref(0, 0, 0, i), tries[i].node);
        expect(stage_wait(&st) == 1);
        stage_timer(&st, 1, st.batch.now_us + 300);
        expect(stage_wait(&st) == 1);
        stage_ask(&st, DO_KILL, stage_ref(0, 0, 0, i));
        expect(stage_wait(&st) == 1 && st.batch.at[0].type == EV_ATTEMPT_KILLED);
        expect(st.batch.at[0].u.use.read_bytes == tries[i].read);
    }
    stage_fini(&st);
}

TEST(sim_attempt_kill_of_an_unstarted_one_is_refused)
{
    struct sim_stage st;
    stage_one(&st);
    st.cluster->faults.launch_lag_us = STAGE_S;
    stage_start(&st);
    stage_launch(&st, a0, 0);
    stage_ask(&st, DO_KILL, a0);
    expect(stage_wait(&st) == 1 && stage_only(&st, 0, EV_REFUSED, CAUSE_UNKNOWN_ATTEMPT, a0));
    expect(stage_wait(&st) == 1 && stage_saw(&st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, a0));
    stage_fini(&st);
}

/* Kills an attempt of 1000 us at its start, twice, with a kill lag; what ends it, once? */
static uint8_t ending_with_kill_lag(uint64_t seed, int64_t kill_lag_us, int64_t *ended_us)
{
    struct sim_stage st;
    stage_one(&st);
    st.seed = seed;
    st.cluster->faults.kill_lag_us = kill_lag_us;
    stage_start(&st);
    stage_launch(&st, a0, 0);
    expect(stage_wait(&st) == 1 && st.batch.count == 1);
    stage_ask(&st, DO_KILL, a0);
    stage_ask(&st, DO_KILL, a0);
    expect(stage_wait(&st) == 1 && st.batch.count == 1);
    uint8_t type = st.batch.at[0].type;
    *ended_us = st.batch.now_us;
    expect(st.batch.at[0].u.use.wall_us == *ended_us);
    stage_ask(&st, DO_JOB_FAILED, a0);
    expect(stage_wait(&st) == 0); /* no second ending */
    stage_fini(&st);
    return type;
}

TEST(sim_attempt_kill_lag_may_let_it_finish)
{
    int finished = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        int64_t ended;
        expect(ending_with_kill_lag(seed, 999, &ended) == EV_ATTEMPT_KILLED && ended <= 999);
        uint8_t type = ending_with_kill_lag(seed, 2000, &ended);
        expect(type == (ended < 1000 ? EV_ATTEMPT_KILLED : EV_ATTEMPT_FINISHED) && ended <= 1000);
        finished += type == EV_ATTEMPT_FINISHED;
    }
    expect(finished > 10 && finished < 40);
}

TEST(sim_attempt_fails_at_a_random_point)
{
    int early = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct sim_stage st;
        stage_one(&st);
        st.seed = seed;
        st.cluster->faults.attempt_fail_p = 1;
        stage_start(&st);
        stage_launch(&st, a0, 0);
        do
            expect(stage_wait(&st) == 1);
        while (st.batch.at[st.batch.count - 1].type == EV_ATTEMPT_STARTED);
        const struct event *e = &st.batch.at[st.batch.count - 1];
        expect(e->type == EV_ATTEMPT_FAILED && e->cause == CAUSE_INJECTED);
        expect(e->u.use.wall_us == st.batch.now_us && st.batch.now_us < 1000);
        expect(e->u.use.read_bytes == st.batch.now_us / 2);
        early += st.batch.now_us < 500;
        stage_fini(&st);
    }
    expect(early > 30 && early < 70);
}

TEST(sim_attempt_explicit_times_replace_luck)
{
    static const uint32_t from[] = {0, 2, 2};
    static const int64_t times[] = {70, 30};
    struct stage_phase phase = {
        .tasks = 2, .size_us = 500, .attempt_from = from, .attempts = times};
    struct sim_stage st;
    stage_init(&st, 1, 4);
    st.cluster->luck.startup_us = 1000;
    stage_job(&st, 0, &phase, 1);
    stage_start(&st);
    for (uint16_t k = 0; k < 3; k++)
        stage_launch(&st, stage_ref(0, 0, 0, k), 0);
    stage_launch(&st, stage_ref(0, 0, 1, 0), 0); /* no explicit times: start-up and size */
    expect(stage_wait(&st) == 1 && st.batch.count == 4);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 30 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 0, 1)));
    expect(stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 0, 2)));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 70, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 0, 0)));
    expect(stage_wait(&st) == 1);
    expect(stage_only(&st, 1500, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 1, 0)));
    stage_fini(&st);
}

TEST(sim_attempt_speed_of_the_node_counts)
{
    struct sim_stage st;
    stage_init(&st, 2, 1);
    st.cluster->nodes[1].speed = 4;
    struct stage_phase two = {.tasks = 2, .size_us = 1000};
    stage_job(&st, 0, &two, 1);
    stage_start(&st);
    stage_launch(&st, stage_ref(0, 0, 0, 0), 0);
    stage_launch(&st, stage_ref(0, 0, 1, 0), 1);
    expect(stage_wait(&st) == 1 && stage_wait(&st) == 1);
    expect(stage_only(&st, 250, EV_ATTEMPT_FINISHED, CAUSE_NONE, stage_ref(0, 0, 1, 0)));
    expect(stage_wait(&st) == 1 && st.batch.now_us == 1000);
    stage_fini(&st);
}

TEST(sim_attempt_without_length_ends_in_the_batch_of_its_start)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase nothing = {.tasks = 1};
    stage_job(&st, 0, &nothing, 1);
    stage_start(&st);
    stage_launch(&st, a0, 0);
    expect(stage_wait(&st) == 1 && st.batch.now_us == 0 && st.batch.count == 2);
    expect(stage_saw(&st, 0, EV_ATTEMPT_STARTED, CAUSE_NONE, a0));
    expect(stage_saw(&st, 1, EV_ATTEMPT_FINISHED, CAUSE_NONE, a0));
    stage_fini(&st);
}

TEST(sim_attempt_indices_are_used_again)
{
    struct sim_stage st;
    stage_init(&st, 1, 1);
    struct stage_phase many = {.tasks = 1000, .size_us = 10};
    stage_job(&st, 0, &many, 1);
    stage_start(&st);
    for (uint32_t t = 0; t < 1000; t++)
        stage_run(&st, stage_ref(0, 0, t, 0), 0);
    expect(st.sim->attempts.count == 2 && st.sim->live == 0); /* attempt 0 is never used */
    stage_fini(&st);
}

TEST(sim_attempt_ordinals_are_launched_in_order)
{
    struct sim_stage st;
    stage_init(&st, 1, 4);
    stage_job(&st, 0, &long_task, 1);
    stage_start(&st);
    expect(stage_aborts(&st, (struct decision){.type = DO_LAUNCH, .at = a1}));
    expect(!stage_aborts(&st, (struct decision){.type = DO_LAUNCH, .at = a0}));
    stage_launch(&st, a0, 0);
    expect(stage_aborts(&st, (struct decision){.type = DO_LAUNCH, .at = a0}));
    expect(!stage_aborts(&st, (struct decision){.type = DO_LAUNCH, .at = a1}));
    stage_fini(&st);
}
