/* phase_times.c - follows the tasks of every job until the job is over, and then sums up its
 * phases.
 *
 * The problem: to say of each phase how long it lived, what it used, how many copies were made and
 * how many of them won, which of its tasks were outliers, and whether their input explains that.
 *
 * The method: what a phase used is the sum of ends minus the sum of launches, so attempts need no
 * memory of their own. Of an attempt only one bit is kept, whether it was a copy; attempts after
 * the 64th count as none. A start in place of an attempt counts as a copy if that one was killed
 * for it, and as a mere repetition if it failed or was lost.
 *
 * Reading is counted when the reader is committed: where the outputs of the phase above lie is
 * known then, rack by rack, which is all that a reader of everything needs.
 *
 * Rejected: doing this in summary.c. It would cost every run a fifth of its speed for numbers that
 * only comparisons of phases need. */
#include "stats/phase_times.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/stat.h"
#include "model/reason.h"
#include "stats/measured.h"
#include "stats/straight_line.h"

enum { LINE_TASKS_MIN = 5, COPY_BITS = 64 };
#define OUTLIER 1.5

struct task_now {
    int64_t launched_us, committed_us; /* first ones; -1: not yet */
    uint64_t copies;                   /* bit i: attempt i is a copy */
    int64_t output_bytes;
    uint32_t node; /* of the committed output */
    bool killed_for_copy;
};

struct phase_now {
    struct task_now *tasks;
    uint32_t count, live, peak;
    uint32_t copies, copies_won, recomputes;
    int64_t cpu;
    __int128 area; /* cpu x us: ends minus launches so far */
    struct edge_spec *edges;
    uint16_t edge_count;
    int64_t input_bytes, *input_each;
    double *rack_bytes; /* committed output, by rack */
};

struct job_now {
    bool measured, over, done;
    uint64_t live;
    uint32_t name_hash;
    int64_t arrived_us, wrapup_us, ended_us;
    uint16_t phase_count;
    struct phase_now phases[];
};

struct phase_times {
    struct measured measured;
    int64_t now_us;
    VEC(struct job_now *) jobs; /* jobs.at[i] has id first + i; NULL: gone */
    uint32_t first;
    VEC(uint32_t) racks; /* by node */
    uint32_t rack_count;
    VEC(double) times, bytes; /* scratch */
    struct phase_log log;
};

struct phase_times *phase_times_create(int64_t warmup_us, uint64_t jobs_max)
{
    struct phase_times *p = mem_zalloc(1, sizeof *p);
    p->measured = (struct measured){.warmup_us = warmup_us, .jobs_max = jobs_max};
    return p;
}

static void job_free(struct job_now *j)
{
    for (uint16_t k = 0; j && k < j->phase_count; k++) {
        mem_free(j->phases[k].tasks);
        mem_free(j->phases[k].edges);
        mem_free(j->phases[k].input_each);
        mem_free(j->phases[k].rack_bytes);
    }
    mem_free(j);
}

void phase_times_destroy(struct phase_times *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->jobs.count; i++)
        job_free(p->jobs.at[i]);
    vec_free(&p->jobs);
    vec_free(&p->racks);
    vec_free(&p->times);
    vec_free(&p->bytes);
    vec_free(&p->log.phases);
    vec_free(&p->log.jobs);
    vec_free(&p->log.outliers);
    vec_free(&p->log.lost);
    mem_free(p);
}

const struct phase_log *phase_times_log(const struct phase_times *p)
{
    return &p->log;
}

/* ---- nodes and jobs come ---- */

static void node_up(struct phase_times *p, const struct event *e)
{
    while (p->racks.count <= e->node.v) {
        vec_push(&p->racks, 0);
        vec_push(&p->log.lost, 0);
    }
    p->racks.at[e->node.v] = e->u.node.rack;
    if (e->u.node.rack >= p->rack_count)
        p->rack_count = e->u.node.rack + 1;
}

static void phase_begin(const struct phase_times *p, struct phase_now *f,
                        const struct phase_spec *s)
{
    *f = (struct phase_now){
        .tasks = mem_zalloc(s->tasks, sizeof *f->tasks),
        .count = s->tasks,
        .cpu = s->demand.v[RES_CPU],
        .edges = mem_copy(s->edges, s->edge_count, sizeof *s->edges),
        .edge_count = s->edge_count,
        .input_bytes = s->input_bytes,
        .input_each = mem_copy(s->input_each, s->tasks, sizeof *s->input_each),
        .rack_bytes = mem_zalloc(p->rack_count, sizeof *f->rack_bytes),
    };
    for (uint32_t t = 0; t < s->tasks; t++)
        f->tasks[t].launched_us = f->tasks[t].committed_us = -1;
}

/* FNV-1a. */
static uint32_t name_hash(const char *name)
{
    uint32_t hash = 2166136261U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    return hash;
}

