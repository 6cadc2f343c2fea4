/* The problem: a mean over jobs hides who gained. To compare two policies job by job, or to weigh
 * phases by how long they took, one needs the jobs and phases themselves.
 *
 * The method: the same account of live jobs as the summary keeps, but per job: what is held by its
 * attempts changes only when one of them is launched, ends or is committed, so each job carries the
 * area of what was held since its own last change. A row is written when the job is over and its
 * last attempt has ended, since losers are charged until then.
 *
 * Rejected: deriving the rows from a journal afterwards. That works as well (the turns are the
 * same), but a journal of a large run is gigabytes, and the rows are kilobytes. */
#include "stats/detail.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/stat.h"
#include "model/res.h"
#include "stats/capacity.h"
#include "stats/live_job.h"
#include "stats/measured.h"

/* What a job holds, in thousandths of cpu, and has held, in thousandths x microseconds. */
struct held {
    int64_t all_cpu, extra_cpu, clone_cpu, since_us;
    double all, extra, clone;
    int64_t jct_us;      /* -1: failed, or not over yet */
    struct reads *reads; /* by phase; NULL before the first fetch */
};

/* The longest fetch of each attempt of a phase that read something and has ended. */
struct reads {
    VEC(double) longest_us;
};

struct detail {
    struct measured measured;
    int64_t now_us, first_us; /* first_us: of the first submission, -1 before it */
    int64_t counted_us;       /* of the last decision that was counted */
    struct live_jobs jobs;
    VEC(struct held) held; /* by job id */
    VEC(struct detail_job) job_rows;
    VEC(struct detail_phase) phase_rows;
    VEC(struct detail_omega) omega_rows;
    VEC(double) times; /* scratch */
    VEC(double) rates;
    struct capacity capacity;
    int64_t bin_cpu[SUMMARY_BINS];
    double bin_max_frac[SUMMARY_BINS];
    uint64_t decisions[DO_TYPE_END][WHY_CODE_END];
    uint64_t wins[LAUNCH_KIND_END];
};

struct detail *detail_create(int64_t warmup_us, uint64_t jobs_max)
{
    struct detail *d = mem_zalloc(1, sizeof *d);

    d->measured = (struct measured){.warmup_us = warmup_us, .jobs_max = jobs_max};
    d->first_us = -1;
    return d;
}

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
    for (uint32_t i = 0; i < d->jobs.window.count; i++)
        if (d->jobs.window.at[i])
            reads_free(&d->held.at[d->jobs.window.at[i]->id.v], d->jobs.window.at[i]->phase_count);
    live_jobs_fini(&d->jobs);
    vec_free(&d->held);
    vec_free(&d->omega_rows);
    vec_free(&d->job_rows);
    vec_free(&d->phase_rows);
    vec_free(&d->times);
    vec_free(&d->rates);
    capacity_fini(&d->capacity);
    mem_free(d);
}

static void job_submitted(struct detail *d, const struct job_spec *spec)
{
    if (d->first_us < 0)
        d->first_us = d->now_us;
    live_jobs_add(&d->jobs, spec, measured_take(&d->measured, spec));
    while (d->held.count <= spec->id.v)
        vec_push(&d->held, ((struct held){.jct_us = -1}));
}

/* ---- attempts ---- */

/* Charges the job until now; then what it holds changes. */
static void change(struct detail *d, struct live_job *j, int64_t all_cpu, int64_t extra_cpu)
{
    struct held *h = &d->held.at[j->id.v];
    double passed_us = (double)(d->now_us - h->since_us);

    h->all += (double)h->all_cpu * passed_us;
    h->extra += (double)h->extra_cpu * passed_us;
    h->clone += (double)h->clone_cpu * passed_us;
    h->since_us = d->now_us;
    h->all_cpu += all_cpu;
    d->bin_cpu[job_bin(j->tasks) - 1] += all_cpu;
    h->extra_cpu += extra_cpu;
}

static void attempt_launched(struct detail *d, const struct decision *what)
{
    struct live_place p = live_place_of(&d->jobs, what->at);

    check(p.job);
    live_attempt_add(&d->jobs, p.task, what->at.attempt, d->now_us)->kind = what->kind;
    change(d, p.job, p.phase->cpu, live_launched(&p, d->now_us));
    if (what->kind == LAUNCH_CLONE)
        d->held.at[p.job->id.v].clone_cpu += p.phase->cpu;
}

