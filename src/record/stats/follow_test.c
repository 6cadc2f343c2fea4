#include "record/stats/follow.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static int tell(struct follow *f, int64_t now_us, const struct event *e, const struct decision *d,
                struct err *err)
{
    struct turn turn = {now_us, e, d, e ? 1 : 0, d ? 1 : 0, NULL};
    return follow_tap(f).turn(f, &turn, err);
}

static int submit(struct follow *f, int64_t now_us, uint32_t id, int64_t arrived_us)
{
    struct phase_spec phase = {.name = "map", .tasks = 2, .demand = {{500}}};
    struct job_spec job = {
        .id = {id}, .phases = &phase, .phase_count = 1, .arrived_us = arrived_us};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    struct err err;
    return tell(f, now_us, &e, NULL, &err);
}

static int happen(struct follow *f, int64_t now_us, uint8_t type, uint32_t task, uint16_t attempt)
{
    struct event e = {.type = type, .at = {{0}, task, 0, attempt}};
    struct err err;
    return tell(f, now_us, &e, NULL, &err);
}

static int launch(struct follow *f, int64_t now_us, uint8_t kind, uint32_t task, uint16_t attempt)
{
    struct decision d = {.type = DO_LAUNCH, .kind = kind, .at = {{0}, task, 0, attempt}};
    struct err err;
    return tell(f, now_us, NULL, &d, &err);
}

static int over(struct follow *f, int64_t now_us, uint32_t job)
{
    struct decision d = {.type = DO_JOB_DONE, .at = {.job = {job}}};
    struct err err;
    return tell(f, now_us, NULL, &d, &err);
}

static struct follow *begin(int64_t warmup_us, uint64_t jobs_max)
{
    struct follow *f = follow_create(warmup_us, jobs_max);
    struct event up = {.type = EV_NODE_UP, .u.node.capacity = {{4000}}};
    struct err err;
    expect(tell(f, 0, &up, NULL, &err) == 0);
    return f;
}

TEST(follow_measures_the_first_jobs_after_the_warm_up)
{
    struct follow *f = begin(10, 2);
    static const int64_t arrived_us[] = {9, 10, 0, 11, 12}; /* one that arrived early comes late */
    static const bool measured[] = {false, true, false, true, false};
    for (uint32_t i = 0; i < 5; i++) {
        expect(follow_full(f) == (i == 4));
        expect(submit(f, 20, i, arrived_us[i]) == 0);
        expect(live_jobs_find(&f->jobs, (struct job_id){i})->measured == measured[i]);
    }
    for (uint32_t i = 0; i < 5; i++) {
        expect(follow_settled(f) == (i == 4) && follow_counts(f) == (i < 4));
        expect(over(f, 30, i) == 0 && f->jobs_over == i + 1);
    }
    follow_destroy(f);
}

TEST(follow_without_a_limit_is_never_settled)
{
    struct follow *f = begin(0, 0);
    for (uint32_t i = 0; i < 3; i++)
        expect(submit(f, i, i, i) == 0 && over(f, i, i) == 0 && !follow_settled(f));
    expect(!follow_full(f) && f->measured_over == 3);
    follow_destroy(f);
}

/* Writes down what it is shown, a letter each. */
struct diary {
    struct follow *follow;
    bool keeps;
    char text[64];
    struct live_attempt last; /* that ended or won */
};

static void note(struct diary *d, char what)
{
    size_t n = strlen(d->text);
    if (n + 1 < sizeof d->text)
        d->text[n] = what;
}

static void on_launched(void *ctx, const struct live_place *p, const struct decision *what)
{
    struct diary *d = ctx;
    if (d->keeps)
        follow_keep(d->follow, p, what->at.attempt)->copy = what->kind == LAUNCH_CLONE;
    note(ctx, 'l');
}

static void on_ended(void *ctx, const struct live_place *p, const struct event *e,
                     const struct live_attempt *a)
{
    (void)p, (void)e;
    ((struct diary *)ctx)->last = *a;
    note(ctx, 'e');
}

static void on_won(void *ctx, const struct live_place *p, const struct event *e,
                   const struct live_attempt *a)
{
    (void)p, (void)e;
    ((struct diary *)ctx)->last = *a;
    note(ctx, 'w');
}

static void on_unwon(void *ctx, const struct live_place *p, const struct event *e)
{
    (void)p, (void)e;
    note(ctx, 'u');
}

