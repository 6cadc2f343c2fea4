/* The problem: to say in a few numbers what a policy achieved (how long jobs took) and what it cost
 * (slots held, slots held by extra attempts), exactly, from the record of the run alone.
 *
 * The method: cost is an integral over time. How many thousandths of cpu are held, and how many of
 * them by extra attempts, changes only in turns; between two turns both are constant and are
 * multiplied by the time that passed. All of it is integer arithmetic, so the same turns give the
 * same numbers to the last bit. An attempt is charged from the decision to launch it until its
 * confirmed end. It is extra when it is beyond one per unfinished task, or belongs to a finished
 * task; a task is finished from its commit on, unless the output is lost. Capacity is that of all
 * nodes that are not down, as it is for clone budgets.
 *
 * Percentiles are exact: one double per job and per phase is kept.
 *
 * Rejected: adding up usage reports of the bodies. They begin at the start of an attempt, while
 * budgets are charged from the decision on, and a lost attempt may report nothing. */
#include "stats/summary.h"

#include <math.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"
#include "model/res.h"
#include "stats/capacity.h"
#include "stats/live_job.h"
#include "stats/measured.h"

/* cpu thousandths x microseconds: 64 bits hold no more than a month of a large cluster. */
typedef __int128 area;

struct summary {
    struct measured measured;
    struct live_jobs jobs;
    struct capacity capacity;

    /* What is true now, and since when. */
    int64_t now_us;
    bool begun; /* a job was submitted */
    int64_t busy_cpu /* measured jobs */, extra_cpu, held_cpu /* all jobs */;
    int64_t load_held, load_capacity, load; /* the percent that these two make */

    area capacity_area, busy_area, extra_area, winner_area;
    double max_clone_frac;
    int64_t load_us[SUMMARY_LOADS]; /* time spent at each percent of utilisation */

    uint64_t jobs_failed, tasks, all_jobs_over;
    uint64_t launches[LAUNCH_KIND_END], killed;
    int64_t first_arrival_us, last_end_us;
    VEC(double) jct_us;
    struct {
        uint64_t jobs;
        area jct_us, healthy_us;
    } bins[SUMMARY_BINS];

    VEC(double) slowdowns;
    VEC(double) small_slowdowns; /* of phases of jobs in the first bin */
    VEC(double) times;           /* per byte; scratch */
};

struct summary *summary_create(int64_t warmup_us, uint64_t jobs_max)
{
    struct summary *s = mem_zalloc(1, sizeof *s);

    s->measured = (struct measured){.warmup_us = warmup_us, .jobs_max = jobs_max};
    s->first_arrival_us = INT64_MAX;
    s->last_end_us = INT64_MIN;
    return s;
}

void summary_destroy(struct summary *s)
{
    if (!s)
        return;
    live_jobs_fini(&s->jobs);
    capacity_fini(&s->capacity);
    vec_free(&s->jct_us);
    vec_free(&s->slowdowns);
    vec_free(&s->small_slowdowns);
    vec_free(&s->times);
    mem_free(s);
}

/* The percent of utilisation. A division, which is slow, only if something has changed: on a busy
 * cluster one attempt takes the place of another. */
static int64_t load_now(struct summary *s)
{
    if (s->held_cpu != s->load_held || s->capacity.cpu != s->load_capacity) {
        s->load_held = s->held_cpu;
        s->load_capacity = s->capacity.cpu;
        int64_t load = s->capacity.cpu > 0 ? s->held_cpu * 100 / s->capacity.cpu : 0;
        s->load = load < SUMMARY_LOADS ? load : SUMMARY_LOADS - 1;
    }
    return s->load;
}

/* Charges the time since the last turn. */
static void advance(struct summary *s, int64_t now_us)
{
    if (now_us == s->now_us)
        return; /* every second turn: answers that take no time */
    if (s->begun && !summary_settled(s)) {
        check(now_us >= s->now_us);
        s->busy_area += (area)s->busy_cpu * (now_us - s->now_us);
        int64_t from_us = s->now_us > s->measured.warmup_us ? s->now_us : s->measured.warmup_us;
        if (now_us > from_us) {
            s->capacity_area += (area)s->capacity.cpu * (now_us - from_us);
            s->extra_area += (area)s->extra_cpu * (now_us - from_us);
            s->load_us[load_now(s)] += now_us - from_us;
        }
    }
    s->now_us = now_us;
}