static void fetch_done(struct detail *d, const struct event *e)
{
    struct live_place p = live_place_of(&d->jobs, e->at);
    struct live_attempt *a = p.job ? live_attempt_find(&d->jobs, p.task, e->at.attempt) : NULL;

    if (a && e->u.fetch.took_us > a->fetch_us)
        a->fetch_us = e->u.fetch.took_us;
}

static void reader_ended(struct detail *d, const struct live_job *j, uint16_t phase,
                         const struct live_attempt *a)
{
    struct held *h = &d->held.at[j->id.v];

    if (a->fetch_us == 0)
        return;
    if (!h->reads)
        h->reads = mem_zalloc(j->phase_count, sizeof *h->reads);
    vec_push(&h->reads[phase].longest_us, (double)a->fetch_us);
}

static void drop_job(struct detail *d, struct live_job *j)
{
    struct held *h = &d->held.at[j->id.v];
    const double slot_us = RES_SLOT * 1e6;

    if (j->measured)
        vec_push(&d->job_rows, ((struct detail_job){
                                   j->id.v, j->tasks, j->phase_count, (double)j->arrived_us / 1e6,
                                   h->jct_us < 0 ? (double)NAN : (double)h->jct_us / 1e6,
                                   h->all / slot_us, h->extra / slot_us, h->clone / slot_us}));
    reads_free(h, j->phase_count);
    live_jobs_drop(&d->jobs, j);
}

static void attempt_ended(struct detail *d, const struct event *e)
{
    struct live_place p = live_place_of(&d->jobs, e->at);

    check(p.job);
    change(d, p.job, -p.phase->cpu, live_ended(&p));
    struct live_attempt *a = live_attempt_find(&d->jobs, p.task, e->at.attempt);
    check(a);
    if (a->kind == LAUNCH_CLONE)
        d->held.at[p.job->id.v].clone_cpu -= p.phase->cpu;
    reader_ended(d, p.job, e->at.phase, a);
    if (e->type == EV_ATTEMPT_FINISHED) /* it may win */
        a->ended_us = d->now_us;
    else
        live_attempt_drop(&d->jobs, p.task, e->at.attempt);
    if (p.job->over && p.job->live == 0)
        drop_job(d, p.job);
}

static void attempt_committed(struct detail *d, struct attempt_ref at)
{
    struct live_place p = live_place_of(&d->jobs, at);

    if (!p.job)
        return; /* the job failed meanwhile */
    change(d, p.job, 0, live_won(&p, at.attempt));

    struct live_attempt *a = live_attempt_find(&d->jobs, p.task, at.attempt);
    check(a && a->ended_us >= 0 && a->kind < LAUNCH_KIND_END);
    if (p.task->won_us < 0)
        p.task->won_us = a->ended_us;
    if (p.job->measured)
        d->wins[a->kind]++;
    live_attempt_drop(&d->jobs, p.task, at.attempt);
}

static void output_lost(struct detail *d, struct attempt_ref at)
{
    struct live_place p = live_place_of(&d->jobs, at);

    if (p.job && p.task->winner == at.attempt)
        change(d, p.job, 0, live_won(&p, LIVE_NO_WINNER));
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
            return; /* a phase nobody needed */
        vec_push(&d->times, live_task_took_us(task));
        vec_push(&d->rates, d->times.at[t] / live_task_bytes(p, t));
        first_us = task->launched_us < first_us ? task->launched_us : first_us;
        last_us = task->won_us > last_us ? task->won_us : last_us;
    }
    if (p->count == 0)
        return;
    double median = stat_quantile(d->times.at, p->count, 0.5);
    double rate = stat_quantile(d->rates.at, p->count, 0.5);
    struct reads *reads = d->held.at[j->id.v].reads;
    double read_us = (double)NAN, read_ratio = (double)NAN;
    if (reads && reads[phase].longest_us.count > 0) {
        double *at = reads[phase].longest_us.at;
        uint32_t n = reads[phase].longest_us.count;
        read_us = stat_mean(at, n);
        read_ratio = stat_quantile(at, n, 1) / stat_quantile(at, n, 0.5);
    }
    vec_push(&d->phase_rows,
             ((struct detail_phase){j->id.v, phase, p->count, (double)(last_us - first_us) / 1e6,
                                    median / 1e6, stat_quantile(d->rates.at, p->count, 1) / rate,
                                    above(d->rates.at, p->count, 2 * rate),
                                    above(d->times.at, p->count, 1.5 * median), read_us / 1e6,
                                    read_ratio}));
}

