/* The problem: to say in a few numbers what a policy achieved (how long jobs took) and what it cost
 * (what is held, also by extra attempts), exactly, from the record of the run alone.
 *
 * The method: cost is an integral over time. How much of each resource is held, and how much of
 * that by extra attempts, changes only in turns; between two turns both are constant and are
 * multiplied by the time that passed. All of it is integer arithmetic, so the same turns give the
 * same numbers to the last bit. What is held, and which attempts are extra, is the account of
 * record/stats/follow.h.
 *
 * Percentiles are exact: one double per job and per phase is kept.
 *
 * Rejected: adding up usage reports of the bodies. They begin at the start of an attempt, while
 * budgets are charged from the decision on, and a lost attempt may report nothing. */
#include "record/stats/summary.h"

#include <math.h>

#include "base/mem.h"
#include "base/stat.h"
#include "base/vec.h"
#include "base/wide.h"
#include "core/model/res.h"

/* Units of struct res x microseconds: 64 bits hold no more than a month of a large cluster. */
typedef struct wide area;

struct summary {
    const struct follow *follow;
    int64_t now_us; /* of the last turn */
    struct res_sum load_held, load_capacity;
    int64_t load; /* the percent that these two make */

    struct {
        area capacity, held, busy, extra, winner;
        area capacity_arriving, held_arriving; /* the first two when the last job arrived */
    } used[RES_COUNT];
    struct res_sum most; /* what the cluster had at most */
    struct res_kinds kinds;
    uint64_t shifts; /* of follow, when max_clone_frac was last compared */
    double max_clone_frac;
    int64_t load_us[SUMMARY_LOADS]; /* time spent at each percent of utilisation */

    uint64_t jobs, jobs_failed, tasks;
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

void summary_destroy(struct summary *s)
{
    if (!s)
        return;
    vec_free(&s->jct_us);
    vec_free(&s->slowdowns);
    vec_free(&s->small_slowdowns);
    vec_free(&s->times);
    mem_free(s);
}

/* ---- what is held ---- */

static bool sum_equal(const struct res_sum *a, const struct res_sum *b)
{
    return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2] && a->v[3] == b->v[3];
}

/* The percent of utilisation, of the resource of which most is in use. A division, which is slow,
 * only if something has changed: on a busy cluster one attempt takes the place of another. */
static int64_t load_now(struct summary *s)
{
    const struct res_sum *held = &s->follow->held, *capacity = &s->follow->capacity.sum;
    if (sum_equal(held, &s->load_held) && sum_equal(capacity, &s->load_capacity))
        return s->load;
    s->load_held = *held;
    s->load_capacity = *capacity;
    s->load = 0;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t load = capacity->v[i] > 0 ? held->v[i] * 100 / capacity->v[i] : 0;
        s->load = load > s->load ? load : s->load;
    }
    s->load = s->load < SUMMARY_LOADS ? s->load : SUMMARY_LOADS - 1;
    return s->load;
}

/* Charges the time since the last turn: what is held has not changed since. */
static void time_passes(void *ctx)
{
    struct summary *s = ctx;
    const struct follow *f = s->follow;
    if (f->begun && !follow_settled(f)) {
        int64_t from_us = s->now_us > f->warmup_us ? s->now_us : f->warmup_us;
        int64_t counts_us = f->now_us > from_us ? f->now_us - from_us : 0;
        for (int i = 0; i < RES_COUNT; i++) {
            if (f->capacity.most.v[i] == 0)
                continue;
            wide_charge(&s->used[i].busy, f->measured.v[i], f->now_us - s->now_us);
            wide_charge(&s->used[i].capacity, f->capacity.sum.v[i], counts_us);
            wide_charge(&s->used[i].held, f->held.v[i], counts_us);
            wide_charge(&s->used[i].extra, f->extra.v[i], counts_us);
        }
        if (counts_us > 0)
            s->load_us[load_now(s)] += counts_us;
    }
    s->now_us = f->now_us;
}

