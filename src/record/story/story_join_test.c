/* Jobs that are told as one. */
#include "record/story/story_join.h"

#include "tests/unit/test.h"

static bool event(struct story_join *j, struct event *e, uint8_t type, struct attempt_ref at)
{
    *e = (struct event){.type = type, .at = at};
    return story_join_event(j, e);
}

static bool decision(struct story_join *j, struct decision *d, uint8_t type, struct attempt_ref at)
{
    *d = (struct decision){.type = type, .at = at};
    return story_join_decision(j, d);
}

/* Submits the job; how many tasks the story hears of, 0: of none. */
static uint32_t submit(struct story_join *j, uint32_t id, uint32_t tasks)
{
    int64_t inputs[] = {1, 2};
    struct phase_spec phase = {.tasks = tasks, .input_each = inputs};
    struct job_spec spec = {.id = {id}, .phases = &phase, .phase_count = 1};
    struct event e = {.type = EV_JOB_SUBMITTED, .at.job = {id}, .u.job = &spec};

    if (!story_join_event(j, &e))
        return 0;
    expect(tasks == e.u.job->phases[0].tasks || !e.u.job->phases[0].input_each);
    return e.u.job->phases[0].tasks;
}

TEST(story_join_has_one_list_of_tasks)
{
    struct story_join j = {0};
    struct event e;
    struct decision d;

    story_join_add(&j, 2);
    story_join_add(&j, 1);
    expect(submit(&j, 0, 2) == 3 && submit(&j, 1, 1) == 0);
    expect(event(&j, &e, EV_ATTEMPT_STARTED, (struct attempt_ref){{1}, 0, 0, 4}));
    expect(attempt_equal(e.at, (struct attempt_ref){{0}, 2, 0, 4}));
    expect(decision(&j, &d, DO_LAUNCH, (struct attempt_ref){{0}, 1, 0, 0}) && d.at.task == 1);
    /* What is said of all tasks of a job is said of all jobs with the first. */
    expect(decision(&j, &d, DO_VERDICT, (struct attempt_ref){{0}, TASK_ALL, 0, 0}));
    expect(!decision(&j, &d, DO_VERDICT, (struct attempt_ref){{1}, TASK_ALL, 0, 0}));
    expect(decision(&j, &d, DO_VERDICT, (struct attempt_ref){{1}, 0, 0, 0}) && d.at.task == 2);
    /* A job that is none of them. */
    expect(event(&j, &e, EV_ATTEMPT_STARTED, (struct attempt_ref){{2}, 0, 0, 0}) &&
           e.at.job.v == 2);
    expect(!decision(&j, &d, DO_JOB_FAILED, (struct attempt_ref){.job = {1}}));
    expect(decision(&j, &d, DO_JOB_DONE, (struct attempt_ref){.job = {0}}));
    expect(d.type == DO_JOB_FAILED && d.at.job.v == 0);
    story_join_fini(&j);
}

TEST(story_join_leaves_a_single_job_alone)
{
    struct story_join j = {0};
    struct decision d;

    story_join_add(&j, 2);
    expect(submit(&j, 0, 2) == 2);
    expect(decision(&j, &d, DO_JOB_DONE, (struct attempt_ref){.job = {0}}) &&
           d.type == DO_JOB_DONE);
    story_join_fini(&j);
}
