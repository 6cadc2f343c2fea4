/* The problem: several collectors need to know which attempts of which tasks are alive, and must
 * agree on it; and most runs have only one collector, on the way of every event.
 *
 * The method: one account (live_job.h), changed here and shown to the subscribers. Most tasks have
 * one attempt, which wins the moment after it has finished. Such a first attempt takes no memory of
 * its own: its launch is that of the task, and the time of its end stands where that of the
 * winner will be.
 *
 * Rejected: an account in each collector. It costs each of them two hundred lines, and their
 * definitions differ in corners. */
#include "record/stats/follow.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/rare.h"

/* Beyond it sums of times could overflow; no run takes nine thousand years. */
#define FOLLOW_TIME_MAX (INT64_MAX / 32)

/* The types of events that change the account. All others, of which progress reports are most of a
 * simulation's events, matter only to subscribers that are shown every event. */
#define TYPE(type) (UINT64_C(1) << EV_##type)
static const uint64_t changing = TYPE(NODE_UP) | TYPE(NODE_DOWN) | TYPE(NODE_CAPACITY) |
                                 TYPE(RESOURCE) | TYPE(JOB_SUBMITTED) |
                                 TYPE(ATTEMPT_LAUNCH_FAILED) | TYPE(ATTEMPT_FINISHED) |
                                 TYPE(ATTEMPT_FAILED) | TYPE(ATTEMPT_KILLED) | TYPE(ATTEMPT_LOST) |
                                 TYPE(ATTEMPT_ENDED) | TYPE(COMMITTED) | TYPE(OUTPUT_LOST);
#undef TYPE
_Static_assert(EV_TYPE_END <= 64, "a bit for each type of event");

struct follow *follow_create(int64_t warmup_us, uint64_t jobs_max)
{
    struct follow *f = mem_zalloc(1, sizeof *f);
    f->warmup_us = warmup_us;
    f->jobs_max = jobs_max;
    f->sees = changing;
    f->kinds = RES_KINDS_PLAIN;
    f->first.left_us = -1;
    return f;
}

uint32_t follow_subscribe(struct follow *f, void *ctx, const struct follow_hooks *hooks)
{
    check(f->subscriber_count < LIVE_OWNERS && !f->begun);
    f->subscribers[f->subscriber_count].ctx = ctx;
    f->subscribers[f->subscriber_count].hooks = hooks;
    f->shows_events |= hooks->event != NULL;
    f->sees = f->shows_events ? UINT64_MAX : changing;
    f->shows_decisions |= hooks->decision != NULL;
    f->keeps_job_sums |= hooks->reads_job_sums;
    return f->subscriber_count++;
}

#define SHOW(f, hook, ...)                                                                         \
    for (uint32_t i_ = 0; i_ < (f)->subscriber_count; i_++)                                        \
        if ((f)->subscribers[i_].hooks->hook)                                                      \
    (f)->subscribers[i_].hooks->hook((f)->subscribers[i_].ctx, ##__VA_ARGS__)

static void job_gone(struct follow *f, struct live_job *j)
{
    SHOW(f, gone, j);
    live_jobs_drop(&f->jobs, j);
}

void follow_destroy(struct follow *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->jobs.window.count; i++)
        if (f->jobs.window.at[i])
            SHOW(f, gone, f->jobs.window.at[i]);
    live_jobs_fini(&f->jobs);
    capacity_fini(&f->capacity);
    mem_free(f);
}

/* ---- jobs ---- */

static const char *job_submitted(struct follow *f, const struct job_spec *spec)
{
    if (f->begun && spec->id.v != f->next_id)
        return "a job's number is not the next one";
    if (spec->arrived_us < 0 || spec->arrived_us > FOLLOW_TIME_MAX || spec->wrapup_us < 0 ||
        spec->wrapup_us > FOLLOW_TIME_MAX)
        return "a job's times are out of range";
    if (job_tasks(spec) > JOB_TASKS_ALL_MAX)
        return "a job has too many tasks";
    bool measured = spec->arrived_us >= f->warmup_us && !follow_full(f);

    f->measured_taken += measured;
    f->begun = true;
    f->next_id = spec->id.v + 1;
    struct live_job *j = live_jobs_add(&f->jobs, spec, measured);
    SHOW(f, submitted, j, spec);
    return NULL;
}

