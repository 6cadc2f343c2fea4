/* job_need.c - the resources that jobs use at the same time, on an unlimited cluster.
 *
 * The problem: a cluster for a given load is to be made for jobs whose arrivals and times are
 * known. Work over the time in which it arrives is their load only where jobs are short beside that
 * time. Where few long tasks run on after the last arrival, a cluster of that size stands empty;
 * where all jobs arrive at once, there is no such time at all.
 *
 * The method: let every phase begin when those above it end, every task at once, and look at what
 * is held: on average while jobs arrive, and on average until the last one ends. The larger of the
 * two counts. Jobs that keep coming are about the first, jobs that arrive at once about the second,
 * and between them nothing has to be told apart.
 *
 * Jobs are read once. When the last one arrives is known only at the end, so what is held beyond
 * the arrival just read is kept, and what has ended before it is added up and forgotten. */
#include "commands/sim/job_need.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "sim/ideal.h"
#include "sim/luck.h"

/* Of the draws: a cluster is made for the jobs, whatever seed they are to be simulated with. */
enum { NEED_SEED = 1 };

/* An attempt that holds `demand` for a time. */
struct need_held {
    int64_t from_us, to_us;
    struct res demand;
};

struct need {
    const struct cluster *cluster;
    VEC(struct need_held) open; /* those that end after the last arrival, and some others */
    uint32_t open_max;          /* with more of them it is time to look which have ended */
    double closed[RES_COUNT], all[RES_COUNT]; /* what is held x us */
    int64_t first_us, last_us, end_us;        /* first and last arrival, last end */
};

static double held_us(const struct need_held *h, int resource, int64_t until_us)
{
    int64_t to_us = h->to_us < until_us ? h->to_us : until_us;
    return to_us > h->from_us ? h->demand.v[resource] * (double)(to_us - h->from_us) : 0;
}

/* Adds up what has ended. */
static void close_ended(struct need *n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->open.count; i++) {
        const struct need_held *h = &n->open.at[i];
        if (h->to_us > n->last_us) {
            n->open.at[kept++] = *h;
            continue;
        }
        for (int k = 0; k < RES_COUNT; k++)
            n->closed[k] += held_us(h, k, n->last_us);
    }
    n->open.count = kept;
    n->open_max = 2 * kept + 4096;
}

static int64_t attempt_us(const struct need *n, const struct workload_job *job,
                          struct attempt_ref at, int64_t start_us)
{
    struct rng r = rng_stream(NEED_SEED, RNG_PLACE, at.job.v, at.phase, at.task, 0);
    struct node_id node = {(uint32_t)rng_below(&r, CLUSTER_NODES_MAX)};
    struct luck_plan plan =
        ideal_plan_real(n->cluster, NEED_SEED, at, node, 1, &job->spec.phases[at.phase],
                        &job->truth[at.phase], start_us);
    return luck_life_us(&plan);
}

/* Returns when the last task of the phase ends. */
static int64_t add_phase(struct need *n, const struct workload_job *job, struct attempt_ref at,
                         int64_t start_us)
{
    const struct phase_spec *spec = &job->spec.phases[at.phase];
    int64_t end_us = start_us;
    for (at.task = 0; at.task < spec->tasks; at.task++) {
        struct need_held h = {start_us, start_us + attempt_us(n, job, at, start_us), spec->demand};
        if (h.to_us - job->submit_us > LUCK_US_MAX) /* many phases of the longest tasks */
            h.to_us = job->submit_us + LUCK_US_MAX;
        for (int k = 0; k < RES_COUNT; k++)
            n->all[k] += held_us(&h, k, h.to_us);
        end_us = h.to_us > end_us ? h.to_us : end_us;
        if (n->open.count >= n->open_max)
            close_ended(n);
        vec_push(&n->open, h);
    }
    return end_us;
}

static void add_job(struct need *n, const struct workload_job *job, struct job_id id)
{
    int64_t *ends = mem_zalloc(job->spec.phase_count, sizeof *ends);
    n->last_us = job->submit_us;
    for (uint16_t i = 0; i < job->spec.phase_count; i++) {
        const struct phase_spec *spec = &job->spec.phases[i];
        int64_t start_us = job->submit_us;
        for (uint16_t e = 0; e < spec->edge_count; e++)
            start_us = ends[spec->edges[e].from] > start_us ? ends[spec->edges[e].from] : start_us;
        ends[i] = add_phase(n, job, (struct attempt_ref){id, 0, i, 0}, start_us);
        n->end_us = ends[i] > n->end_us ? ends[i] : n->end_us;
    }
    mem_free(ends);
}

struct job_need job_need_of(struct workload *w, const struct cluster *c)
{
    struct need n = {.cluster = c, .open_max = 4096};
    struct job_need out = {{0}};
    struct workload_job *job;
    for (uint32_t id = 0; (job = w->next(w)); id++) {
        if (id == 0)
            n.first_us = n.end_us = job->submit_us;
        add_job(&n, job, (struct job_id){id});
        workload_job_free(job);
    }
    for (int k = 0; k < RES_COUNT && n.end_us > n.first_us; k++) {
        double arriving = n.closed[k];
        for (uint32_t i = 0; i < n.open.count; i++)
            arriving += held_us(&n.open.at[i], k, n.last_us);
        out.v[k] = n.all[k] / (double)(n.end_us - n.first_us);
        if (n.last_us > n.first_us)
            out.v[k] = fmax(out.v[k], arriving / (double)(n.last_us - n.first_us));
    }
    vec_free(&n.open);
    return out;
}