static void turn_ends(void *ctx)
{
    struct summary *s = ctx;
    const struct follow *f = s->follow;
    if (f->shifts == s->shifts)
        return;
    s->most = f->capacity.most;
    s->kinds = f->kinds;
    if (!follow_counts(f))
        return; /* what is held now may count later, unchanged */
    s->shifts = f->shifts;
    double frac = res_sum_dominant(&f->extra, &f->capacity.sum);
    if (frac > s->max_clone_frac)
        s->max_clone_frac = frac;
}

/* ---- attempts ---- */

static void attempt_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    if (p->job->measured)
        ((struct summary *)ctx)->launches[d->kind]++;
}

static void attempt_ended(void *ctx, const struct live_place *p, const struct event *e,
                          const struct live_attempt *a)
{
    (void)a;
    if (p->job->measured)
        ((struct summary *)ctx)->killed += e->type == EV_ATTEMPT_KILLED;
}

static void attempt_won(void *ctx, const struct live_place *p, const struct event *e,
                        const struct live_attempt *a)
{
    struct summary *s = ctx;
    (void)e;
    for (int i = 0; i < RES_COUNT && p->job->measured; i++)
        wide_charge(&s->used[i].winner, p->phase->demand.v[i], a->ended_us - a->launched_us);
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
            return 0; /* a phase that was not needed */
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
    wide_charge(&s->bins[bin].jct_us, jct_us, 1);
    wide_charge(&s->bins[bin].healthy_us, jct_us - (int64_t)fmin(saved_us, (double)jct_us), 1);
}

static void job_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    struct summary *s = ctx;
    if (!j->measured)
        return;
    if (spec->arrived_us < s->first_arrival_us)
        s->first_arrival_us = spec->arrived_us;
    for (int i = 0; i < RES_COUNT; i++) {
        s->used[i].capacity_arriving = s->used[i].capacity;
        s->used[i].held_arriving = s->used[i].held;
    }
}

static void job_over(void *ctx, struct live_job *j, bool done)
{
    struct summary *s = ctx;
    if (!j->measured)
        return;
    int64_t end_us = s->now_us + (done ? j->wrapup_us : 0);
    s->jobs++;
    s->jobs_failed += !done;
    s->tasks += j->tasks;
    if (end_us > s->last_end_us)
        s->last_end_us = end_us;
    if (done)
        job_done(s, j);
}

struct summary *summary_create(struct follow *f)
{
    static const struct follow_hooks hooks = {.time = time_passes,
                                              .turn_end = turn_ends,
                                              .submitted = job_submitted,
                                              .launched = attempt_launched,
                                              .ended = attempt_ended,
                                              .won = attempt_won,
                                              .over = job_over};
    struct summary *s = mem_zalloc(1, sizeof *s);

    s->follow = f;
    s->first_arrival_us = INT64_MAX;
    s->last_end_us = INT64_MIN;
    follow_subscribe(f, s, &hooks);
    return s;
}

/* ---- the result ---- */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static double ratio_of(area a, area b)
{
    return ratio(wide_double(a), wide_double(b));
}

/* Utilisation: of the resource of which most was in use, its mean; of the one that was scarcest at
 * each instant, its median and the share of time above one half. */
static void summary_load(const struct summary *s, struct summary_result *r)
{
    int64_t all = 0, below = 0, busy = 0;
    for (int i = 0; i < SUMMARY_LOADS; i++) {
        all += s->load_us[i];
        busy += i >= SUMMARY_LOADS / 2 ? s->load_us[i] : 0;
    }
    r->load_p50 = r->load_mean = r->load_arriving = NAN;
    for (int i = 0; i < RES_COUNT; i++) {
        r->load_mean = fmax(r->load_mean, ratio_of(s->used[i].held, s->used[i].capacity));
        double arriving = ratio_of(s->used[i].held_arriving, s->used[i].capacity_arriving);
        r->load_arriving = fmax(r->load_arriving, arriving);
    }
    for (int i = 0; i < SUMMARY_LOADS && isnan(r->load_p50) && all > 0; i++) {
        below += s->load_us[i];
        if (2 * below >= all)
            r->load_p50 = i / 100.0;
    }
    r->load_high_frac = ratio((double)busy, (double)all);
}