static void on_over(void *ctx, struct live_job *j, bool done)
{
    (void)j;
    note(ctx, done ? 'd' : 'f');
}

static void on_gone(void *ctx, struct live_job *j)
{
    (void)j;
    note(ctx, 'g');
}

static const struct follow_hooks diary_hooks = {.launched = on_launched,
                                                .ended = on_ended,
                                                .won = on_won,
                                                .unwon = on_unwon,
                                                .over = on_over,
                                                .gone = on_gone};

/* A clone wins, its output is lost, and the first attempt, which had finished, wins after all;
 * whether or not first attempts are kept. */
TEST(follow_knows_who_wins_and_what_is_extra)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        struct follow *f = begin(0, 0);
        struct diary d = {f, keeps, "", {0}};
        follow_subscribe(f, &d, &diary_hooks);
        expect(submit(f, 1, 0, 1) == 0);
        expect(launch(f, 1, LAUNCH_FIRST, 0, 0) == 0 && f->extra.v[RES_CPU] == 0 &&
               f->held.v[RES_CPU] == 500);
        expect(launch(f, 2, LAUNCH_CLONE, 0, 1) == 0 && f->extra.v[RES_CPU] == 500 &&
               f->held.v[RES_CPU] == 1000);
        expect(happen(f, 5, EV_ATTEMPT_FINISHED, 0, 0) == 0 && f->extra.v[RES_CPU] == 0);
        expect(d.last.launched_us == 1 && d.last.ended_us == 5 && d.last.kind == LAUNCH_FIRST);
        expect(happen(f, 6, EV_ATTEMPT_FINISHED, 0, 1) == 0 && f->held.v[RES_CPU] == 0);
        expect(d.last.launched_us == 2 && d.last.ended_us == 6 && d.last.kind == LAUNCH_CLONE);
        expect(happen(f, 7, EV_COMMITTED, 0, 1) == 0 && d.last.copy == keeps);
        const struct live_task *t =
            &live_jobs_find(&f->jobs, (struct job_id){0})->phases[0].tasks[0];
        expect(t->winner == 1 && t->won_us == 6);
        expect(happen(f, 8, EV_OUTPUT_LOST, 0, 0) == 0 && t->winner == 1); /* it had not won */
        expect(happen(f, 8, EV_OUTPUT_LOST, 0, 1) == 0 && t->winner == LIVE_NO_WINNER);
        expect(happen(f, 9, EV_COMMITTED, 0, 0) == 0 && t->winner == 0 && t->won_us == 6);
        expect(d.last.ended_us == 5 && d.last.launched_us == 1);
        expect(launch(f, 9, LAUNCH_FIRST, 1, 0) == 0 && over(f, 10, 0) == 0);
        expect(happen(f, 11, EV_ATTEMPT_KILLED, 1, 0) == 0);
        expect(strcmp(d.text, "lleewuwldeg") == 0);
        follow_destroy(f);
    }
}

/* The first attempt finishes all the same when the clone has won: the time of the win stays, and
 * the first can still win, if that output is lost. */
TEST(follow_keeps_the_time_of_the_win_when_the_first_attempt_finishes_later)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        struct follow *f = begin(0, 0);
        struct diary d = {f, keeps, "", {0}};
        follow_subscribe(f, &d, &diary_hooks);
        expect(submit(f, 1, 0, 1) == 0 && launch(f, 1, LAUNCH_FIRST, 0, 0) == 0);
        expect(launch(f, 2, LAUNCH_CLONE, 0, 1) == 0);
        expect(happen(f, 6, EV_ATTEMPT_FINISHED, 0, 1) == 0);
        expect(happen(f, 7, EV_COMMITTED, 0, 1) == 0 && f->extra.v[RES_CPU] == 500);
        expect(happen(f, 8, EV_ATTEMPT_FINISHED, 0, 0) == 0 && f->held.v[RES_CPU] == 0);
        const struct live_task *t =
            &live_jobs_find(&f->jobs, (struct job_id){0})->phases[0].tasks[0];
        expect(t->winner == 1 && t->won_us == 6);
        expect(happen(f, 9, EV_OUTPUT_LOST, 0, 1) == 0);
        expect(happen(f, 10, EV_COMMITTED, 0, 0) == 0 && t->winner == 0 && t->won_us == 6);
        expect(d.last.ended_us == 8);
        follow_destroy(f);
    }
}