static void job_submitted(struct summary *s, const struct job_spec *spec)
{
    bool measured = measured_take(&s->measured, spec);

    if (measured && spec->arrived_us < s->first_arrival_us)
        s->first_arrival_us = spec->arrived_us;
    s->begun = true;
    live_jobs_add(&s->jobs, spec, measured);
}

/* ---- attempts ---- */

static void attempt_launched(struct summary *s, const struct decision *d)
{
    struct live_place p = live_place_of(&s->jobs, d->at);

    check(p.job && d->kind < LAUNCH_KIND_END);
    s->held_cpu += p.phase->cpu;
    s->extra_cpu += live_launched(&p, s->now_us);
    if (d->at.attempt > 0)
        live_attempt_add(&s->jobs, p.task, d->at.attempt, s->now_us);
    if (p.job->measured) {
        s->busy_cpu += p.phase->cpu;
        s->launches[d->kind]++;
    }
}

/* Most tasks are won by their first attempt, the moment after it has finished. While the task has
 * no winner, the time of that end stands where the winner's will: -2 for 0, -3 for 1, ... */
static int64_t hidden(int64_t ended_us)
{
    return -2 - ended_us;
}

static void attempt_finished(struct summary *s, struct live_task *t, uint16_t ordinal)
{
    if (ordinal == 0 && t->won_us == -1) {
        t->won_us = hidden(s->now_us);
        return;
    }
    struct live_attempt *a = ordinal == 0 ? live_attempt_add(&s->jobs, t, 0, t->launched_us)
                                          : live_attempt_find(&s->jobs, t, ordinal);
    check(a);
    a->ended_us = s->now_us;
}

/* Takes the times of an attempt that has finished out of the books. */
static struct live_attempt attempt_take(struct summary *s, struct live_task *t, uint16_t ordinal)
{
    if (ordinal == 0 && t->won_us < -1) {
        int64_t ended_us = hidden(t->won_us);
        t->won_us = -1;
        return (struct live_attempt){.launched_us = t->launched_us, .ended_us = ended_us};
    }
    const struct live_attempt *a = live_attempt_find(&s->jobs, t, ordinal);
    check(a && a->ended_us >= 0);
    struct live_attempt taken = *a;
    live_attempt_drop(&s->jobs, t, ordinal);
    if (t->won_us < -1) { /* another has won: the first may still do so later, if that is lost */
        live_attempt_add(&s->jobs, t, 0, t->launched_us)->ended_us = hidden(t->won_us);
        t->won_us = -1;
    }
    return taken;
}

static void attempt_ended(struct summary *s, const struct event *e)
{
    struct live_place p = live_place_of(&s->jobs, e->at);

    check(p.job);
    s->held_cpu -= p.phase->cpu;
    s->extra_cpu += live_ended(&p);
    if (p.job->measured) {
        s->busy_cpu -= p.phase->cpu;
        s->killed += e->type == EV_ATTEMPT_KILLED;
    }
    if (e->type == EV_ATTEMPT_FINISHED) { /* kept: it may win */
        attempt_finished(s, p.task, e->at.attempt);
    } else if (e->at.attempt > 0) {
        live_attempt_drop(&s->jobs, p.task, e->at.attempt);
    }
    if (p.job->over && p.job->live == 0)
        live_jobs_drop(&s->jobs, p.job);
}

static void attempt_committed(struct summary *s, struct attempt_ref at)
{
    struct live_place p = live_place_of(&s->jobs, at);

    if (!p.job)
        return; /* the job failed meanwhile */
    s->extra_cpu += live_won(&p, at.attempt);
    struct live_attempt a = attempt_take(s, p.task, at.attempt);
    if (p.task->won_us < 0)
        p.task->won_us = a.ended_us; /* a job cloned as a whole commits everything at its end */
    if (p.job->measured)
        s->winner_area += (area)p.phase->cpu * (a.ended_us - a.launched_us);
}

static void output_lost(struct summary *s, struct attempt_ref at)
{
    struct live_place p = live_place_of(&s->jobs, at);

    if (p.job && p.task->winner == at.attempt)
        s->extra_cpu += live_won(&p, LIVE_NO_WINNER);
}