/* What was used of each resource, and what share that is of the one of which most was used. */
static void summary_used(const struct summary *s, struct summary_result *r)
{
    area slots = {0};
    int most = RES_CPU;

    r->clone_capacity_frac = NAN;
    for (int i = 0; i < RES_COUNT; i++) {
        double unit = res_unit(i);
        r->resources[i].capacity = (double)s->most.v[i] / unit;
        r->resources[i].busy_s = wide_double(s->used[i].busy) / unit / 1e6;
        r->resources[i].extra_s = wide_double(s->used[i].extra) / unit / 1e6;
        if (s->kinds.v[i] == RES_SLOTS)
            wide_add(&slots, wide_scale(s->used[i].busy, (uint32_t)(RES_SLOT / res_unit(i))));
        if (wide_double(s->used[i].capacity) == 0)
            continue;
        r->clone_capacity_frac =
            fmax(r->clone_capacity_frac, ratio_of(s->used[i].extra, s->used[i].capacity));
        if (!(ratio_of(s->used[i].busy, s->used[i].capacity) <=
              ratio_of(s->used[most].busy, s->used[most].capacity)))
            most = i;
    }
    r->busy_slot_s = wide_double(slots) / RES_SLOT / 1e6;
    area losers = s->used[most].busy;
    wide_add(&losers, wide_minus(s->used[most].winner));
    r->loser_frac = ratio_of(losers, s->used[most].winner);
}

struct summary_result summary_result(struct summary *s)
{
    struct summary_result r = {.jobs = s->jobs, .jobs_failed = s->jobs_failed, .tasks = s->tasks};
    area jct_us = {0}, healthy_us = {0};

    for (int i = 0; i < SUMMARY_BINS; i++) {
        r.bins[i].jobs = s->bins[i].jobs;
        r.bins[i].mean_jct_s = ratio(wide_double(s->bins[i].jct_us), (double)s->bins[i].jobs) / 1e6;
        r.bins[i].healthy_jct_s =
            ratio(wide_double(s->bins[i].healthy_us), (double)s->bins[i].jobs) / 1e6;
        wide_add(&jct_us, s->bins[i].jct_us);
        wide_add(&healthy_us, s->bins[i].healthy_us);
    }
    r.mean_jct_s = ratio(wide_double(jct_us), s->jct_us.count) / 1e6;
    r.healthy_jct_s = ratio(wide_double(healthy_us), s->jct_us.count) / 1e6;
    r.p50_jct_s = stat_quantile_or_nan(s->jct_us.at, s->jct_us.count, 0.50) / 1e6;
    r.p95_jct_s = stat_quantile_or_nan(s->jct_us.at, s->jct_us.count, 0.95) / 1e6;
    r.makespan_s = s->jobs ? (double)(s->last_end_us - s->first_arrival_us) / 1e6 : NAN;
    for (int i = 0; i < LAUNCH_KIND_END; i++)
        r.attempts += s->launches[i];
    r.clones = s->launches[LAUNCH_CLONE];
    r.backups = s->launches[LAUNCH_BACKUP];
    r.restarts = s->launches[LAUNCH_RESTART];
    r.killed = s->killed;
    summary_used(s, &r);
    r.max_clone_frac = s->max_clone_frac;
    r.small_slowdown_p50 =
        stat_quantile_or_nan(s->small_slowdowns.at, s->small_slowdowns.count, 0.50);
    r.small_slowdown_mean =
        s->small_slowdowns.count ? stat_mean(s->small_slowdowns.at, s->small_slowdowns.count) : NAN;
    summary_load(s, &r);
    r.slowdown_p50 = stat_quantile_or_nan(s->slowdowns.at, s->slowdowns.count, 0.50);
    r.slowdown_p95 = stat_quantile_or_nan(s->slowdowns.at, s->slowdowns.count, 0.95);
    return r;
}