static void job_submitted(struct phase_times *p, const struct job_spec *spec)
{
    struct job_now *j = mem_zalloc(1, sizeof *j + spec->phase_count * sizeof j->phases[0]);
    j->measured = measured_take(&p->measured, spec);
    j->name_hash = name_hash(spec->name);
    j->arrived_us = spec->arrived_us;
    j->wrapup_us = spec->wrapup_us;
    j->phase_count = spec->phase_count;
    for (uint16_t k = 0; k < spec->phase_count; k++)
        phase_begin(p, &j->phases[k], &spec->phases[k]);
    if (p->jobs.count == 0)
        p->first = spec->id.v;
    check(spec->id.v - p->first == p->jobs.count);
    vec_push(&p->jobs, j);
}

/* ---- attempts ---- */

static struct job_now *job_of(const struct phase_times *p, struct attempt_ref at)
{
    uint32_t i = at.job.v - p->first;
    return i < p->jobs.count ? p->jobs.at[i] : NULL;
}

static void launched(struct phase_times *p, const struct decision *d)
{
    struct job_now *j = job_of(p, d->at);
    check(j);
    struct phase_now *f = &j->phases[d->at.phase];
    struct task_now *t = &f->tasks[d->at.task];
    bool copy = d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP ||
                (d->kind == LAUNCH_RESTART && t->killed_for_copy);
    if (d->kind == LAUNCH_RESTART)
        t->killed_for_copy = false;
    if (d->kind == LAUNCH_RECOMPUTE) {
        f->recomputes++;
        if (j->measured)
            p->log.lost.at[t->node]++;
    }
    if (t->launched_us < 0)
        t->launched_us = p->now_us;
    f->copies += copy;
    if (copy && d->at.attempt < COPY_BITS)
        t->copies |= UINT64_C(1) << d->at.attempt;
    f->area -= (__int128)f->cpu * p->now_us;
    j->live++;
    if (++f->live > f->peak)
        f->peak = f->live;
}

static void kill_asked(const struct phase_times *p, const struct decision *d)
{
    struct job_now *j = job_of(p, d->at);
    if (j && d->why.code == WHY_RESTART_FASTER)
        j->phases[d->at.phase].tasks[d->at.task].killed_for_copy = true;
}

static void output_ready(const struct phase_times *p, const struct event *e)
{
    struct job_now *j = job_of(p, e->at);
    if (j)
        j->phases[e->at.phase].tasks[e->at.task].output_bytes = e->u.output.bytes;
}

/* What the committed reader has read, and how much of it came from other racks. */
static void count_reads(struct phase_times *p, const struct job_now *j, const struct phase_now *f,
                        uint32_t task, uint32_t rack)
{
    for (uint16_t e = 0; e < f->edge_count; e++) {
        const struct edge_spec *edge = &f->edges[e];
        const struct phase_now *up = &j->phases[edge->from];
        enum phase_reads reads = edge->pattern == EDGE_ALL_TO_ALL ? READS_ALL : READS_SHARE;
        double here = 0, all = 0;
        if (edge->pattern == EDGE_ALL_TO_ALL) {
            for (uint32_t r = 0; r < p->rack_count; r++)
                all += up->rack_bytes[r] / f->count;
            here = up->rack_bytes[rack] / f->count;
        } else {
            struct job_span span = job_edge_span(edge, up->count, f->count, task);
            for (uint32_t t = span.from; t < span.to; t++) {
                all += (double)up->tasks[t].output_bytes;
                if (p->racks.at[up->tasks[t].node] == rack)
                    here += (double)up->tasks[t].output_bytes;
            }
        }
        p->log.read_bytes += all;
        p->log.cross_bytes[reads] += all - here;
    }
}

static void committed(struct phase_times *p, const struct event *e)
{
    struct job_now *j = job_of(p, e->at);
    if (!j || j->over)
        return;
    struct phase_now *f = &j->phases[e->at.phase];
    struct task_now *t = &f->tasks[e->at.task];
    uint32_t rack = p->racks.at[e->node.v];
    t->node = e->node.v;
    if (t->committed_us >= 0)
        return; /* made again */
    t->committed_us = p->now_us;
    f->rack_bytes[rack] += (double)t->output_bytes;
    f->copies_won += e->at.attempt < COPY_BITS && (t->copies >> e->at.attempt & 1);
    if (j->measured)
        count_reads(p, j, f, e->at.task, rack);
}

/* ---- the end of a job ---- */