static const char *job_over(struct follow *f, const struct decision *d)
{
    struct live_job *j = live_jobs_find(&f->jobs, d->at.job);

    if (!j || j->over)
        return "a job ends that did not arrive";
    j->over = true;
    f->jobs_over++;
    f->measured_over += j->measured;
    SHOW(f, over, j, d->type == DO_JOB_DONE);
    if (j->live == 0)
        job_gone(f, j);
    return NULL;
}

/* ---- attempts ---- */

/* Adds what an attempt holds, or takes it out. */
static void hold(struct follow *f, const struct live_place *p, int sign)
{
    res_sum_add(&f->held, &p->phase->demand, sign);
    if (f->keeps_job_sums)
        res_sum_add(&p->job->held, &p->phase->demand, sign);
    if (p->job->measured)
        res_sum_add(&f->measured, &p->phase->demand, sign);
}

/* Attempts of the task have changed: charges what is held now, also by extra ones. `live` is 1
 * if there is one more than before, -1 if there is one less. */
static inline void charge(struct follow *f, const struct live_place *p, int64_t extra_before,
                          int live)
{
    int64_t extra = live_extra(p) - extra_before;

    if (live != 0)
        hold(f, p, live);
    if (extra != 0) {
        f->shifts++;
        res_sum_add(&f->extra, &p->phase->demand, extra);
        if (f->keeps_job_sums)
            res_sum_add(&p->job->extra, &p->phase->demand, extra);
    }
}

static const char *attempt_launched(struct follow *f, const struct decision *d)
{
    struct live_place p;

    if (!live_jobs_place(&f->jobs, d->at, &p) || !p.job)
        return "an attempt is launched of a task that does not exist";
    if (d->node.v >= f->capacity.nodes.count)
        return "an attempt is launched on a node that does not exist";
    int64_t extra = live_extra(&p);
    bool first = p.task->launched_us < 0;
    if (first)
        p.task->launched_us = f->now_us;
    if (!first || d->at.attempt > 0 || d->kind != LAUNCH_FIRST)
        live_jobs_attempt_add(&f->jobs, p.task, d->at.attempt, f->now_us)->kind = d->kind;
    p.task->live++;
    p.job->live++;
    charge(f, &p, extra, 1);
    f->wrong = NULL;
    SHOW(f, launched, &p, d);
    return f->wrong;
}

/* While the task has no winner, the time at which its first attempt has finished stands where the
 * winner's will: -2 for 0, -3 for 1, ... */
static int64_t hidden(int64_t ended_us)
{
    return -2 - ended_us;
}

static bool is_hidden(const struct live_task *t, uint16_t ordinal)
{
    return ordinal == 0 && t->won_us < -1;
}

/* The first attempt gets memory of its own, with the end that was hidden. */
static struct live_attempt *keep_first(struct follow *f, struct live_task *t)
{
    struct live_attempt *a = live_jobs_attempt_add(&f->jobs, t, 0, t->launched_us);
    if (t->won_us < -1) {
        a->ended_us = hidden(t->won_us);
        t->won_us = -1;
    }
    return a;
}

struct live_attempt *follow_keep(struct follow *f, const struct live_place *p, uint16_t ordinal)
{
    struct live_attempt *a = live_jobs_attempt_find(&f->jobs, p->task, ordinal);
    return a ? a : keep_first(f, p->task);
}

struct live_attempt *follow_attempt(struct follow *f, struct attempt_ref at)
{
    struct live_place p;
    bool there = live_jobs_place(&f->jobs, at, &p) && p.job;
    return there ? live_jobs_attempt_find(&f->jobs, p.task, at.attempt) : NULL;
}

static void attempt_started(struct follow *f, const struct event *e)
{
    struct live_attempt *a = follow_attempt(f, e->at);
    if (a)
        a->started_us = event_started_us(e, f->now_us, a->launched_us);
}

