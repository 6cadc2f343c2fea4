/* gather.c - collects the facts of a report from turns.
 *
 * The account knows where the row of an attempt is as long as something can happen to it. What is
 * kept of jobs and attempts that are over is bounded, the shortest go first. */
#include "commands/report/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/story/story_job.h"

/* What we keep of a job until it is gone. */
struct gather_own {
    struct gather_job job;
    struct charge {
        uint16_t attempts; /* that a clone budget pays for */
        bool backed;       /* a backup has won */
    } * charges;           /* by task of all phases */
    uint32_t first[];      /* by phase: its first task in `charges` */
};

static struct gather_own *own_of(const struct gather *g, const struct live_job *j)
{
    return j->own[g->owner];
}

/* Its place among all tasks of the job. */
static uint32_t index_of(const struct gather_own *own, const struct live_place *p)
{
    uint32_t phase = (uint32_t)(p->phase - p->job->phases);

    return own->first[phase] + (uint32_t)(p->task - p->phase->tasks);
}

/* Returns the open row of an attempt, or NULL. */
static struct attempt_row_shown *row_of(const struct gather *g, struct attempt_ref at)
{
    const struct live_attempt *a = follow_attempt(g->follow, at);

    return a ? &g->log.open.at[a->row[g->owner]] : NULL;
}

const char *gather_series_name(enum gather_series which)
{
    static const char *const names[GATHER_SERIES] = {"running",
                                                     "waiting",
                                                     "extra_percent",
                                                     "nodes_down",
                                                     "omega_s",
                                                     "slots",
                                                     "slots_all",
                                                     "mem_percent",
                                                     "x_percent",
                                                     "y_percent",
                                                     "cpu_s_per_s",
                                                     "clones_percent",
                                                     "clones_limit_percent",
                                                     "backups_percent",
                                                     "backups_limit_percent"};
    return names[which];
}

/* ---- jobs ---- */

static void job_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    struct gather *g = ctx;
    struct gather_own *own = mem_zalloc(1, sizeof *own + j->phase_count * sizeof *own->first);
    struct str phases = {0};
    uint32_t tasks = 0;

    for (uint16_t i = 0; i < j->phase_count; i++) {
        own->first[i] = tasks;
        tasks += j->phases[i].count;
        str_addf(&phases, "%s\n", spec->phases[i].name ? spec->phases[i].name : "?");
    }
    own->charges = mem_zalloc(tasks, sizeof *own->charges);
    own->job = (struct gather_job){.id = j->id,
                                   .name = mem_strdup(spec->name ? spec->name : "?"),
                                   .phases = phases.text,
                                   .tasks = j->tasks,
                                   .arrived_us = j->arrived_us,
                                   .began_us = -1,
                                   .open = true,
                                   .measured = j->measured};
    j->own[g->owner] = own;
    g->waiting += j->tasks;
}

static void job_over(void *ctx, struct live_job *j, bool done)
{
    struct gather *g = ctx;
    struct gather_job *job = &own_of(g, j)->job;

    job->open = false;
    job->failed = !done;
    job->ended_us = g->follow->now_us + j->wrapup_us;
    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++) {
            const struct live_task *task = &j->phases[k].tasks[t];
            g->waiting -= task->live == 0 && task->winner == LIVE_NO_WINNER;
        }
}

static struct cutoff height_of(const struct gather_job *j)
{
    return cutoff_height(gather_took_us(j), j->id.v, 0);
}

static void forget_job(struct gather_job *j)
{
    mem_free(j->name);
    mem_free(j->phases);
}

/* Leaves out the shorter half, failed ones only when there is no other way. */
static void thin_jobs(struct gather *g)
{
    VEC(struct cutoff) heights = {0};
    uint32_t done = 0, kept = 0;

    for (uint32_t i = 0; i < g->jobs.count; i++)
        done += !g->jobs.at[i].failed;
    bool all = done < g->jobs.count / 4;
    for (uint32_t i = 0; i < g->jobs.count; i++)
        if (all || !g->jobs.at[i].failed)
            vec_push(&heights, height_of(&g->jobs.at[i]));
    cutoff_raise(&g->job_cutoff, heights.at, heights.count);
    vec_free(&heights);
    for (uint32_t i = 0; i < g->jobs.count; i++)
        if ((!all && g->jobs.at[i].failed) ||
            cutoff_reached(&g->job_cutoff, height_of(&g->jobs.at[i])))
            g->jobs.at[kept++] = g->jobs.at[i];
        else
            forget_job(&g->jobs.at[i]);
    g->jobs.count = kept;
}

