#include "record/stats/live_job.h"

#include "tests/unit/test.h"

static struct live_job *add(struct live_jobs *l, uint32_t id)
{
    static const int64_t input[] = {7, 8};
    struct phase_spec phases[] = {
        {.name = "map", .tasks = 3, .demand = {{500}}, .input_bytes = 9},
        {.name = "reduce", .tasks = 2, .demand = {{2000}}, .input_each = input},
    };
    struct job_spec job = {.id = {id}, .phases = phases, .phase_count = 2, .arrived_us = 4};
    return live_jobs_add(l, &job, true);
}

TEST(live_job_copies_what_it_needs)
{
    struct live_jobs l = {0};
    struct live_job *j = add(&l, 5);

    expect(j->tasks == 5 && j->phase_count == 2 && j->arrived_us == 4);
    expect(j->phases[0].count == 3 && j->phases[0].demand.v[RES_CPU] == 500 &&
           !j->phases[0].input_each);
    expect(j->phases[1].input_each[0] == 7 && j->phases[1].input_each[1] == 8);
    expect(j->phases[1].tasks == j->phases[0].tasks + 3);
    expect(j->phases[1].tasks[1].attempts == LIVE_NONE);
    expect(live_jobs_find(&l, (struct job_id){5}) == j);
    expect(!live_jobs_find(&l, (struct job_id){4}) && !live_jobs_find(&l, (struct job_id){6}));
    live_jobs_fini(&l);
}

TEST(live_job_window_follows_the_living)
{
    struct live_jobs l = {0};
    uint32_t widest = 0;

    for (uint32_t id = 1; id <= 100000; id++) {
        add(&l, id);
        if (id > 10)
            live_jobs_drop(&l, live_jobs_find(&l, (struct job_id){id - 10}));
        widest = l.window.count > widest ? l.window.count : widest;
    }
    expect(widest < 200);
    expect(!live_jobs_find(&l, (struct job_id){99990}));
    expect(live_jobs_find(&l, (struct job_id){99991})->id.v == 99991);
    live_jobs_fini(&l);
}

TEST(live_job_window_bears_gaps_and_emptiness)
{
    struct live_jobs l = {0};

    add(&l, 3);
    add(&l, 7); /* 4 to 6 were never submitted */
    expect(!live_jobs_find(&l, (struct job_id){5}));
    live_jobs_drop(&l, live_jobs_find(&l, (struct job_id){3}));
    expect(live_jobs_find(&l, (struct job_id){7}));
    live_jobs_drop(&l, live_jobs_find(&l, (struct job_id){7}));
    add(&l, 4000000000U); /* the window was empty: no gap is stored */
    expect(l.window.count == 1 && live_jobs_find(&l, (struct job_id){4000000000U}));
    live_jobs_fini(&l);
}

TEST(live_job_attempts_are_found_and_their_slots_reused)
{
    struct live_jobs l = {0};
    struct live_task *t = &add(&l, 0)->phases[0].tasks[0];

    for (uint16_t k = 0; k < 3; k++)
        live_jobs_attempt_add(&l, t, k, k * 10);
    expect(live_jobs_attempt_find(&l, t, 1)->launched_us == 10);
    live_jobs_attempt_drop(&l, t, 1); /* from the middle of the chain */
    expect(!live_jobs_attempt_find(&l, t, 1) && live_jobs_attempt_find(&l, t, 0) &&
           live_jobs_attempt_find(&l, t, 2));
    live_jobs_attempt_add(&l, t, 3, 0);
    expect(l.pool.count == 3 && l.free_count == 0);
    live_jobs_drop(&l, live_jobs_find(&l, (struct job_id){0}));
    expect(l.free_count == 3);
    live_jobs_fini(&l);
}

TEST(live_job_extra_is_beyond_one_or_behind_the_winner)
{
    struct live_jobs l = {0};
    struct live_job *j = add(&l, 0);
    struct live_place p;

    expect(live_jobs_place(&l, (struct attempt_ref){{1}, 9, 9, 0}, &p) && !p.job);
    expect(!live_jobs_place(&l, (struct attempt_ref){{0}, 3, 0, 0}, &p));
    expect(!live_jobs_place(&l, (struct attempt_ref){{0}, 0, 2, 0}, &p));
    expect(live_jobs_place(&l, (struct attempt_ref){{0}, 2, 0, 0}, &p));
    expect(p.job == j && p.phase == &j->phases[0] && p.task == &j->phases[0].tasks[2]);
    static const int64_t extra[] = {0, 0, 1, 2}, won[] = {0, 1, 2, 3};
    for (uint16_t live = 0; live < 4; live++) {
        p.task->live = live;
        p.task->winner = LIVE_NO_WINNER;
        expect(live_extra(&p) == extra[live]);
        p.task->winner = 1;
        expect(live_extra(&p) == won[live]);
    }
    live_jobs_fini(&l);
}

TEST(live_job_times_and_inputs_are_at_least_one)
{
    struct live_jobs l = {0};
    struct live_job *j = add(&l, 0);
    struct live_task t = {.launched_us = 10, .won_us = 10};

    expect(live_task_took_us(&t) == 1);
    t.won_us = 15;
    expect(live_task_took_us(&t) == 5);
    expect(live_task_bytes(&j->phases[0], 1) == 9 && live_task_bytes(&j->phases[1], 1) == 8);
    j->phases[0].input_bytes = 0;
    expect(live_task_bytes(&j->phases[0], 1) == 1);
    live_jobs_fini(&l);
}