/* It holds nothing any more; what became of it is told later. */
static const char *attempt_left(struct follow *f, const struct event *e)
{
    struct live_place p;

    if (!live_jobs_place(&f->jobs, e->at, &p) || !p.job || p.task->live == 0)
        return "an attempt stops that does not exist";
    struct live_attempt *a = live_jobs_attempt_find(&f->jobs, p.task, e->at.attempt);
    if (!a && (e->at.attempt > 0 || is_hidden(p.task, 0)))
        return "an attempt stops that does not exist";
    if (!a)
        a = keep_first(f, p.task);
    if (a->left_us >= 0 || a->ended_us >= 0)
        return "an attempt that has stopped ends again";
    a->left_us = f->now_us;
    hold(f, &p, -1);
    return NULL;
}

/* The rest of every end: `a` is not live any more. */
static inline void ended(struct follow *f, struct live_place *p, const struct event *e,
                         const struct live_attempt *a, int64_t extra_before)
{
    p->task->live--;
    p->job->live--;
    charge(f, p, extra_before, -1);
    SHOW(f, ended, p, e, a);
}

/* The end of an attempt of a task that keeps some, or has a winner. */
RARE static const char *other_ended(struct follow *f, struct live_place *p, const struct event *e)
{
    struct live_task *t = p->task;
    int64_t extra = live_extra(p);
    struct live_attempt first = {.launched_us = t->launched_us, .left_us = -1};
    struct live_attempt *a = live_jobs_attempt_find(&f->jobs, t, e->at.attempt);
    bool kept = a != NULL, finished = e->type == EV_ATTEMPT_FINISHED;
    if (kept ? a->ended_us >= 0 : e->at.attempt > 0 || is_hidden(t, 0))
        return "an attempt ends that does not exist";
    if (finished && !kept && t->won_us >= 0) { /* beside a winner, whose time stands there */
        a = keep_first(f, t);
        kept = true;
    }
    if (!kept)
        a = &first;
    a->ended_us = a->left_us >= 0 ? a->left_us : f->now_us;
    if (a->left_us >= 0) /* to be taken out with all else */
        hold(f, p, 1);
    if (finished && !kept)
        t->won_us = hidden(f->now_us);
    ended(f, p, e, a, extra);
    if (!finished && kept)
        live_jobs_attempt_drop(&f->jobs, t, e->at.attempt);
    return NULL;
}

static const char *attempt_ended(struct follow *f, const struct event *e)
{
    struct live_place p;
    const char *wrong = NULL;

    if (!live_jobs_place(&f->jobs, e->at, &p) || !p.job || p.task->live == 0)
        return "an attempt ends that does not exist";
    /* Mostly it is the only attempt so far, and has no memory of its own. */
    if (p.task->attempts == LIVE_NONE && p.task->won_us == -1 && e->at.attempt == 0) {
        int64_t extra = live_extra(&p);
        f->first.launched_us = p.task->launched_us;
        f->first.ended_us = f->now_us;
        if (e->type == EV_ATTEMPT_FINISHED)
            p.task->won_us = hidden(f->now_us);
        ended(f, &p, e, &f->first, extra);
    } else {
        wrong = other_ended(f, &p, e);
    }
    if (p.job->over && p.job->live == 0 && !wrong)
        job_gone(f, p.job);
    return wrong;
}

static const char *other_event(struct follow *f, const struct event *e)
{
    if (!f->shows_events)
        return NULL;
    f->wrong = NULL;
    SHOW(f, event, e);
    return f->wrong;
}

/* The rest of every commit, of `a`. */
static inline void won(struct follow *f, struct live_place *p, const struct event *e,
                       const struct live_attempt *a)
{
    struct live_task *t = p->task;
    int64_t extra = live_extra(p);
    t->winner = e->at.attempt;
    if (t->won_us < 0)
        t->won_us = a->ended_us; /* a job cloned as a whole commits everything at its end */
    charge(f, p, extra, 0);
    SHOW(f, won, p, e, a);
}

/* The commit of an attempt that has memory of its own. */
RARE static const char *kept_committed(struct follow *f, struct live_place *p,
                                       const struct event *e)
{
    struct live_task *t = p->task;
    if (t->won_us < -1) /* another wins: the first may do so later, if that is lost */
        keep_first(f, t);
    const struct live_attempt *a = live_jobs_attempt_find(&f->jobs, t, e->at.attempt);
    if (!a || a->ended_us < 0)
        return "an attempt that has not finished is committed";
    won(f, p, e, a);
    live_jobs_attempt_drop(&f->jobs, t, e->at.attempt);
    return NULL;
}