static void on_event(void *ctx, const struct event *e)
{
    note(ctx, e->type == EV_COMMITTED ? 'C' : e->type == EV_OUTPUT_LOST ? 'L' : 'x');
}

/* A job fails while the output of its first task is being committed. */
TEST(follow_shows_what_it_has_no_use_for)
{
    static const struct follow_hooks hooks = {.won = on_won, .gone = on_gone, .event = on_event};
    struct follow *f = begin(0, 0);
    struct diary d = {f, false, "", {0}};
    follow_subscribe(f, &d, &hooks);
    expect(submit(f, 1, 0, 1) == 0 && launch(f, 1, LAUNCH_FIRST, 0, 0) == 0);
    expect(happen(f, 2, EV_ATTEMPT_STARTED, 0, 0) == 0);
    expect(happen(f, 3, EV_ATTEMPT_FINISHED, 0, 0) == 0);
    expect(happen(f, 4, EV_OUTPUT_LOST, 0, 0) == 0 && over(f, 4, 0) == 0);
    expect(happen(f, 5, EV_COMMITTED, 0, 0) == 0 && happen(f, 6, EV_OUTPUT_LOST, 0, 0) == 0);
    expect(strcmp(d.text, "xLgCL") == 0 && f->events == 7);
    follow_destroy(f);
}

static void refuse_event(void *ctx, const struct event *e)
{
    ((struct follow *)ctx)->wrong = e->type == EV_TIMER ? "no clock here" : NULL;
}

TEST(follow_refuses_what_a_subscriber_refuses)
{
    static const struct follow_hooks hooks = {.event = refuse_event};
    struct follow *f = begin(0, 0);
    struct event events[] = {{.type = EV_TIMER}, {.type = EV_CORES}};
    struct turn turn = {.now_us = 1, .events = events, .event_count = 2};
    struct err err = {0};
    follow_subscribe(f, f, &hooks);
    expect(follow_tap(f).turn(f, &turn, &err) == -1 && strstr(err.text, "no clock here"));
    expect(err.kind == ERR_INPUT && tell(f, 2, &events[1], NULL, &err) == 0);
    follow_destroy(f);
}

TEST(follow_tells_of_jobs_that_are_left)
{
    struct follow *f = begin(0, 0);
    struct diary d = {f, false, "", {0}};
    follow_subscribe(f, &d, &diary_hooks);
    expect(submit(f, 1, 0, 1) == 0 && submit(f, 1, 1, 1) == 0 && over(f, 2, 0) == 0);
    follow_destroy(f);
    expect(strcmp(d.text, "dgg") == 0);
}

TEST(follow_objects_to_what_cannot_be)
{
    struct follow *f = begin(0, 0);
    struct err err = {0};
    expect(submit(f, 5, 3, 1) == 0 && submit(f, 5, 3, 1) == -1 && submit(f, 5, 5, 1) == -1);
    follow_destroy(f);

    f = begin(0, 0);
    expect(submit(f, 5, 0, -1) == -1 && submit(f, 5, 0, INT64_MAX) == -1);
    expect(submit(f, 5, 0, 5) == 0 && submit(f, 4, 1, 4) == -1); /* back in time */
    expect(launch(f, 5, LAUNCH_FIRST, 2, 0) == -1);              /* no such task */
    expect(happen(f, 5, EV_ATTEMPT_FINISHED, 0, 0) == -1);       /* not launched */
    expect(launch(f, 5, LAUNCH_FIRST, 0, 0) == 0);
    expect(happen(f, 6, EV_ATTEMPT_FINISHED, 0, 1) == -1);
    expect(happen(f, 6, EV_COMMITTED, 0, 0) == -1); /* not finished */
    expect(happen(f, 6, EV_ATTEMPT_FINISHED, 0, 0) == 0);
    expect(happen(f, 6, EV_ATTEMPT_FINISHED, 0, 0) == -1); /* twice */
    expect(happen(f, 7, EV_COMMITTED, 0, 0) == 0 && happen(f, 7, EV_COMMITTED, 0, 0) == -1);
    expect(over(f, 8, 1) == -1 && over(f, 8, 0) == 0 && over(f, 8, 0) == -1);
    struct decision far = {.type = DO_LAUNCH, .node = {9}};
    expect(submit(f, 9, 1, 9) == 0);
    far.at.job.v = 1;
    expect(tell(f, 9, NULL, &far, &err) == -1 && err.kind == ERR_INPUT);
    follow_destroy(f);
}

