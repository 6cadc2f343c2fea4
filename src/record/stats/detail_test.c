#include "record/stats/detail.h"

#include <math.h>

#include "core/model/job.h"
#include "tests/unit/test.h"

enum { SECOND = 1000000 };

/* A run told by hand: each call is one turn with one event, one decision, or neither. */
struct detail_told {
    struct follow *follow;
    struct detail *detail;
};

static void tell(struct detail_told *d, int64_t at_s, const struct event *e,
                 const struct decision *what)
{
    struct tap tap = follow_tap(d->follow);
    struct turn turn = {at_s * SECOND, e, what, e ? 1 : 0, what ? 1 : 0, NULL};
    struct err err;
    expect(tap.turn(tap.ctx, &turn, &err) == 0);
}

static void submit(struct detail_told *d, int64_t at_s, uint32_t id, uint32_t tasks)
{
    struct phase_spec phase = {.name = "p", .tasks = tasks, .demand = {{RES_SLOT}}};
    struct job_spec job = {.id = {id},
                           .name = "j",
                           .weight = JOB_WEIGHT_ONE,
                           .phases = &phase,
                           .phase_count = 1,
                           .arrived_us = at_s * SECOND};
    struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    tell(d, at_s, &e, NULL);
}

static void happen(struct detail_told *d, int64_t at_s, uint8_t type, uint32_t job, uint32_t task,
                   uint16_t attempt)
{
    struct event e = {.type = type, .at = {{job}, task, 0, attempt}};
    tell(d, at_s, &e, NULL);
}

static void launch(struct detail_told *d, int64_t at_s, uint8_t kind, uint32_t job, uint32_t task,
                   uint16_t attempt)
{
    struct decision what = {.type = DO_LAUNCH,
                            .kind = kind,
                            .at = {{job}, task, 0, attempt},
                            .why = REASON_PLAIN(kind == LAUNCH_CLONE ? WHY_CLONE : WHY_RUNNABLE)};
    tell(d, at_s, NULL, &what);
}

static void win(struct detail_told *d, int64_t at_s, uint32_t job, uint32_t task, uint16_t attempt)
{
    happen(d, at_s, EV_ATTEMPT_FINISHED, job, task, attempt);
    happen(d, at_s, EV_COMMITTED, job, task, attempt);
}