static void job_over(struct detail *d, const struct decision *what)
{
    struct live_job *j = live_jobs_find(&d->jobs, what->at.job);

    check(j && !j->over);
    j->over = true;
    if (j->measured) {
        d->measured.jobs_over++;
        if (what->type == DO_JOB_DONE) {
            d->held.at[j->id.v].jct_us = d->now_us - j->arrived_us + j->wrapup_us;
            for (uint16_t i = 0; i < j->phase_count; i++)
                phase_row(d, j, i);
        }
    }
    if (j->live == 0)
        drop_job(d, j);
}

/* ---- the tap ---- */

static void see_event(struct detail *d, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_CAPACITY:
        capacity_see(&d->capacity, e);
        break;
    case EV_JOB_SUBMITTED:
        job_submitted(d, e->u.job);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        attempt_ended(d, e);
        break;
    case EV_FETCH_DONE:
        fetch_done(d, e);
        break;
    case EV_COMMITTED:
        attempt_committed(d, e->at);
        break;
    case EV_OUTPUT_LOST:
        output_lost(d, e->at);
        break;
    default:
        break;
    }
}

static void see_decision(struct detail *d, const struct decision *what)
{
    check(what->type < DO_TYPE_END && what->why.code < WHY_CODE_END);
    if (d->now_us >= d->measured.warmup_us && !measured_settled(&d->measured)) {
        d->decisions[what->type][what->why.code]++;
        d->counted_us = d->now_us;
        if (what->why.code == WHY_OMEGA)
            vec_push(
                &d->omega_rows,
                ((struct detail_omega){(double)d->now_us / 1e6, what->why.num[0], what->why.num[1],
                                       what->why.num[2], what->why.num[3], what->why.num[4]}));
    }
    if (what->type == DO_LAUNCH)
        attempt_launched(d, what);
    else if (what->type == DO_JOB_DONE || what->type == DO_JOB_FAILED)
        job_over(d, what);
}

static int detail_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct detail *d = ctx;

    (void)err;
    d->now_us = turn->now_us;
    for (uint32_t i = 0; i < turn->event_count; i++)
        see_event(d, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count; i++)
        see_decision(d, &turn->decisions[i]);
    for (int i = 0;
         i < SUMMARY_BINS && d->now_us >= d->measured.warmup_us && !measured_settled(&d->measured);
         i++)
        if (d->capacity.cpu > 0)
            d->bin_max_frac[i] =
                fmax(d->bin_max_frac[i], (double)d->bin_cpu[i] / (double)d->capacity.cpu);
    return 0;
}

struct tap detail_tap(struct detail *d)
{
    return (struct tap){.ctx = d, .turn = detail_turn};
}

/* ---- the result ---- */

const struct detail_job *detail_jobs(const struct detail *d, uint32_t *count)
{
    *count = d->job_rows.count;
    return d->job_rows.at;
}

const struct detail_phase *detail_phases(const struct detail *d, uint32_t *count)
{
    *count = d->phase_rows.count;
    return d->phase_rows.at;
}

const struct detail_omega *detail_omegas(const struct detail *d, uint32_t *count)
{
    *count = d->omega_rows.count;
    return d->omega_rows.at;
}

uint64_t detail_decisions(const struct detail *d, enum decision_type type, uint16_t why)
{
    check(type < DO_TYPE_END && why < WHY_CODE_END);
    return d->decisions[type][why];
}

uint64_t detail_wins(const struct detail *d, enum launch_kind kind)
{
    check(kind < LAUNCH_KIND_END);
    return d->wins[kind];
}

double detail_held_max_frac(const struct detail *d, int bin)
{
    check(bin >= 1 && bin <= SUMMARY_BINS);
    return d->bin_max_frac[bin - 1];
}

double detail_span_s(const struct detail *d)
{
    int64_t from_us = d->first_us > d->measured.warmup_us ? d->first_us : d->measured.warmup_us;

    return d->counted_us > from_us ? (double)(d->counted_us - from_us) / 1e6 : 0;
}
