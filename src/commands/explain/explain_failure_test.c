#include <string.h>

#include "commands/explain/explain.h"
#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

static void fail(struct told *t, uint32_t task, int32_t status)
{
    struct story_attempt *a = told_attempt(t, task, LAUNCH_FIRST, 0);
    a->started_us = 500000;
    a->ended_us = 2000000;
    a->ending = EV_ATTEMPT_FAILED;
    a->cause = CAUSE_EXIT;
    a->detail = status;
    t->tasks[0][task].given_up_us = 2000000;
}

TEST(explain_failure_says_how)
{
    struct told t;
    told_init(&t);
    t.x.job = &t.job;
    expect(!explain_failure_is(&t.x, 0, 1));
    fail(&t, 1, 3);
    expect(explain_failure_is(&t.x, 0, 1) && !explain_failure_is(&t.x, 0, 0));
    explain_failure(&t.x, 0, 1, &t.out);
    expect(told_is(&t, "Task 1 of map of job 7 failed with exit status 3 after 1.5 s on n0"));
    fail(&t, 1, 4);
    explain_failure(&t.x, 0, 1, &t.out);
    expect(told_is(&t, "Task 1 of map of job 7 failed with exit status 4 after 1.5 s on n0, the "
                       "last of 2 attempts"));
    explain_failure(&t.x, 0, 2, &t.out); /* nothing is known of it */
    expect(told_is(&t, "Task 2 of map of job 7 failed"));
    told_fini(&t);
}

/* A few are told, and the rest is counted; only the folder of a run can be run again. */
TEST(explain_failure_comes_first)
{
    struct told t;
    uint32_t told = 0;
    told_init(&t);
    t.x.job = &t.job;
    for (uint32_t i = 0; i < TOLD_TASKS; i++)
        fail(&t, i, (int32_t)i + 1);
    explain_failure_first(&t.x, &told, &t.out);
    expect(told == STORY_FAILED);
    expect(told_is(&t, "Task 0 of map of job 7 failed with exit status 1 after 1.5 s on n0.\n"
                       "Task 1 of map of job 7 failed with exit status 2 after 1.5 s on n0.\n"
                       "Task 2 of map of job 7 failed with exit status 3 after 1.5 s on n0.\n"));
    t.x.job = NULL;
    t.x.failures = "Task 0 failed.\n";
    t.run.tasks_failed = 4;
    explain_run(&t.x, &t.out);
    expect(strstr(t.out.text, "Task 0 failed.\n1 task failed as well.\nA run of the policy"));
    str_cut(&t.out, 0);
    explain_failure_retry(&t.x, &t.out);
    expect(told_is(&t, ""));
    t.x.look = (void *)&t; /* it is there */
    t.x.path = "/runs/of mine/journal";
    explain_failure_retry(&t.x, &t.out);
    expect(told_is(&t, "")); /* the run goes on */
    t.x.complete = true;
    explain_failure_retry(&t.x, &t.out);
    expect(told_is(&t, "dolly resume --retry-failed '/runs/of mine'"));
    t.x.path = "/runs/of mine.journal";
    explain_failure_retry(&t.x, &t.out);
    expect(told_is(&t, ""));
    t.x.look = NULL;
    told_fini(&t);
}