/* ---- jobs that are over ---- */

/* Notes the slowest time per byte over the median one of a phase whose tasks are all committed.
 * Returns by how much the phase would have ended earlier had every task slower than the median been
 * like it. */
static double phase_slowdown(struct summary *s, const struct live_phase *p, bool small)
{
    if (p->count < 2)
        return 0;
    double slowest = 0;
    vec_clear(&s->times);
    vec_reserve(&s->times, p->count);
    for (uint32_t t = 0; t < p->count; t++) {
        if (p->tasks[t].won_us < 0)
            return 0; /* a phase nobody needed */
        double took = live_task_took_us(&p->tasks[t]) / live_task_bytes(p, t);
        slowest = took > slowest ? took : slowest;
        vec_push(&s->times, took);
    }
    double median = stat_quantile(s->times.at, s->times.count, 0.5);
    vec_push(&s->slowdowns, slowest / median);
    if (small)
        vec_push(&s->small_slowdowns, slowest / median);

    double end = 0, healthy_end = 0;
    for (uint32_t t = 0; t < p->count; t++) {
        double begun = (double)p->tasks[t].launched_us, took = live_task_took_us(&p->tasks[t]);
        double healthy = live_task_bytes(p, t) * median;
        double least = took < healthy ? took : healthy;
        end = end > begun + took ? end : begun + took;
        healthy_end = healthy_end > begun + least ? healthy_end : begun + least;
    }
    return end - healthy_end;
}

static void job_done(struct summary *s, const struct live_job *j)
{
    int64_t jct_us = s->now_us - j->arrived_us + j->wrapup_us;
    int bin = job_bin(j->tasks) - 1;
    double saved_us = 0;

    vec_push(&s->jct_us, (double)jct_us);
    for (uint16_t i = 0; i < j->phase_count; i++)
        saved_us += phase_slowdown(s, &j->phases[i], bin == 0);
    s->bins[bin].jobs++;
    s->bins[bin].jct_us += jct_us;
    s->bins[bin].healthy_us += jct_us - (int64_t)fmin(saved_us, (double)jct_us);
}

static void job_over(struct summary *s, const struct decision *d)
{
    struct live_job *j = live_jobs_find(&s->jobs, d->at.job);
    bool done = d->type == DO_JOB_DONE;

    check(j && !j->over);
    j->over = true;
    s->all_jobs_over++;
    if (j->measured) {
        int64_t end_us = s->now_us + (done ? j->wrapup_us : 0);
        s->measured.jobs_over++;
        s->jobs_failed += !done;
        s->tasks += j->tasks;
        if (end_us > s->last_end_us)
            s->last_end_us = end_us;
        if (done)
            job_done(s, j);
    }
    if (j->live == 0)
        live_jobs_drop(&s->jobs, j);
}

/* ---- the tap ---- */

static void see_event(struct summary *s, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_CAPACITY:
        capacity_see(&s->capacity, e);
        break;
    case EV_JOB_SUBMITTED:
        job_submitted(s, e->u.job);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        attempt_ended(s, e);
        break;
    case EV_COMMITTED:
        attempt_committed(s, e->at);
        break;
    case EV_OUTPUT_LOST:
        output_lost(s, e->at);
        break;
    default:
        break;
    }
}

/* Begins to fetch what is kept about the attempt that ends next. */
static void see_hint(const struct summary *s, const struct hint *hint)
{
    const struct live_job *j = live_jobs_find(&s->jobs, hint->at.job);
    if (!j)
        return;
    const struct live_task *t = &j->phases[hint->at.phase].tasks[hint->at.task];
    __builtin_prefetch(t, 1);
    __builtin_prefetch(&t->winner, 1); /* it may lie in two cache lines */
}

static int summary_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct summary *s = ctx;

    (void)err;
    if (turn->hint)
        see_hint(s, turn->hint);
    advance(s, turn->now_us);
    for (uint32_t i = 0; i < turn->event_count; i++)
        see_event(s, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        if (d->type == DO_LAUNCH)
            attempt_launched(s, d);
        else if (d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED)
            job_over(s, d);
    }
    if (s->extra_cpu > 0 && s->capacity.cpu > 0 && s->now_us >= s->measured.warmup_us &&
        !summary_settled(s)) {
        double frac = (double)s->extra_cpu / (double)s->capacity.cpu;
        if (frac > s->max_clone_frac)
            s->max_clone_frac = frac;
    }
    return 0;
}

