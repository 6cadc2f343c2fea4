#include "jobs/run/job_progress.h"

#include <string.h>

#include "tests/test.h"

static void happens(struct job_progress *p, struct event e)
{
    struct turn t = {.events = &e, .event_count = 1};
    struct err err;

    expect(job_progress_tap(p).turn(p, &t, &err) == 0);
}

static bool says(const struct job_progress *p, const char *what)
{
    struct str text = {0};

    job_progress_describe(p, &text);
    bool same = strcmp(text.text, what) == 0;
    str_free(&text);
    return same;
}

TEST(job_progress_tells_phases_and_the_last_status)
{
    struct job_progress p = {0};
    struct task_plan plan = {0};
    struct attempt_ref first = {0}, clone = {.attempt = 1}, second = {.task = 1},
                       none = {.phase = 7, .task = 9};

    plan_add_phase(&plan, "map", "cat")->tasks = 4;
    plan_add_phase(&plan, "reduce", "cat")->tasks = 1;
    job_progress_begin(&p, &plan);
    expect(says(&p, "map 0 %, reduce 0 %, 0 running"));
    happens(&p, (struct event){.type = EV_ATTEMPT_STARTED, .at = first});
    happens(&p, (struct event){.type = EV_ATTEMPT_STARTED, .at = clone});
    happens(&p, (struct event){.type = EV_ATTEMPT_STARTED, .at = second});
    happens(&p, (struct event){.type = EV_ATTEMPT_PROGRESS,
                               .at = first,
                               .u.progress = {.done = 1, .total = 2}});
    happens(&p, (struct event){.type = EV_ATTEMPT_PROGRESS,
                               .at = clone, /* it is behind */
                               .u.progress = {.done = 1, .total = 9}});
    happens(&p, (struct event){.type = EV_ATTEMPT_PROGRESS,
                               .at = second, /* all is read, but not done */
                               .u.progress = {.done = 9, .total = 9}});
    job_progress_status(&p, second, "counts\033[2J");
    expect(says(&p, "map 37 %, reduce 0 %, 3 running; map 1: counts?[2J"));

    happens(&p, (struct event){.type = EV_ATTEMPT_FINISHED, .at = second});
    happens(&p, (struct event){.type = EV_COMMITTED, .at = second});
    expect(says(&p, "map 37 %, reduce 0 %, 2 running")); /* its status went with it */
    happens(&p, (struct event){.type = EV_ATTEMPT_FAILED, .at = first});
    expect(says(&p, "map 25 %, reduce 0 %, 1 running"));
    happens(&p, (struct event){.type = EV_OUTPUT_LOST, .at = second});
    happens(&p, (struct event){.type = EV_COMMITTED, .at = none}); /* not of this job */
    expect(says(&p, "map 0 %, reduce 0 %, 1 running"));
    job_progress_fini(&p);
    plan_fini(&plan);
}

TEST(job_progress_counts_clones)
{
    struct job_progress p = {0};
    struct task_plan plan = {0};
    struct decision launches[] = {{.type = DO_LAUNCH, .kind = LAUNCH_FIRST},
                                  {.type = DO_LAUNCH, .kind = LAUNCH_CLONE},
                                  {.type = DO_KILL, .kind = LAUNCH_CLONE}};
    struct err err;

    plan_add_phase(&plan, "map", "cat")->tasks = 1;
    job_progress_begin(&p, &plan);
    struct turn t = {.decisions = launches, .decision_count = 3};
    expect(job_progress_tap(&p).turn(&p, &t, &err) == 0);
    expect(says(&p, "map 0 %, 0 running, 1 clone"));
    job_progress_fini(&p);
    plan_fini(&plan);
}
