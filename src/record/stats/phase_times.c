/* The problem: to say of each phase how long it lived, what it used, how many copies were made and
 * how many of them won, which of its tasks were outliers, and whether their input explains that.
 *
 * The method: beside the account of record/stats/follow.h, what a phase used is the sum of ends
 * minus the sum of launches. A start in place of an attempt counts as a copy if that one was killed
 * for it, and as a mere repetition if it failed or was lost.
 *
 * Reading is counted when the reader is committed: where the outputs of the phase above lie is
 * known then, rack by rack, which is all that a reader of everything needs.
 *
 * Rejected: doing this in summary.c. It would cost every run a fifth of its speed for numbers that
 * only comparisons of phases need. */
#include "record/stats/phase_times.h"

#include <math.h>
#include <stdbool.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/stat.h"
#include "base/wide.h"
#include "core/model/reason.h"

enum { LINE_TASKS_MIN = 5 };
#define OUTLIER 1.5

struct task_now {
    int64_t committed_us; /* the first time; -1: not yet */
    int64_t output_bytes;
    uint32_t node; /* of the committed output */
    bool killed_for_copy;
};

struct phase_now {
    struct task_now *tasks;
    uint32_t live, peak;
    uint32_t copies, copies_won, recomputes;
    struct wide area; /* thousandths of slots x us: ends minus launches so far */
    struct edge_spec *edges;
    uint16_t edge_count;
    double *rack_bytes; /* committed output, by rack */
};

/* What we keep of a job beside the account. */
struct job_now {
    bool done;
    uint32_t name_hash;
    int64_t ended_us;
    struct phase_now phases[];
};

struct phase_times {
    struct follow *follow;
    uint32_t owner;      /* our index in live_job.own: a struct job_now */
    VEC(uint32_t) racks; /* by node */
    uint32_t rack_count;
    VEC(double) times, bytes; /* scratch */
    struct phase_log log;
};