struct tap summary_tap(struct summary *s)
{
    return (struct tap){s, summary_turn};
}

bool summary_settled(const struct summary *s)
{
    return measured_settled(&s->measured);
}

bool summary_full(const struct summary *s)
{
    return measured_full(&s->measured);
}

uint64_t summary_jobs_over(const struct summary *s)
{
    return s->all_jobs_over;
}

/* ---- the result ---- */

static double quantile_or_nan(double *at, uint32_t count, double q)
{
    return count ? stat_quantile(at, count, q) : NAN;
}

static double ratio(area a, area b)
{
    return b > 0 ? (double)a / (double)b : NAN;
}

/* The median utilisation over time, and the share of time above one half. */
static void summary_load(const struct summary *s, struct summary_result *r)
{
    area all = 0, below = 0, busy = 0;
    for (int i = 0; i < SUMMARY_LOADS; i++) {
        all += s->load_us[i];
        busy += i >= SUMMARY_LOADS / 2 ? s->load_us[i] : 0;
    }
    r->load_p50 = NAN;
    for (int i = 0; i < SUMMARY_LOADS && isnan(r->load_p50) && all > 0; i++) {
        below += s->load_us[i];
        if (2 * below >= all)
            r->load_p50 = i / 100.0;
    }
    r->load_high_frac = ratio(busy, all);
}

struct summary_result summary_result(struct summary *s)
{
    struct summary_result r = {
        .jobs = s->measured.jobs_over, .jobs_failed = s->jobs_failed, .tasks = s->tasks};
    area jct_us = 0, healthy_us = 0;

    for (int i = 0; i < SUMMARY_BINS; i++) {
        r.bins[i].jobs = s->bins[i].jobs;
        r.bins[i].mean_jct_s = ratio(s->bins[i].jct_us, s->bins[i].jobs) / 1e6;
        r.bins[i].healthy_jct_s = ratio(s->bins[i].healthy_us, s->bins[i].jobs) / 1e6;
        jct_us += s->bins[i].jct_us;
        healthy_us += s->bins[i].healthy_us;
    }
    r.mean_jct_s = ratio(jct_us, s->jct_us.count) / 1e6;
    r.healthy_jct_s = ratio(healthy_us, s->jct_us.count) / 1e6;
    r.p50_jct_s = quantile_or_nan(s->jct_us.at, s->jct_us.count, 0.50) / 1e6;
    r.p95_jct_s = quantile_or_nan(s->jct_us.at, s->jct_us.count, 0.95) / 1e6;
    r.makespan_s =
        s->measured.jobs_over ? (double)(s->last_end_us - s->first_arrival_us) / 1e6 : NAN;
    for (int i = 0; i < LAUNCH_KIND_END; i++)
        r.attempts += s->launches[i];
    r.clones = s->launches[LAUNCH_CLONE];
    r.backups = s->launches[LAUNCH_BACKUP];
    r.restarts = s->launches[LAUNCH_RESTART];
    r.killed = s->killed;
    r.busy_slot_s = (double)s->busy_area / RES_SLOT / 1e6;
    r.clone_capacity_frac = ratio(s->extra_area, s->capacity_area);
    r.loser_frac = ratio(s->busy_area - s->winner_area, s->winner_area);
    r.max_clone_frac = s->max_clone_frac;
    r.small_slowdown_p50 = quantile_or_nan(s->small_slowdowns.at, s->small_slowdowns.count, 0.50);
    r.small_slowdown_mean =
        s->small_slowdowns.count ? stat_mean(s->small_slowdowns.at, s->small_slowdowns.count) : NAN;
    summary_load(s, &r);
    r.slowdown_p50 = quantile_or_nan(s->slowdowns.at, s->slowdowns.count, 0.50);
    r.slowdown_p95 = quantile_or_nan(s->slowdowns.at, s->slowdowns.count, 0.95);
    return r;
}
