/* carbyne.c - Carbyne (Grandl et al., OSDI'16): fair shares first; resources that a job does not
 * need now go to jobs that are nearly done.
 *
 * When a job arrives or ends, each job gets a fair share of the cluster, by dominant resources. The
 * remaining work of a job is planned on its share alone, as early as possible; that gives its end.
 * Then it is planned backward from that end: tasks that must start now to meet it are needed, and
 * the rest of the share is left over for the jobs with the least remaining work.
 *
 *     fair quota   x * v_j; v_j: mean demand of job j's tasks, its largest share scaled to 1
 *     T_j          end of the forward plan        core/estimate/dag_plan.h
 *     P            share of plans made backward   altruism
 *     p_j          work left                      job->standing.volume
 *
 * Tasks that are needed come first, those of the job that holds the least of its quota ahead; then
 * all others by p_j: no resource stays idle that a task fits. Plans are made again when a task of
 * the job is done or its quota changes. Changed: the plan has phases in lanes and not single tasks,
 * volume is that of left_work.h, and resources that could be stretched (network, disk) are ignored.
 */
#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/brain/decider.h"
#include "core/estimate/dag_job.h"
#include "core/estimate/left_work.h"
#include "core/order/order_key.h"
#include "core/parts/parts.h"

#define PARAMS struct carbyne_params
struct carbyne_params {
    double altruism;
};

static const struct field params[] = {
    PARAM_REAL("altruism", altruism, "1", 0, 1,
               "share of plans that start tasks as late as they can"),
    {0},
};

struct carbyne {
    double scale;    /* quota of a job whose largest mean demand is 1 */
    uint32_t quotas; /* how often they were worked out */
};

/* What is kept about a job: of each phase, how many tasks its plan needed to start. */
struct carbyne_note {
    uint32_t quotas; /* with which it was planned */
    uint64_t done;   /* tasks that were done then */
    struct {
        uint32_t starts, waiting; /* tasks that waited then */
    } at[];
};

static double share_of(const struct world *w, int r, double amount)
{
    return w->capacity.v[r] > 0 ? amount / (double)w->capacity.v[r] : 0;
}

/* v_j, by resource. */
static void mean_demand(const struct world *w, const struct job *j, double v[RES_COUNT])
{
    double most = 0;
    for (int r = 0; r < RES_COUNT; r++) {
        v[r] = 0;
        for (uint16_t k = 0; k < j->phase_count; k++)
            v[r] +=
                left_work_tasks(&j->phases[k]) * share_of(w, r, (double)j->phases[k].demand.v[r]);
        most = fmax(most, v[r]);
    }
    for (int r = 0; r < RES_COUNT && most > 0; r++)
        v[r] /= most;
}

/* What the job has a right to and does not hold. Returns the most it holds of its quota. */
static double free_quota(const struct part_ctx *s, const struct job *j, double room[RES_COUNT])
{
    const struct carbyne *c = s->state;
    double v[RES_COUNT], most = 0;
    mean_demand(s->world, j, v);
    for (int r = 0; r < RES_COUNT; r++) {
        double held = share_of(s->world, r, (double)j->held.v[r]), quota = c->scale * v[r];
        room[r] = fmax(quota - held, 0);
        most = quota > 0 ? fmax(most, held / quota) : most;
    }
    return most;
}

static bool is_altruistic(const struct part_ctx *s, const struct job *j, uint64_t done)
{
    struct rng r = rng_branch(j->phases[0].place_trunk, j->id.v, done);
    return rng_unit(&r) < par(s)->altruism;
}

/* Plans the job anew; `starts` gets what is needed now. */
static void plan_job(const struct part_ctx *s, const struct job *j, uint64_t done, uint32_t *starts)
{
    struct dag_job left = dag_job_left(s->world, j);
    double room[RES_COUNT];
    free_quota(s, j, room);
    double end_s = dag_plan_forward(left.phases, j->phase_count, room, starts);
    if (end_s < INFINITY && is_altruistic(s, j, done))
        dag_plan_backward(left.phases, j->phase_count, room, end_s, starts);
    dag_job_free(&left);
}

static void weigh(const struct part_ctx *s, const struct job *j)
{
    const struct carbyne *c = s->state;
    struct carbyne_note *note =
        decider_note(s->brain, j, sizeof *note + j->phase_count * sizeof *note->at);
    struct left_work left = left_work_of(s->world, j, 0);
    decider_publish(s->brain, j, (struct standing){.volume = left.volume, .time_s = left.time_s});
    uint64_t done = 1; /* not that of a job that was never planned */
    for (uint16_t k = 0; k < j->phase_count; k++)
        done += j->phases[k].done + (j->phases[k].open ? 1U : 0U);
    if (note->quotas == c->quotas && note->done == done)
        return;
    uint32_t *starts = mem_zalloc(j->phase_count, sizeof *starts);
    plan_job(s, j, done, starts);
    note->quotas = c->quotas;
    note->done = done;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        note->at[k].starts = starts[k];
        note->at[k].waiting = dag_job_waiting(&j->phases[k]);
    }
    mem_free(starts);
}

static bool is_planned(const struct job *j)
{
    return j && j->state == JOB_LIVE;
}

/* Quotas, and with them the plans of all jobs. */
static void plan(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct carbyne *c = s->state;
    double sum[RES_COUNT] = {0}, most = 0, v[RES_COUNT];
    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++) {
        if (!is_planned(w->jobs.at[i]))
            continue;
        mean_demand(w, w->jobs.at[i], v);
        for (int r = 0; r < RES_COUNT; r++)
            most = fmax(most, sum[r] += v[r]);
    }
    c->scale = most > 0 ? 1 / most : 1;
    c->quotas++;
    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
        if (is_planned(w->jobs.at[i]))
            weigh(s, w->jobs.at[i]);
}

/* Whether the plan of the job wants one more task of the phase now. */
static bool is_needed(const struct phase *p)
{
    const struct carbyne_note *note = p->job->note;
    uint32_t waiting = dag_job_waiting(p);
    uint32_t started =
        note->at[p->index].waiting > waiting ? note->at[p->index].waiting - waiting : 0;
    return started < note->at[p->index].starts;
}

static int64_t key(const struct part_ctx *s, const struct phase *p)
{
    enum { BITS = ORDER_KEY_MAX - 1 };
    double room[RES_COUNT];
    if (is_needed(p))
        return order_key(free_quota(s, p->job, room), BITS);
    return INT64_C(1) << BITS | order_key(p->job->standing.volume, BITS);
}

const struct order_ops carbyne_order = {
    .part = {.name = "carbyne",
             .help =
                 "fair shares by dominant resource; the smallest job gets what others can spare",
             PART_PARAMS(params),
             .state_size = sizeof(struct carbyne),
             .reads_expected = true},
    .follows = FOLLOWS_JOBS | FOLLOWS_CAPACITY | FOLLOWS_HELD | FOLLOWS_COMMITS | FOLLOWS_EXPECTED,
    .plan = plan,
    .weigh = weigh,
    .key = key,
};
