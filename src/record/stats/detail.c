/* The problem: a mean over jobs hides who gained. To compare two policies job by job, or to weigh
 * phases by how long they took, one needs the jobs and phases themselves.
 *
 * The method: what the attempts of a job hold changes only when one of them is launched, ends or is
 * committed, so each job carries the area of what was held until its own last change. A row is
 * written when the job is over and its last attempt has ended, since losers are charged until then.
 *
 * Rejected: deriving the rows from a journal afterwards. That works as well (the turns are the
 * same), but a journal of a large run is gigabytes, and the rows are kilobytes. */
#include "record/stats/detail.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/stat.h"
#include "core/model/res.h"

/* What a job holds, and has held, in units of struct res x microseconds. */
struct held {
    struct res_sum all_now, extra_now, clone_now;
    int64_t since_us;
    double all[RES_COUNT], extra[RES_COUNT], clone[RES_COUNT];
    int64_t started_us;  /* its first attempt; -1: none has */
    int64_t jct_us;      /* -1: failed, or not over yet */
    struct reads *reads; /* by phase; NULL before the first fetch */
};

/* The longest fetch of each attempt of a phase that read something and has ended. */
struct reads {
    VEC(double) longest_us;
};

struct detail {
    struct follow *follow;
    uint32_t owner; /* our index in live_job.own: a struct held */
    int64_t
        from_us; /* decisions count from there: the first submission or the end of the warm-up */
    struct detail_log log;
    VEC(double) times; /* scratch */
    VEC(double) rates;
    struct res_sum bin_held[SUMMARY_BINS];
};

static void reads_free(struct held *h, uint16_t phases)
{
    for (uint16_t i = 0; h->reads && i < phases; i++)
        vec_free(&h->reads[i].longest_us);
    mem_free(h->reads);
    h->reads = NULL;
}

void detail_destroy(struct detail *d)
{
    if (!d)
        return;
    vec_free(&d->log.omegas);
    vec_free(&d->log.jobs);
    vec_free(&d->log.phases);
    vec_free(&d->times);
    vec_free(&d->rates);
    mem_free(d);
}

static void job_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    struct detail *d = ctx;
    struct held *h = mem_zalloc(1, sizeof *h);

    (void)spec;
    if (d->from_us < 0)
        d->from_us =
            d->follow->now_us > d->follow->warmup_us ? d->follow->now_us : d->follow->warmup_us;
    h->jct_us = h->started_us = -1;
    j->own[d->owner] = h;
}

/* ---- attempts ---- */

/* Charges the job until now for what it held; from now on it holds what the account says. */
static struct held *charge(struct detail *d, const struct live_job *j)
{
    struct held *h = j->own[d->owner];
    double passed_us = (double)(d->follow->now_us - h->since_us);

    struct res_sum *bin = &d->bin_held[job_bin(j->tasks) - 1];

    for (int i = 0; i < RES_COUNT; i++) {
        h->all[i] += (double)h->all_now.v[i] * passed_us;
        h->extra[i] += (double)h->extra_now.v[i] * passed_us;
        h->clone[i] += (double)h->clone_now.v[i] * passed_us;
        bin->v[i] += j->held.v[i] - h->all_now.v[i];
    }
    h->since_us = d->follow->now_us;
    h->all_now = j->held;
    h->extra_now = j->extra;
    return h;
}

static void attempt_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    struct held *h = charge(ctx, p->job);
    follow_keep(((struct detail *)ctx)->follow, p, d->at.attempt);
    if (d->kind == LAUNCH_CLONE)
        res_sum_add(&h->clone_now, &p->phase->demand, 1);
}

static void attempt_ended(void *ctx, const struct live_place *p, const struct event *e,
                          const struct live_attempt *a)
{
    struct held *h = charge(ctx, p->job);
    if (a->kind == LAUNCH_CLONE)
        res_sum_add(&h->clone_now, &p->phase->demand, -1);
    if (a->fetch_us == 0)
        return;
    if (!h->reads)
        h->reads = mem_zalloc(p->job->phase_count, sizeof *h->reads);
    vec_push(&h->reads[e->at.phase].longest_us, (double)a->fetch_us);
}

static void attempt_won(void *ctx, const struct live_place *p, const struct event *e,
                        const struct live_attempt *a)
{
    struct detail *d = ctx;
    (void)e;
    charge(d, p->job);
    if (p->job->measured)
        d->log.wins[a->kind]++;
}

static void output_lost(void *ctx, const struct live_place *p, const struct event *e)
{
    (void)e;
    charge(ctx, p->job);
}

static void attempt_started(struct detail *d, const struct event *e)
{
    struct live_job *j = live_jobs_find(&d->follow->jobs, e->at.job);
    struct held *h = j ? j->own[d->owner] : NULL;
    if (h && h->started_us < 0)
        h->started_us = event_started_us(e, d->follow->now_us, 0);
}

static void see_event(void *ctx, const struct event *e)
{
    struct detail *d = ctx;
    if (e->type == EV_ATTEMPT_STARTED)
        attempt_started(d, e);
    struct live_attempt *a = e->type == EV_FETCH_DONE ? follow_attempt(d->follow, e->at) : NULL;
    if (a && e->u.fetch.took_us > a->fetch_us)
        a->fetch_us = e->u.fetch.took_us;
}

/* ---- jobs that are over ---- */

static uint32_t above(const double *at, uint32_t count, double limit)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++)
        n += at[i] > limit;
    return n;
}

