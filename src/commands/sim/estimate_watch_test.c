#include "commands/sim/estimate_watch.h"

#include <math.h>

#include "tests/unit/test.h"

enum { SECOND = 1000000 };

static void tell(struct follow *f, int64_t at_s, const struct event *e, const struct decision *d)
{
    struct turn turn = {at_s * SECOND, e, d, e ? 1 : 0, d ? 1 : 0, NULL};
    struct err err;
    expect(follow_tap(f).turn(f, &turn, &err) == 0);
}

static void happen(struct follow *f, int64_t at_s, uint8_t type, uint16_t attempt, int64_t done)
{
    struct event e = {.type = type, .at = {.attempt = attempt}};
    if (type == EV_ATTEMPT_PROGRESS) {
        e.u.progress.done = done;
        e.u.progress.total = 100;
    }
    tell(f, at_s, &e, NULL);
}

static void decide(struct follow *f, int64_t at_s, uint8_t type, uint8_t kind, uint16_t attempt,
                   struct reason why)
{
    struct decision d = {.type = type, .kind = kind, .at = {.attempt = attempt}, .why = why};
    tell(f, at_s, NULL, &d);
}

static struct follow *begin(struct estimate_watch **w)
{
    struct phase_spec phase = {.name = "map", .tasks = 2, .demand = {{1000}}};
    struct job_spec job = {.phases = &phase, .phase_count = 1};
    struct event up = {.type = EV_NODE_UP, .u.node.capacity = {{4000}}};
    struct event submitted = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    struct follow *f = follow_create(0, 0);
    *w = estimate_watch_create(f, 1000 * SECOND);
    tell(f, 0, &up, NULL);
    tell(f, 0, &submitted, NULL);
    return f;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* 10 s after its start it has done a quarter and is thought to need 30 s more; it takes 20. */
TEST(estimate_watch_compares_what_was_left_with_what_came)
{
    struct estimate_watch *w;
    struct follow *f = begin(&w);
    decide(f, 0, DO_LAUNCH, LAUNCH_FIRST, 0, REASON_PLAIN(WHY_RUNNABLE));
    happen(f, 10, EV_ATTEMPT_STARTED, 0, 0);
    happen(f, 15, EV_ATTEMPT_PROGRESS, 0, 0); /* says nothing */
    happen(f, 20, EV_ATTEMPT_PROGRESS, 0, 25);
    happen(f, 40, EV_ATTEMPT_FINISHED, 0, 0);
    struct estimate_errors e = estimate_watch_errors(w);
    expect(e.reports == 1 && near(e.trem_p50, 10.0 / 30) && near(e.trem_mean, 10.0 / 30));
    expect(e.copies == 0 && isnan(e.tnew_p50));
    follow_destroy(f);
    estimate_watch_destroy(w);
}

/* A duplicate that should take 8 s and takes 10, and a restart that should take 5 and takes 4. What
 * is killed says nothing. */
TEST(estimate_watch_compares_new_attempts_with_what_was_expected)
{
    struct estimate_watch *w;
    struct follow *f = begin(&w);
    decide(f, 0, DO_LAUNCH, LAUNCH_FIRST, 0, REASON_PLAIN(WHY_RUNNABLE));
    happen(f, 0, EV_ATTEMPT_STARTED, 0, 0);
    happen(f, 5, EV_ATTEMPT_PROGRESS, 0, 1);
    decide(f, 10, DO_LAUNCH, LAUNCH_BACKUP, 1, REASON(WHY_DUPLICATE_SAVES, 100, 8));
    happen(f, 12, EV_ATTEMPT_STARTED, 1, 0);
    decide(f, 14, DO_KILL, 0, 0, REASON(WHY_RESTART_FASTER, 100, 5));
    happen(f, 15, EV_ATTEMPT_KILLED, 0, 0);
    decide(f, 16, DO_LAUNCH, LAUNCH_RESTART, 2, REASON_PLAIN(WHY_AFTER_FAILURE));
    happen(f, 16, EV_ATTEMPT_STARTED, 2, 0);
    happen(f, 20, EV_ATTEMPT_FINISHED, 1, 0);
    happen(f, 20, EV_ATTEMPT_FINISHED, 2, 0);
    struct estimate_errors e = estimate_watch_errors(w);
    expect(e.reports == 0 && isnan(e.trem_mean) && e.copies == 2);
    expect(near(e.tnew_mean, (0.2 + 0.25) / 2) && near(e.tnew_p90, 0.25));
    follow_destroy(f);
    estimate_watch_destroy(w);
}

/* Two tasks of a phase are killed to be restarted, and the second one is first: each restart takes
 * as long as was expected of it, and not of the other. */
TEST(estimate_watch_knows_which_task_is_restarted)
{
    struct estimate_watch *w;
    struct follow *f = begin(&w);
    for (uint32_t t = 0; t < 2; t++) {
        struct attempt_ref at = {.task = t};
        struct decision launch = {.type = DO_LAUNCH, .kind = LAUNCH_FIRST, .at = at};
        struct event started = {.type = EV_ATTEMPT_STARTED, .at = at};
        tell(f, 0, NULL, &launch);
        tell(f, 0, &started, NULL);
    }
    for (uint32_t t = 0; t < 2; t++) {
        struct attempt_ref at = {.task = t};
        struct decision kill = {
            .type = DO_KILL, .at = at, .why = REASON(WHY_RESTART_FASTER, 100, t ? 50 : 5)};
        struct event killed = {.type = EV_ATTEMPT_KILLED, .at = at};
        tell(f, 10, NULL, &kill);
        tell(f, 10, &killed, NULL);
    }
    for (uint32_t t = 2; t-- > 0;) {
        struct attempt_ref at = {.task = t, .attempt = 1};
        struct decision launch = {.type = DO_LAUNCH, .kind = LAUNCH_RESTART, .at = at};
        struct event started = {.type = EV_ATTEMPT_STARTED, .at = at};
        tell(f, 20, NULL, &launch);
        tell(f, 20, &started, NULL);
    }
    for (uint32_t t = 0; t < 2; t++) {
        struct event finished = {.type = EV_ATTEMPT_FINISHED, .at = {.task = t, .attempt = 1}};
        tell(f, t ? 70 : 25, &finished, NULL);
    }
    struct estimate_errors e = estimate_watch_errors(w);
    expect(e.copies == 2 && near(e.tnew_mean, 0));
    follow_destroy(f);
    estimate_watch_destroy(w);
}