/* Of a task of a job to which nothing more happens. */
static void close_rows(struct gather *g, const struct live_task *t)
{
    const struct live_attempt *a = live_jobs_newest(&g->follow->jobs, t);

    for (; a; a = live_jobs_older(&g->follow->jobs, a)) {
        struct attempt_row_shown *r = &g->log.open.at[a->row[g->owner]];
        if (r->fate == FATE_RUNS)
            r->ended_us = g->follow->now_us;
        attempt_log_close(&g->log, a->row[g->owner]);
    }
}

static void job_gone(void *ctx, struct live_job *j)
{
    struct gather *g = ctx;
    struct gather_own *own = own_of(g, j);

    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++)
            close_rows(g, &j->phases[k].tasks[t]);
    if (own->job.open)
        own->job.ended_us = g->follow->now_us;
    g->job_count++;
    g->measured_count += own->job.measured;
    if (own->job.failed || cutoff_reached(&g->job_cutoff, height_of(&own->job)))
        vec_push(&g->jobs, own->job);
    else
        forget_job(&own->job);
    if (g->jobs.count > GATHER_JOBS_MAX && !g->all)
        thin_jobs(g);
    mem_free(own->charges);
    mem_free(own);
    j->own[g->owner] = NULL;
}

/* ---- attempts ---- */

/* Attempts of the task have changed: what a clone budget pays for is its extra attempts but
 * backups. Where a backup has won, one of the others goes on as the one that was needed. */
static void recharge(struct gather *g, const struct live_place *p)
{
    struct gather_own *own = own_of(g, p->job);
    struct charge *c = &own->charges[index_of(own, p)];
    uint32_t others = 0, needed = p->task->winner == LIVE_NO_WINNER || c->backed;

    const struct live_attempt *a = live_jobs_newest(&g->follow->jobs, p->task);
    for (; a; a = live_jobs_older(&g->follow->jobs, a))
        others += a->ended_us < 0 && a->kind != LAUNCH_BACKUP;
    uint32_t now = others > needed ? others - needed : 0;
    res_sum_add(&g->charged, &p->phase->demand, (int64_t)now - c->attempts);
    c->attempts = (uint16_t)now;
}

static void count_backup(struct gather *g, const struct live_place *p, uint8_t kind, int sign)
{
    if (kind == LAUNCH_BACKUP)
        res_sum_add(&g->backups, &p->phase->demand, sign);
}

static void attempt_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    struct gather *g = ctx;
    struct gather_job *job = &own_of(g, p->job)->job;
    struct attempt_row_shown row = {.launched_us = g->follow->now_us,
                                    .started_us = -1,
                                    .ended_us = -1,
                                    .read_from_us = -1,
                                    .read_to_us = -1,
                                    .at = d->at,
                                    .node = d->node.v,
                                    .lane = tracks_take(&g->tracks, d->node.v),
                                    .why = d->why.code,
                                    .kind = d->kind,
                                    .fate = FATE_RUNS};

    follow_keep(g->follow, p, d->at.attempt)->row[g->owner] = attempt_log_open(&g->log, &row);
    g->running++;
    count_backup(g, p, d->kind, 1);
    recharge(g, p);
    if (p->task->live == 1 && p->task->winner == LIVE_NO_WINNER)
        g->waiting--;
    if (job->began_us < 0)
        job->began_us = g->follow->now_us;
    job->clones += d->kind == LAUNCH_CLONE || d->kind == LAUNCH_BACKUP;
    for (int i = 0; i < RES_COUNT; i++)
        g->resource_used[i] |= p->phase->demand.v[i] > 0;
}

/* CPU seconds are known at the end, and are taken to be spread over the time that it ran for. */
static void note_use(struct gather *g, struct attempt_row_shown *r, const struct event *e)
{
    const struct usage *use = &e->u.use;

    if (e->type == EV_ATTEMPT_LAUNCH_FAILED || r->started_us < 0)
        return;
    if (use->cpu_us > 0)
        series_spread(g->series, GATHER_CPU, r->started_us, r->ended_us, (double)use->cpu_us);
    if (!g->all)
        return;
    vec_push(&g->uses, *use);
    r->use = g->uses.count;
}

static void leave_lane(struct gather *g, struct attempt_row_shown *r)
{
    tracks_give(&g->tracks, r->node, r->lane);
    g->running--;
}

static void attempt_ended(void *ctx, const struct live_place *p, const struct event *e,
                          const struct live_attempt *a)
{
    struct gather *g = ctx;
    struct attempt_row_shown *r = &g->log.open.at[a->row[g->owner]];

    if (a->left_us < 0)
        leave_lane(g, r);
    r->ended_us = a->ended_us;
    r->fate = (uint8_t)attempt_log_fate(e->type);
    r->cause = e->cause;
    r->detail = e->detail;
    note_use(g, r, e);
    count_backup(g, p, r->kind, -1);
    recharge(g, p);
    if (p->task->live == 0 && p->task->winner == LIVE_NO_WINNER && e->type != EV_ATTEMPT_FINISHED &&
        !p->job->over)
        g->waiting++;
    if (e->type != EV_ATTEMPT_FINISHED)
        attempt_log_close(&g->log, a->row[g->owner]);
}

