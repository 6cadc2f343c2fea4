/* synth.c - the stream of a generated workload.
 *
 * Arrivals are drawn window by window, each with its own random numbers: the number of jobs in one
 * window moves no arrival in another. Restarting at the border of a window is exact, because a
 * Poisson process has no memory.
 *
 * A job is submitted some time after it has arrived, so jobs are not submitted in the order in
 * which they arrive. Those that have arrived wait in a short sorted list, and the first of them is
 * handed out when no later arrival can come before it. The job itself is drawn only then.
 *
 * Rejected: drawing gaps between arrivals by index. The rate would then depend on where the sum of
 * all earlier gaps fell, and the windows could not be drawn apart from each other. */
#include "inputs/models/synth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "inputs/models/mix_job.h"
#include "inputs/models/synth_job.h"

struct waiting {
    int64_t submit_us, arrived_us;
    uint64_t index;
};

struct synth {
    struct workload workload; /* first: the stream is cast to this */
    const struct synth_model *m;
    uint64_t seed;

    /* The next arrival. */
    int64_t arrived_us;
    uint64_t index;
    /* The window that it falls into. */
    int64_t window;
    struct rng gaps;
    double rate;  /* arrivals per us */
    double at_us; /* of the arrival, from the beginning of the window */

    /* Some ten jobs, the one that is submitted first at the end. */
    VEC(struct waiting) waiting;
};

const struct synth_model *synth_find(const char *name)
{
    for (int i = 0; i < SYNTH_MODELS; i++)
        if (!strcmp(synth_model_table[i].name, name))
            return &synth_model_table[i];
    return NULL;
}

const struct synth_published *synth_published(const struct synth_model *m, const char *id)
{
    for (uint32_t i = 0; i < m->published_count; i++)
        if (!strcmp(m->published[i].id, id))
            return &m->published[i];
    return NULL;
}

struct cluster *synth_cluster(const struct synth_model *m, struct err *err)
{
    if (m->cluster_path)
        return cluster_file_read(m->cluster_path, err);
    struct cluster *c = cluster_create();
    cluster_add_rack(c, "r0");
    for (const struct synth_servers *s = m->servers; s < m->servers + SYNTH_SERVERS_MAX; s++)
        for (uint32_t i = 0; i < s->count; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%u", c->node_count);
            struct cluster_node node = {.speed = 1, .links = 1};
            node.capacity.v[RES_CPU] = (int32_t)s->cores * RES_SLOT;
            node.capacity.v[RES_MEM] = (int32_t)s->mem_mib;
            cluster_add_node(c, name, &node);
        }
    c->luck = m->luck;
    return c;
}

/* ---- arrivals ---- */

static void open_window(struct synth *s, int64_t window)
{
    s->window = window;
    s->gaps = rng_stream(s->seed, RNG_ARRIVAL, (uint64_t)window, 0, 0, 0);
    s->rate = s->m->arrivals_per_s / 1e6 * exp(s->m->surge * rng_normal(&s->gaps));
    s->at_us = 0;
}

static void draw_arrival(struct synth *s)
{
    int64_t length_us = s->m->surge_window_us;
    while ((s->at_us += rng_exponential(&s->gaps) / s->rate) >= (double)length_us)
        open_window(s, s->window + 1);
    s->arrived_us = s->window * length_us + (int64_t)s->at_us;
}

/* ---- the stream ---- */

/* The job that has arrived takes its place among those that wait; equal times go by index. */
static void take_arrival(struct synth *s)
{
    struct waiting w = {
        .submit_us = s->arrived_us + synth_job_half_overhead_us(s->m, s->seed, s->index),
        .arrived_us = s->arrived_us,
        .index = s->index++,
    };
    vec_push(&s->waiting, w);
    uint32_t at = s->waiting.count - 1;
    for (; at > 0 && s->waiting.at[at - 1].submit_us <= w.submit_us; at--)
        s->waiting.at[at] = s->waiting.at[at - 1];
    s->waiting.at[at] = w;
    draw_arrival(s);
}

static struct workload_job *synth_next(struct workload *w)
{
    struct synth *s = (struct synth *)w;
    if (w->closed)
        return NULL;
    while (s->waiting.count == 0 || s->arrived_us < s->waiting.at[s->waiting.count - 1].submit_us)
        take_arrival(s);
    struct waiting first = s->waiting.at[--s->waiting.count];
    struct workload_job *(*draw)(const struct synth_model *, uint64_t, uint64_t, int64_t) =
        s->m->mix    ? mix_job_draw
        : s->m->flow ? flow_job_draw
                     : synth_job_draw;
    return draw(s->m, s->seed, first.index, first.arrived_us);
}

static void synth_destroy(struct workload *w)
{
    struct synth *s = (struct synth *)w;
    vec_free(&s->waiting);
    mem_free(s);
}

struct workload *synth_create(const struct synth_model *m, uint64_t seed)
{
    struct synth *s = mem_zalloc(1, sizeof *s);
    s->workload = (struct workload){.name = m->name, .next = synth_next, .destroy = synth_destroy};
    s->m = m;
    s->seed = seed;
    open_window(s, 0);
    draw_arrival(s);
    return &s->workload;
}