static void phase_row(struct detail *d, const struct live_job *j, uint16_t phase)
{
    const struct live_phase *p = &j->phases[phase];
    int64_t first_us = INT64_MAX, last_us = 0;

    vec_clear(&d->times);
    vec_clear(&d->rates);
    for (uint32_t t = 0; t < p->count; t++) {
        const struct live_task *task = &p->tasks[t];
        if (task->won_us < 0)
            return; /* a phase that was not needed */
        vec_push(&d->times, live_task_took_us(task));
        vec_push(&d->rates, d->times.at[t] / live_task_bytes(p, t));
        first_us = task->launched_us < first_us ? task->launched_us : first_us;
        last_us = task->won_us > last_us ? task->won_us : last_us;
    }
    if (p->count == 0)
        return;
    double median = stat_quantile(d->times.at, p->count, 0.5);
    double rate = stat_quantile(d->rates.at, p->count, 0.5);
    const struct reads *reads = ((const struct held *)j->own[d->owner])->reads;
    double read_us = (double)NAN, read_ratio = (double)NAN;
    if (reads && reads[phase].longest_us.count > 0) {
        double *at = reads[phase].longest_us.at;
        uint32_t n = reads[phase].longest_us.count;
        read_us = stat_mean(at, n);
        read_ratio = stat_quantile(at, n, 1) / stat_quantile(at, n, 0.5);
    }
    vec_push(&d->log.phases,
             ((struct detail_phase){j->id.v, phase, p->count, (double)(last_us - first_us) / 1e6,
                                    median / 1e6, stat_quantile(d->rates.at, p->count, 1) / rate,
                                    above(d->rates.at, p->count, 2 * rate),
                                    above(d->times.at, p->count, 1.5 * median), read_us / 1e6,
                                    read_ratio}));
}

static void job_over(void *ctx, struct live_job *j, bool done)
{
    struct detail *d = ctx;
    struct held *h = j->own[d->owner];

    if (!j->measured || !done)
        return;
    h->jct_us = d->follow->now_us - j->arrived_us + j->wrapup_us;
    for (uint16_t i = 0; i < j->phase_count; i++)
        phase_row(d, j, i);
}

/* Slot-seconds of all kinds of slots. */
static double slot_s(const struct detail *d, const double *held)
{
    double slots = 0;
    for (int i = 0; i < RES_COUNT; i++)
        if (d->follow->kinds.v[i] == RES_SLOTS)
            slots += held[i] / (res_unit(i) * 1e6);
    return slots;
}

static double seconds_or_nan(int64_t us)
{
    return us < 0 ? (double)NAN : (double)us / 1e6;
}

static void job_gone(void *ctx, struct live_job *j)
{
    struct detail *d = ctx;
    struct held *h = j->own[d->owner];
    struct detail_job row = {.job = j->id.v,
                             .tasks = j->tasks,
                             .phases = j->phase_count,
                             .arrived_s = (double)j->arrived_us / 1e6,
                             .started_s = seconds_or_nan(h->started_us),
                             .jct_s = seconds_or_nan(h->jct_us),
                             .slot_s = slot_s(d, h->all),
                             .extra_slot_s = slot_s(d, h->extra),
                             .clone_slot_s = slot_s(d, h->clone)};

    for (int i = 0; i < RES_COUNT; i++)
        row.resource_s[i] = h->all[i] / (res_unit(i) * 1e6);
    if (j->measured && j->over && j->live == 0)
        vec_push(&d->log.jobs, row);
    reads_free(h, j->phase_count);
    mem_free(h);
}

/* ---- decisions ---- */

static void see_decision(void *ctx, const struct decision *what)
{
    struct detail *d = ctx;
    const double *num = what->why.num;

    check(what->type < DO_TYPE_END && what->why.code < WHY_CODE_END);
    if (!follow_counts(d->follow))
        return;
    d->log.decisions[what->type][what->why.code]++;
    int64_t now_us = d->follow->now_us;
    d->log.span_s = d->from_us >= 0 ? (double)(now_us - d->from_us) / 1e6 : 0;
    if (what->why.code == WHY_OMEGA)
        vec_push(&d->log.omegas, ((struct detail_omega){(double)now_us / 1e6, num[1],
                                                        (uint32_t)num[0], num[2], num[3], num[4]}));
}

static void turn_ends(void *ctx)
{
    struct detail *d = ctx;
    const struct capacity *c = &d->follow->capacity;

    d->log.most = c->most;
    for (int i = 0; i < SUMMARY_BINS && follow_counts(d->follow); i++) {
        double frac = res_sum_dominant(&d->bin_held[i], &c->sum);
        d->log.held_max_frac[i] = fmax(d->log.held_max_frac[i], frac);
    }
}

struct detail *detail_create(struct follow *f)
{
    static const struct follow_hooks hooks = {.submitted = job_submitted,
                                              .launched = attempt_launched,
                                              .ended = attempt_ended,
                                              .won = attempt_won,
                                              .unwon = output_lost,
                                              .over = job_over,
                                              .gone = job_gone,
                                              .event = see_event,
                                              .decision = see_decision,
                                              .turn_end = turn_ends,
                                              .reads_job_sums = true};
    struct detail *d = mem_zalloc(1, sizeof *d);

    d->follow = f;
    d->from_us = -1;
    d->owner = follow_subscribe(f, d, &hooks);
    return d;
}

const struct detail_log *detail_log(const struct detail *d)
{
    return &d->log;
}