static void attempt_won(void *ctx, const struct live_place *p, const struct event *e,
                        const struct live_attempt *a)
{
    struct gather *g = ctx;
    struct gather_own *own = own_of(g, p->job);

    (void)e;
    own->charges[index_of(own, p)].backed = a->kind == LAUNCH_BACKUP;
    g->log.open.at[a->row[g->owner]].fate = FATE_WON;
    attempt_log_close(&g->log, a->row[g->owner]);
    recharge(g, p);
}

static void output_lost(void *ctx, const struct live_place *p, const struct event *e)
{
    struct gather *g = ctx;
    struct gather_own *own = own_of(g, p->job);

    (void)e;
    own->charges[index_of(own, p)].backed = false;
    g->waiting += p->task->live == 0 && !p->job->over;
    recharge(g, p);
}

/* ---- nodes, reads, decisions ---- */

static void node_changed(struct gather *g, const struct event *e)
{
    while (g->nodes.count <= e->node.v)
        vec_push(&g->nodes, EV_NODE_UP);
    uint8_t *state = &g->nodes.at[e->node.v];
    bool used = e->node.v < g->tracks.nodes.count && tracks_count(&g->tracks, e->node.v) > 0;
    if (g->all && used && e->type == EV_NODE_DOWN && *state != EV_NODE_DOWN)
        vec_push(&g->downs, ((struct gather_down){g->follow->now_us, e->node.v}));
    g->nodes_down -= *state != EV_NODE_UP;
    *state = e->type;
    g->nodes_down += *state != EV_NODE_UP;
}

