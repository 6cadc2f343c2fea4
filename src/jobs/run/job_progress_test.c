#include "jobs/run/job_progress.h"

#include <string.h>

#include "tests/unit/test.h"

/* A job of four maps and a reduce, and its progress. */
struct progressing {
    struct task_plan plan;
    struct job_progress p;
    struct follow *follow;
};

static void happens(struct progressing *x, struct event e)
{
    struct turn t = {.events = &e, .event_count = 1};
    struct err err;

    expect(follow_tap(x->follow).turn(x->follow, &t, &err) == 0);
}

static void launch(struct progressing *x, struct attempt_ref at, uint8_t kind)
{
    struct decision d = {.type = DO_LAUNCH, .kind = kind, .at = at};
    struct turn t = {.decisions = &d, .decision_count = 1};
    struct err err;

    expect(follow_tap(x->follow).turn(x->follow, &t, &err) == 0);
    happens(x, (struct event){.type = EV_ATTEMPT_STARTED, .at = at});
}

static void progress(struct progressing *x, struct attempt_ref at, int64_t done, int64_t total)
{
    happens(x, (struct event){.type = EV_ATTEMPT_PROGRESS,
                              .at = at,
                              .u.progress = {.done = done, .total = total}});
}

static void begin(struct progressing *x)
{
    struct phase_spec phases[] = {{.tasks = 4}, {.tasks = 1}};
    struct job_spec job = {.phases = phases, .phase_count = 2};

    *x = (struct progressing){.follow = follow_create(0, 0)};
    plan_add_phase(&x->plan, "map", "cat")->tasks = 4;
    plan_add_phase(&x->plan, "reduce", "cat")->tasks = 1;
    job_progress_begin(&x->p, &x->plan);
    job_progress_subscribe(&x->p, x->follow);
    happens(x, (struct event){.type = EV_NODE_UP});
    happens(x, (struct event){.type = EV_JOB_SUBMITTED, .u.job = &job});
}

static void end(struct progressing *x)
{
    follow_destroy(x->follow);
    job_progress_fini(&x->p);
    plan_fini(&x->plan);
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
    struct progressing x;
    struct attempt_ref first = {0}, clone = {.attempt = 1}, second = {.task = 1};
    struct attempt_ref none = {.job = {3}, .phase = 7, .task = 9};

    begin(&x);
    expect(says(&x.p, "map 0 %, reduce 0 %, 0 running"));
    launch(&x, first, LAUNCH_FIRST);
    launch(&x, clone, LAUNCH_RESTART);
    launch(&x, second, LAUNCH_FIRST);
    progress(&x, first, 1, 2);
    progress(&x, clone, 1, 9);  /* it is behind */
    progress(&x, second, 9, 9); /* all is read, but not done */
    progress(&x, none, 9, 9);
    job_progress_status(&x.p, second, "counts\033[2J");
    expect(says(&x.p, "map 37 %, reduce 0 %, 3 running; map 1: counts?[2J"));

    happens(&x, (struct event){.type = EV_ATTEMPT_FINISHED, .at = second});
    happens(&x, (struct event){.type = EV_COMMITTED, .at = second});
    expect(says(&x.p, "map 37 %, reduce 0 %, 2 running")); /* its status went with it */
    happens(&x, (struct event){.type = EV_ATTEMPT_FAILED, .at = first});
    expect(says(&x.p, "map 25 %, reduce 0 %, 1 running"));
    happens(&x, (struct event){.type = EV_OUTPUT_LOST, .at = {.task = 1, .attempt = 1}});
    expect(says(&x.p, "map 25 %, reduce 0 %, 1 running")); /* not the one that counts */
    happens(&x, (struct event){.type = EV_OUTPUT_LOST, .at = second});
    happens(&x, (struct event){.type = EV_COMMITTED, .at = none}); /* not of this job */
    expect(says(&x.p, "map 0 %, reduce 0 %, 1 running"));
    end(&x);
}

TEST(job_progress_counts_clones_and_what_runs)
{
    struct progressing x;
    struct attempt_ref first = {0}, clone = {.attempt = 1}, third = {.attempt = 2};
    struct decision d = {.type = DO_LAUNCH, .kind = LAUNCH_BACKUP, .at = third};
    struct turn t = {.decisions = &d, .decision_count = 1};
    struct err err;

    begin(&x);
    launch(&x, first, LAUNCH_FIRST);
    launch(&x, clone, LAUNCH_CLONE);
    expect(follow_tap(x.follow).turn(x.follow, &t, &err) == 0);
    expect(says(&x.p, "map 0 %, reduce 0 %, 2 running, 2 clones"));
    happens(&x, (struct event){.type = EV_ATTEMPT_LAUNCH_FAILED, .at = third});
    expect(says(&x.p, "map 0 %, reduce 0 %, 2 running, 2 clones"));
    happens(&x, (struct event){.type = EV_ATTEMPT_FINISHED, .at = first});
    happens(&x, (struct event){.type = EV_COMMITTED, .at = first});
    happens(&x, (struct event){.type = EV_ATTEMPT_FAILED, .at = clone}); /* its task is done */
    expect(says(&x.p, "map 25 %, reduce 0 %, 0 running, 2 clones"));
    end(&x);
}