/* Time stands still or goes on, to a limit beyond which sums of it would not fit. */
TEST(follow_objects_to_times_that_cannot_be)
{
    const int64_t latest_us = INT64_MAX / 32, times_us[] = {4, latest_us + 1};
    struct follow *f = begin(0, 0);
    struct err err;
    expect(tell(f, 5, NULL, NULL, &err) == 0 && tell(f, 5, NULL, NULL, &err) == 0);
    for (int i = 0; i < 2; i++) {
        expect(tell(f, times_us[i], NULL, NULL, &err) == -1 && err.kind == ERR_INPUT);
        expect(strcmp(err.text, "the time is out of range") == 0);
    }
    expect(tell(f, latest_us, NULL, NULL, &err) == 0);
    follow_destroy(f);
}

/* An attempt that has left its node holds nothing; what became of it is reported later, and its
 * time is that at which it left. */
TEST(follow_an_attempt_that_has_left_holds_nothing)
{
    static const enum event_type ends[] = {EV_ATTEMPT_FINISHED, EV_ATTEMPT_KILLED,
                                           EV_ATTEMPT_FAILED};
    for (int i = 0; i < 6; i++) {
        struct follow *f = begin(0, 0);
        struct diary d = {f, i % 2, "", {0}};
        follow_subscribe(f, &d, &diary_hooks);
        expect(submit(f, 1, 0, 1) == 0 && launch(f, 1, LAUNCH_FIRST, 0, 0) == 0);
        expect(launch(f, 2, LAUNCH_CLONE, 0, 1) == 0 && f->held.v[RES_CPU] == 1000);
        expect(happen(f, 5, EV_ATTEMPT_ENDED, 0, 0) == 0 && f->held.v[RES_CPU] == 500);
        expect(strcmp(d.text, "ll") == 0);
        expect(happen(f, 8, (uint8_t)ends[i / 2], 0, 0) == 0 && f->held.v[RES_CPU] == 500);
        expect(strcmp(d.text, "lle") == 0 && d.last.launched_us == 1 && d.last.ended_us == 5);
        expect(happen(f, 9, EV_ATTEMPT_KILLED, 0, 1) == 0 && f->held.v[RES_CPU] == 0);
        expect(d.last.launched_us == 2 && d.last.ended_us == 9);
        follow_destroy(f);
    }
}

static bool is_refused(struct follow *f, enum event_type type, uint32_t task, uint16_t attempt,
                       const char *why)
{
    struct event e = {.type = (uint8_t)type, .at = {.task = task, .attempt = attempt}};
    struct err err = {0};
    bool is = tell(f, 9, &e, NULL, &err) == -1 && strstr(err.text, why);
    if (!is)
        printf("%s\n", err.text);
    return is;
}

TEST(follow_an_attempt_leaves_once_and_before_its_end)
{
    static const char no_such[] = "an attempt stops that does not exist";
    static const char again[] = "an attempt that has stopped ends again";
    static const struct {
        int finished; /* the attempt that has; -1: none */
        uint32_t task;
        uint16_t attempt;
        const char *why;
    } t[] = {{-1, 0, 2, no_such}, {-1, 1, 0, no_such}, {-1, 7, 0, no_such},
             {0, 0, 0, no_such},  {1, 0, 1, again},    {-1, 0, 0, NULL},
             {-1, 0, 1, NULL},    {1, 0, 0, NULL},     {0, 0, 1, NULL}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct follow *f = begin(0, 0);
        expect(submit(f, 1, 0, 1) == 0 && launch(f, 1, LAUNCH_FIRST, 0, 0) == 0);
        expect(launch(f, 2, LAUNCH_CLONE, 0, 1) == 0);
        if (t[i].finished >= 0)
            expect(happen(f, 3, EV_ATTEMPT_FINISHED, 0, (uint16_t)t[i].finished) == 0);
        if (!t[i].why)
            expect(happen(f, 9, EV_ATTEMPT_ENDED, t[i].task, t[i].attempt) == 0);
        expect(
            is_refused(f, EV_ATTEMPT_ENDED, t[i].task, t[i].attempt, t[i].why ? t[i].why : again));
        follow_destroy(f);
    }
}