static void over(struct detail_told *d, int64_t at_s, uint8_t type, uint32_t job)
{
    struct decision what = {.type = type, .at = {.job = {job}}};
    tell(d, at_s, NULL, &what);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static struct detail_told begin(int64_t warmup_s, uint64_t jobs_max)
{
    struct detail_told d = {.follow = follow_create(warmup_s * SECOND, jobs_max)};
    d.detail = detail_create(d.follow);
    struct event up = {.type = EV_NODE_UP, .node = {0}};
    up.u.node.capacity.v[RES_CPU] = 10 * RES_SLOT;
    tell(&d, 0, &up, NULL);
    return d;
}

static void end(struct detail_told *d)
{
    follow_destroy(d->follow);
    detail_destroy(d->detail);
}

/* Task 0 takes 10 s; its clone runs until it is dead at 12 s. Task 1 takes 40 s, task 2 10 s. */
static void cloned_job(struct detail_told *d, int64_t at_s, uint32_t id)
{
    submit(d, at_s, id, 3);
    for (uint32_t t = 0; t < 3; t++)
        launch(d, at_s, LAUNCH_FIRST, id, t, 0);
    happen(d, at_s + 1, EV_ATTEMPT_STARTED, id, 1, 0);
    happen(d, at_s + 2, EV_ATTEMPT_STARTED, id, 0, 0);
    launch(d, at_s + 2, LAUNCH_CLONE, id, 0, 1);
    win(d, at_s + 10, id, 0, 0);
    win(d, at_s + 10, id, 2, 0);
    happen(d, at_s + 12, EV_ATTEMPT_KILLED, id, 0, 1);
    win(d, at_s + 40, id, 1, 0);
    over(d, at_s + 41, DO_JOB_DONE, id);
}

TEST(detail_rows_of_a_job_and_its_phase)
{
    struct detail_told told = begin(0, 0), *d = &told;
    uint32_t count;
    cloned_job(d, 100, 1);
    const struct detail_job *j = detail_log(d->detail)->jobs.at;
    count = detail_log(d->detail)->jobs.count;
    expect(count == 1 && j->job == 1 && j->tasks == 3 && j->phases == 1);
    expect(near(j->arrived_s, 100) && near(j->started_s, 101) && near(j->jct_s, 41));
    expect(near(j->resource_s[RES_CPU], j->slot_s) && j->resource_s[RES_MEM] == 0);
    expect(near(j->slot_s, 10 + 10 + 40 + 10));
    expect(near(j->extra_slot_s, 10) && near(j->clone_slot_s, 10)); /* 2 s to 12 s */
    const struct detail_phase *p = detail_log(d->detail)->phases.at;
    count = detail_log(d->detail)->phases.count;
    expect(count == 1 && p->job == 1 && p->tasks == 3);
    expect(near(p->took_s, 40) && near(p->median_s, 10) && near(p->slowdown, 4));
    expect(p->stragglers == 1 && p->outliers == 1 && isnan(p->read_s));
    expect(detail_log(d->detail)->wins[LAUNCH_FIRST] == 3 &&
           detail_log(d->detail)->wins[LAUNCH_CLONE] == 0);
    expect(detail_log(d->detail)->decisions[DO_LAUNCH][WHY_CLONE] == 1);
    expect(detail_log(d->detail)->decisions[DO_LAUNCH][WHY_RUNNABLE] == 3);
    expect(near(detail_log(d->detail)->held_max_frac[0], 0.4) &&
           near(detail_log(d->detail)->held_max_frac[1], 0));
    expect(near(detail_log(d->detail)->span_s, 41));
    end(d);
}

TEST(detail_measures_what_the_summary_measures)
{
    struct detail_told told = begin(50, 1), *d = &told;
    uint32_t count;
    cloned_job(d, 0, 1); /* warm-up */
    cloned_job(d, 60, 2);
    cloned_job(d, 200, 3); /* one too many */
    const struct detail_job *j = detail_log(d->detail)->jobs.at;
    count = detail_log(d->detail)->jobs.count;
    expect(count == 1 && j->job == 2);
    expect(detail_log(d->detail)->decisions[DO_LAUNCH][WHY_CLONE] == 1);
    expect(detail_log(d->detail)->wins[LAUNCH_FIRST] == 3);
    end(d);
}

TEST(detail_failed_jobs_have_no_time_and_no_phases)
{
    struct detail_told told = begin(0, 0), *d = &told;
    uint32_t count;
    submit(d, 0, 1, 1);
    launch(d, 0, LAUNCH_FIRST, 1, 0, 0);
    over(d, 5, DO_JOB_FAILED, 1);
    happen(d, 7, EV_ATTEMPT_KILLED, 1, 0, 0);
    const struct detail_job *j = detail_log(d->detail)->jobs.at;
    count = detail_log(d->detail)->jobs.count;
    expect(count == 1 && isnan(j->jct_s) && near(j->slot_s, 7));
    count = detail_log(d->detail)->phases.count;
    expect(count == 0);
    end(d);
}

TEST(detail_reads_and_omega)
{
    struct detail_told told = begin(0, 0), *d = &told;
    uint32_t count;
    submit(d, 0, 1, 2);
    struct decision omega = {.type = DO_VERDICT, .why = REASON(WHY_OMEGA, 1, 2.5, 3, 4, 0.5)};
    tell(d, 1, NULL, &omega);
    for (uint32_t t = 0; t < 2; t++)
        launch(d, 1, LAUNCH_FIRST, 1, t, 0);
    for (uint32_t t = 0; t < 2; t++)
        for (int64_t k = 1; k <= 2; k++) {
            struct event e = {.type = EV_FETCH_DONE, .at = {{1}, t, 0, 0}};
            e.u.fetch.took_us = (t + 1) * k * SECOND; /* 1 s and 2 s; 2 s and 4 s */
            tell(d, 5, &e, NULL);
        }
    for (uint32_t t = 0; t < 2; t++)
        win(d, 9, 1, t, 0);
    over(d, 9, DO_JOB_DONE, 1);
    const struct detail_phase *p = detail_log(d->detail)->phases.at;
    count = detail_log(d->detail)->phases.count;
    expect(count == 1 && near(p->read_s, 3) && near(p->read_ratio, 2));
    const struct detail_omega *o = detail_log(d->detail)->omegas.at;
    count = detail_log(d->detail)->omegas.count;
    expect(count == 1 && near(o->at_s, 1) && o->bin == 1 && near(o->omega_s, 2.5));
    expect(near(o->alone_s, 3) && near(o->shared_s, 4) && near(o->missing, 0.5));
    end(d);
}