static const char *attempt_committed(struct follow *f, const struct event *e)
{
    struct live_place p;

    if (!live_jobs_place(&f->jobs, e->at, &p))
        return "a task is committed that does not exist";
    if (!p.job) /* it failed meanwhile */
        return other_event(f, e);
    if (!is_hidden(p.task, e->at.attempt))
        return kept_committed(f, &p, e);
    f->first.launched_us = p.task->launched_us;
    f->first.ended_us = hidden(p.task->won_us);
    p.task->won_us = -1;
    won(f, &p, e, &f->first);
    return NULL;
}

static const char *output_lost(struct follow *f, const struct event *e)
{
    struct live_place p;

    if (!live_jobs_place(&f->jobs, e->at, &p))
        return "an output is lost of a task that does not exist";
    if (!p.job || p.task->winner != e->at.attempt)
        return other_event(f, e);
    int64_t extra = live_extra(&p);
    p.task->winner = LIVE_NO_WINNER;
    charge(f, &p, extra, 0);
    SHOW(f, unwon, &p, e);
    return NULL;
}

/* ---- the tap ---- */

/* Returns NULL, or why it cannot be of a run. */
static const char *see_event(struct follow *f, const struct event *e)
{
    const char *wrong = NULL;

    if (event_is_end(e->type))
        return attempt_ended(f, e);
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_CAPACITY:
        if (e->node.v >= NODES_MAX)
            return "a node's number is out of range";
        capacity_see(&f->capacity, e);
        f->shifts++;
        break;
    case EV_RESOURCE:
        if (f->begun && f->kinds.v[e->u.resource.which] != e->u.resource.kind)
            return "a resource changes during the run";
        f->kinds.v[e->u.resource.which] = e->u.resource.kind;
        f->shifts++;
        break;
    case EV_JOB_SUBMITTED:
        return job_submitted(f, e->u.job);
    case EV_COMMITTED:
        return attempt_committed(f, e);
    case EV_OUTPUT_LOST:
        return output_lost(f, e);
    case EV_ATTEMPT_STARTED:
        attempt_started(f, e);
        break;
    case EV_ATTEMPT_ENDED:
        wrong = attempt_left(f, e);
        break;
    default:
        break;
    }
    return wrong ? wrong : other_event(f, e);
}

static const char *see_decision(struct follow *f, const struct decision *d)
{
    if (f->shows_decisions)
        SHOW(f, decision, d);
    if (d->type == DO_LAUNCH)
        return attempt_launched(f, d);
    if (d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED)
        return job_over(f, d);
    return NULL;
}

/* Begins to fetch what is kept about the attempt that ends next. */
static void see_hint(const struct follow *f, const struct hint *hint)
{
    const struct live_job *j = live_jobs_find(&f->jobs, hint->at.job);
    if (!j)
        return;
    const struct live_task *t = &j->phases[hint->at.phase].tasks[hint->at.task];
    __builtin_prefetch(t, 1);
    __builtin_prefetch(&t->winner, 1); /* it may lie in two cache lines */
}

static int follow_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct follow *f = ctx;
    const char *wrong = NULL;

    if (turn->hint)
        see_hint(f, turn->hint);
    if (turn->now_us < f->now_us || turn->now_us > FOLLOW_TIME_MAX)
        return err_set(err, "the time is out of range");
    bool passed = turn->now_us > f->now_us; /* not in every second turn: answers take no time */
    f->now_us = turn->now_us;
    f->events += turn->event_count;
    if (passed)
        SHOW(f, time);
    uint64_t sees = f->sees;
    for (uint32_t i = 0; i < turn->event_count && !wrong; i++)
        if (sees >> (turn->events[i].type & 63) & 1)
            wrong = see_event(f, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count && !wrong; i++)
        wrong = see_decision(f, &turn->decisions[i]);
    if (wrong)
        return err_set(err, "%s", wrong);
    SHOW(f, turn_end);
    return 0;
}

struct tap follow_tap(struct follow *f)
{
    return (struct tap){.ctx = f, .turn = follow_turn};
}