void phase_times_destroy(struct phase_times *p)
{
    if (!p)
        return;
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

static void job_submitted(void *ctx, struct live_job *live, const struct job_spec *spec)
{
    struct phase_times *p = ctx;
    struct job_now *j = mem_zalloc(1, sizeof *j + spec->phase_count * sizeof j->phases[0]);
    live->own[p->owner] = j;
    j->name_hash = hash_fold(hash_text(spec->name ? spec->name : ""));
    for (uint16_t k = 0; k < spec->phase_count; k++) {
        const struct phase_spec *from = &spec->phases[k];
        struct phase_now *f = &j->phases[k];
        f->tasks = mem_zalloc(from->tasks, sizeof *f->tasks);
        f->edges = mem_copy(from->edges, from->edge_count, sizeof *from->edges);
        f->edge_count = from->edge_count;
        f->rack_bytes = mem_zalloc(p->rack_count, sizeof *f->rack_bytes);
        for (uint32_t t = 0; t < from->tasks; t++)
            f->tasks[t].committed_us = -1;
    }
}

/* ---- attempts ---- */

static struct phase_now *phase_of(const struct phase_times *p, const struct live_job *j,
                                  struct attempt_ref at)
{
    return &((struct job_now *)j->own[p->owner])->phases[at.phase];
}

/* What we keep of the task, or NULL when its job is gone. */
static struct task_now *task_of(const struct phase_times *p, struct attempt_ref at)
{
    struct live_place place;
    if (!live_jobs_place(&p->follow->jobs, at, &place) || !place.job)
        return NULL;
    return &phase_of(p, place.job, at)->tasks[at.task];
}

static void launched(void *ctx, const struct live_place *place, const struct decision *d)
{
    struct phase_times *p = ctx;
    struct phase_now *f = phase_of(p, place->job, d->at);
    struct task_now *t = &f->tasks[d->at.task];
    struct live_attempt *a = follow_keep(p->follow, place, d->at.attempt);
    a->copy = d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP ||
              (d->kind == LAUNCH_RESTART && t->killed_for_copy);
    a->node = d->node.v;
    if (d->kind == LAUNCH_RESTART)
        t->killed_for_copy = false;
    if (d->kind == LAUNCH_RECOMPUTE) {
        f->recomputes++;
        if (place->job->measured)
            p->log.lost.at[t->node]++;
    }
    f->copies += a->copy;
    wide_charge(&f->area, res_slots(&p->follow->kinds, &place->phase->demand), -p->follow->now_us);
    if (++f->live > f->peak)
        f->peak = f->live;
}

static void ended(void *ctx, const struct live_place *place, const struct event *e,
                  const struct live_attempt *a)
{
    struct phase_times *p = ctx;
    struct phase_now *f = phase_of(p, place->job, e->at);
    (void)a;
    wide_charge(&f->area, res_slots(&p->follow->kinds, &place->phase->demand), p->follow->now_us);
    f->live--;
}

static void see_decision(void *ctx, const struct decision *d)
{
    struct task_now *t =
        d->type == DO_KILL && d->why.code == WHY_RESTART_FASTER ? task_of(ctx, d->at) : NULL;
    if (t)
        t->killed_for_copy = true;
}

static void see_event(void *ctx, const struct event *e)
{
    struct task_now *t;
    if (e->type == EV_NODE_UP)
        node_up(ctx, e);
    else if (e->type == EV_OUTPUT_READY && (t = task_of(ctx, e->at)))
        t->output_bytes = e->u.output.bytes;
}

/* What the committed reader has read, and how much of it came from other racks. */
static void count_reads(struct phase_times *p, const struct live_job *j, struct attempt_ref at,
                        uint32_t rack)
{
    const struct job_now *now = j->own[p->owner];
    const struct phase_now *f = &now->phases[at.phase];
    uint32_t count = j->phases[at.phase].count;
    for (uint16_t e = 0; e < f->edge_count; e++) {
        const struct edge_spec *edge = &f->edges[e];
        const struct phase_now *up = &now->phases[edge->from];
        enum phase_reads reads = edge->pattern == EDGE_ALL_TO_ALL ? READS_ALL : READS_SHARE;
        double here = 0, all = 0;
        if (edge->pattern == EDGE_ALL_TO_ALL) {
            for (uint32_t r = 0; r < p->rack_count; r++)
                all += up->rack_bytes[r] / count;
            here = up->rack_bytes[rack] / count;
        } else {
            struct job_span span = job_edge_span(edge, j->phases[edge->from].count, count, at.task);
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

static void committed(void *ctx, const struct live_place *place, const struct event *e,
                      const struct live_attempt *a)
{
    struct phase_times *p = ctx;
    struct phase_now *f = phase_of(p, place->job, e->at);
    struct task_now *t = &f->tasks[e->at.task];
    if (place->job->over)
        return;
    uint32_t rack = p->racks.at[a->node];
    t->node = a->node;
    if (t->committed_us >= 0)
        return; /* made again */
    t->committed_us = p->follow->now_us;
    f->rack_bytes[rack] += (double)t->output_bytes;
    f->copies_won += a->copy;
    if (place->job->measured)
        count_reads(p, place->job, e->at, rack);
}

/* ---- the end of a job ---- */

/* Which tasks are outliers, and whether their input says so. */
static void judge_outliers(struct phase_times *p, const struct phase_now *f,
                           const struct live_phase *live, struct phase_record *r)
{
    uint32_t explained = 0, judged = 0;
    if (live->count < 2)
        return;
    vec_clear(&p->bytes);
    vec_clear(&p->times);
    for (uint32_t t = 0; t < live->count; t++) {
        double us = (double)(f->tasks[t].committed_us - live->tasks[t].launched_us);
        vec_push(&p->times, us > 0 ? us : 1);
        vec_push(&p->bytes, (double)(live->input_each ? live->input_each[t] : live->input_bytes));
    }
    struct stat_line line = stat_line(p->bytes.at, p->times.at, live->count);
    double *sorted = mem_copy(p->times.at, live->count, sizeof *sorted);
    double median = stat_quantile(sorted, live->count, 0.5);
    mem_free(sorted);
    for (uint32_t t = 0; t < live->count; t++) {
        double us = p->times.at[t], predicted = line.base + line.slope * p->bytes.at[t];
        if (us <= OUTLIER * median)
            continue;
        r->outlier_count++;
        vec_push(&p->log.outliers, (float)(us / median));
        judged++;
        explained += us >= 0.8 * predicted && us <= 1.2 * predicted;
    }
    if (live->count >= LINE_TASKS_MIN && judged > 0)
        r->outliers = explained == judged ? OUTLIERS_EXPLAINED
                      : explained == 0    ? OUTLIERS_UNEXPLAINED
                                          : OUTLIERS_SOME;
}

static void phase_over(struct phase_times *p, const struct phase_now *f,
                       const struct live_phase *live, struct phase_record *r)
{
    int64_t begun_us = INT64_MAX, ended_us = INT64_MIN;
    r->tasks = live->count;
    r->peak = f->peak;
    r->recomputes = f->recomputes;
    r->copies = f->copies;
    r->copies_won = f->copies_won;
    r->slot_s = wide_double(f->area) / RES_SLOT / 1e6;
    for (uint32_t t = 0; t < live->count; t++) {
        const struct task_now *task = &f->tasks[t];
        begun_us = live->tasks[t].launched_us < begun_us ? live->tasks[t].launched_us : begun_us;
        ended_us = task->committed_us > ended_us ? task->committed_us : ended_us;
    }
    r->life_s = (double)(ended_us - begun_us) / 1e6;
    judge_outliers(p, f, live, r);
}

static bool phase_complete(const struct phase_now *f, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++)
        if (f->tasks[t].committed_us < 0)
            return false; /* given up, or never needed */
    return true;
}

static void job_over(void *ctx, struct live_job *live, bool done)
{
    struct phase_times *p = ctx;
    struct job_now *j = live->own[p->owner];
    j->done = done;
    j->ended_us = p->follow->now_us;
}

static void job_gone(void *ctx, struct live_job *live)
{
    struct phase_times *p = ctx;
    struct job_now *j = live->own[p->owner];
    if (live->measured && j->done && live->live == 0) {
        double jct_s = (double)(j->ended_us - live->arrived_us + live->wrapup_us) / 1e6;
        vec_push(&p->log.jobs, ((struct job_time){j->name_hash, jct_s}));
        for (uint16_t k = 0; k < live->phase_count; k++) {
            struct phase_record r = {.job = live->id.v, .phase = k};
            if (!phase_complete(&j->phases[k], live->phases[k].count))
                continue;
            phase_over(p, &j->phases[k], &live->phases[k], &r);
            vec_push(&p->log.phases, r);
        }
    }
    for (uint16_t k = 0; k < live->phase_count; k++) {
        mem_free(j->phases[k].tasks);
        mem_free(j->phases[k].edges);
        mem_free(j->phases[k].rack_bytes);
    }
    mem_free(j);
}

struct phase_times *phase_times_create(struct follow *f)
{
    static const struct follow_hooks hooks = {.submitted = job_submitted,
                                              .launched = launched,
                                              .ended = ended,
                                              .won = committed,
                                              .over = job_over,
                                              .gone = job_gone,
                                              .event = see_event,
                                              .decision = see_decision};
    struct phase_times *p = mem_zalloc(1, sizeof *p);
    p->follow = f;
    p->owner = follow_subscribe(f, p, &hooks);
    return p;
}