static void other_event(void *ctx, const struct event *e)
{
    struct gather *g = ctx;
    struct attempt_row_shown *r;

    switch (e->type) {
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
        node_changed(g, e);
        break;
    case EV_ATTEMPT_STARTED:
        if ((r = row_of(g, e->at)))
            r->started_us = follow_attempt(g->follow, e->at)->started_us;
        break;
    case EV_ATTEMPT_ENDED:
        if ((r = row_of(g, e->at)))
            leave_lane(g, r);
        break;
    case EV_FETCH_STARTED:
        if ((r = row_of(g, e->at)) && r->read_from_us < 0)
            r->read_from_us = g->follow->now_us;
        break;
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        if (!(r = row_of(g, e->at)))
            break;
        r->read_to_us = g->follow->now_us;
        if (e->type == EV_FETCH_DONE)
            attempt_log_read(r, &(struct attempt_read){.task = e->u.fetch.source.task,
                                                       .took_s = (float)e->u.fetch.took_us / 1e6f,
                                                       .phase = e->u.fetch.source.phase});
        break;
    default:
        break;
    }
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* How much of the cluster clones, or backups, may hold, if the reason says so: its last number, in
 * units of the tightest resource. That is not named: it is the first of which there is so much. */
static void note_limit(struct gather *g, const struct reason *why)
{
    static const uint8_t says[WHY_CODE_END] = {
        [WHY_CLONED] = GATHER_CLONES_MAX,        [WHY_OVER_BUDGET] = GATHER_CLONES_MAX,
        [WHY_PARTIAL] = GATHER_CLONES_MAX,       [WHY_WAIT_PREEMPT] = GATHER_CLONES_MAX,
        [WHY_BUDGET_SHRANK] = GATHER_CLONES_MAX, [WHY_SPECULATION_CAP] = GATHER_BACKUPS_MAX};
    const struct res_sum *all = &g->follow->capacity.sum;

    if (why->code >= WHY_CODE_END || !says[why->code] || why->count < 2)
        return;
    double limit = why->num[why->count - 1];
    double of = share(limit, res_sum_slots(&g->follow->kinds, all));
    for (int i = 0; i < RES_COUNT && of > 100; i++)
        of = share(limit, (double)all->v[i] / res_unit(i));
    if (of <= 100)
        series_set(g->series, says[why->code], of);
}

/* Whether a verdict with this reason is about copies of tasks. */
static bool is_about_copies(uint16_t code)
{
    return story_job_is_about_cloning(code) || code == WHY_SPECULATION_CAP || code == WHY_CAP ||
           code == WHY_NO_IDLE_CORE || code == WHY_PRESSURE;
}

static void note_verdict(struct gather *g, const struct decision *d)
{
    struct live_job *j = live_jobs_find(&g->follow->jobs, d->at.job);
    uint16_t code = d->why.code;

    if (code < WHY_CODE_END)
        g->verdicts[code]++;
    if (!j)
        return;
    if (is_about_copies(code))
        own_of(g, j)->job.verdict = code;
    if (d->at.task != TASK_ALL && (code == WHY_TOO_MANY_FAILURES || code == WHY_TOO_MANY_LAUNCHES))
        own_of(g, j)->job.given_up++;
}

static void decided(void *ctx, const struct decision *d)
{
    struct gather *g = ctx;

    note_limit(g, &d->why);
    if (d->type == DO_VERDICT)
        note_verdict(g, d);
    if (d->why.code == WHY_OMEGA && d->why.count > 1)
        series_set(g->series, GATHER_OMEGA, d->why.num[1]);
}

static void time_passes(void *ctx)
{
    struct gather *g = ctx;

    series_reach(g->series, g->follow->now_us);
}

/* The share of the cluster, in the resource of which it is largest. */
static double largest_share(const struct gather *g, const struct res_sum *held)
{
    double most = 0;

    for (int i = 0; i < RES_COUNT; i++) {
        double of = share((double)held->v[i], (double)g->follow->capacity.sum.v[i]);
        most = of > most ? of : most;
    }
    return most;
}

static void turn_ends(void *ctx)
{
    struct gather *g = ctx;
    const struct follow *f = g->follow;
    const struct res_sum *all = &f->capacity.sum;

    for (int i = RES_CPU + 1; i < RES_COUNT; i++)
        series_set(g->series, GATHER_USED + (uint32_t)i - 1,
                   share((double)f->held.v[i], (double)all->v[i]));
    series_set(g->series, GATHER_SLOTS, (double)f->held.v[RES_CPU] / res_unit(RES_CPU));
    series_set(g->series, GATHER_SLOTS_ALL, (double)all->v[RES_CPU] / res_unit(RES_CPU));
    series_set(g->series, GATHER_RUNNING, (double)g->running);
    series_set(g->series, GATHER_WAITING, (double)g->waiting);
    series_set(g->series, GATHER_EXTRA, largest_share(g, &f->extra));
    series_set(g->series, GATHER_CLONES, largest_share(g, &g->charged));
    series_set(g->series, GATHER_BACKUPS,
               share(res_sum_slots(&f->kinds, &g->backups), res_sum_slots(&f->kinds, all)));
    series_set(g->series, GATHER_NODES_DOWN, (double)g->nodes_down);
}

bool gather_limits_clones(const char *policy)
{
    return policy && strstr(policy, "dolly.budget=cluster") && strstr(policy, "dolly.charge=extra");
}

const struct usage *gather_use(const struct gather *g, const struct attempt_row_shown *r)
{
    return r->use ? &g->uses.at[r->use - 1] : NULL;
}

void gather_init(struct gather *g, struct follow *f, bool all)
{
    static const struct follow_hooks hooks = {.time = time_passes,
                                              .turn_end = turn_ends,
                                              .submitted = job_submitted,
                                              .launched = attempt_launched,
                                              .ended = attempt_ended,
                                              .won = attempt_won,
                                              .unwon = output_lost,
                                              .over = job_over,
                                              .gone = job_gone,
                                              .event = other_event,
                                              .decision = decided};

    *g = (struct gather){.follow = f, .series = mem_zalloc(1, sizeof *g->series), .all = all};
    g->log.max = all ? UINT32_MAX : ATTEMPT_LOG_MAX;
    series_init(g->series, GATHER_SERIES);
    g->owner = follow_subscribe(f, g, &hooks);
}

void gather_limit(struct gather *g)
{
    g->all = false;
    attempt_log_limit(&g->log, ATTEMPT_LOG_MAX);
    while (g->jobs.count > GATHER_JOBS_MAX)
        thin_jobs(g);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct gather_job *)a)->id.v, y = ((const struct gather_job *)b)->id.v;
    return (x > y) - (x < y);
}

void gather_sort(struct gather *g)
{
    vec_sort(&g->jobs, by_id);
}

const struct gather_job *gather_open(const struct gather *g, struct job_id id)
{
    struct live_job *j = g->follow ? live_jobs_find(&g->follow->jobs, id) : NULL;

    return j ? &own_of(g, j)->job : NULL;
}

const struct gather_job *gather_find(const struct gather *g, struct job_id id)
{
    struct gather_job like = {.id = id};
    return g->jobs.count ? bsearch(&like, g->jobs.at, g->jobs.count, sizeof like, by_id) : NULL;
}

void gather_fini(struct gather *g)
{
    for (uint32_t i = 0; i < g->jobs.count; i++)
        forget_job(&g->jobs.at[i]);
    vec_free(&g->jobs);
    vec_free(&g->nodes);
    vec_free(&g->downs);
    vec_free(&g->uses);
    attempt_log_fini(&g->log);
    tracks_fini(&g->tracks);
    mem_free(g->series);
}