/* Which tasks are outliers, and whether their input says so. */
static void judge_outliers(struct phase_times *p, const struct phase_now *f, struct phase_record *r)
{
    uint32_t explained = 0, judged = 0;
    if (f->count < 2)
        return;
    vec_clear(&p->bytes);
    vec_clear(&p->times);
    for (uint32_t t = 0; t < f->count; t++) {
        double us = (double)(f->tasks[t].committed_us - f->tasks[t].launched_us);
        vec_push(&p->times, us > 0 ? us : 1);
        vec_push(&p->bytes, (double)(f->input_each ? f->input_each[t] : f->input_bytes));
    }
    struct straight_line line = straight_line_fit(p->bytes.at, p->times.at, f->count);
    double *sorted = mem_copy(p->times.at, f->count, sizeof *sorted);
    double median = stat_quantile(sorted, f->count, 0.5);
    mem_free(sorted);
    for (uint32_t t = 0; t < f->count; t++) {
        double us = p->times.at[t], predicted = line.base + line.slope * p->bytes.at[t];
        if (us <= OUTLIER * median)
            continue;
        r->outlier_count++;
        vec_push(&p->log.outliers, (float)(us / median));
        judged++;
        explained += us >= 0.8 * predicted && us <= 1.2 * predicted;
    }
    if (f->count >= LINE_TASKS_MIN && judged > 0)
        r->outliers = explained == judged ? OUTLIERS_EXPLAINED
                      : explained == 0    ? OUTLIERS_UNEXPLAINED
                                          : OUTLIERS_SOME;
}

static void phase_over(struct phase_times *p, const struct phase_now *f, struct phase_record *r)
{
    int64_t begun_us = INT64_MAX, ended_us = INT64_MIN;
    r->tasks = f->count;
    r->peak = f->peak;
    r->recomputes = f->recomputes;
    r->copies = f->copies;
    r->copies_won = f->copies_won;
    r->slot_s = (double)f->area / RES_SLOT / 1e6;
    for (uint32_t t = 0; t < f->count; t++) {
        const struct task_now *task = &f->tasks[t];
        begun_us = task->launched_us < begun_us ? task->launched_us : begun_us;
        ended_us = task->committed_us > ended_us ? task->committed_us : ended_us;
    }
    r->life_s = (double)(ended_us - begun_us) / 1e6;
    judge_outliers(p, f, r);
}

static bool phase_complete(const struct phase_now *f)
{
    for (uint32_t t = 0; t < f->count; t++)
        if (f->tasks[t].committed_us < 0)
            return false; /* given up, or never needed */
    return true;
}

static void job_leaves(struct phase_times *p, struct attempt_ref at)
{
    struct job_now *j = job_of(p, at);
    if (!j->over || j->live > 0)
        return;
    if (j->measured && j->done) {
        double jct_s = (double)(j->ended_us - j->arrived_us + j->wrapup_us) / 1e6;
        vec_push(&p->log.jobs, ((struct job_time){j->name_hash, jct_s}));
        for (uint16_t k = 0; k < j->phase_count; k++) {
            struct phase_record r = {.job = at.job.v, .phase = k};
            if (!phase_complete(&j->phases[k]))
                continue;
            phase_over(p, &j->phases[k], &r);
            vec_push(&p->log.phases, r);
        }
    }
    job_free(j);
    p->jobs.at[at.job.v - p->first] = NULL;
}

static void ended(struct phase_times *p, const struct event *e)
{
    struct job_now *j = job_of(p, e->at);
    check(j && j->live > 0);
    struct phase_now *f = &j->phases[e->at.phase];
    f->area += (__int128)f->cpu * p->now_us;
    f->live--;
    j->live--;
    job_leaves(p, e->at);
}

static void job_over(struct phase_times *p, const struct decision *d)
{
    struct job_now *j = job_of(p, d->at);
    check(j && !j->over);
    j->over = true;
    j->done = d->type == DO_JOB_DONE;
    j->ended_us = p->now_us;
    job_leaves(p, d->at);
}

/* ---- the tap ---- */

static void see_event(struct phase_times *p, const struct event *e)
{
    switch (e->type) {
    case EV_NODE_UP:
        node_up(p, e);
        break;
    case EV_JOB_SUBMITTED:
        job_submitted(p, e->u.job);
        break;
    case EV_OUTPUT_READY:
        output_ready(p, e);
        break;
    case EV_COMMITTED:
        committed(p, e);
        break;
    case EV_ATTEMPT_LAUNCH_FAILED:
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        ended(p, e);
        break;
    default:
        break;
    }
}

static int phase_times_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct phase_times *p = ctx;
    (void)err;
    p->now_us = turn->now_us;
    for (uint32_t i = 0; i < turn->event_count; i++)
        see_event(p, &turn->events[i]);
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        if (d->type == DO_LAUNCH)
            launched(p, d);
        else if (d->type == DO_KILL)
            kill_asked(p, d);
        else if (d->type == DO_JOB_DONE || d->type == DO_JOB_FAILED)
            job_over(p, d);
    }
    return 0;
}

struct tap phase_times_tap(struct phase_times *p)
{
    return (struct tap){.ctx = p, .turn = phase_times_turn};
}
