/* job_draw.c - random jobs: small DAGs with every feature that a job can have.
 *
 * Each job is drawn from a stream of its own (seed, index), so leaving a feature out of one job
 * moves no other. Sizes are bounded so that even a slow node with bad luck ends a task in minutes
 * of virtual time: swarms look for wrong turns, not for long runs. A job has one fixed layout with
 * room for the largest; measuring first would save memory that nobody misses. */
#include "tests/swarm/job_draw.h"

#include "base/mem.h"
#include "tests/swarm/draw.h"

enum { PHASES_MAX = 5, TASKS_MAX = 60, EDGES_MAX = 2, TRIES_MAX = 3, REPLICAS_MAX = 3 };

struct drawn_phase {
    struct edge_spec edges[EDGES_MAX];
    int64_t inputs[TASKS_MAX];
    int64_t sizes[TASKS_MAX];
    uint32_t attempt_from[TASKS_MAX + 1];
    int64_t attempts[TASKS_MAX * TRIES_MAX];
    uint32_t replica_from[TASKS_MAX + 1];
    struct node_id replicas[TASKS_MAX * REPLICAS_MAX];
};

struct drawn_job {
    struct workload_job job;
    struct phase_spec specs[PHASES_MAX];
    struct phase_truth truths[PHASES_MAX];
    struct drawn_phase phases[PHASES_MAX];
};

struct drawn_workload {
    struct workload base;
    struct job_draw draw;
    uint32_t index;
    int64_t clock_us;
};

/* A demand that one node, chosen at random, can hold. */
static struct res draw_demand(struct rng *r, const struct cluster *c)
{
    static const int32_t cpu[] = {1000, 1000, 1000, 500, 250, 2000, 3000};
    static const int32_t memory[] = {0, 512, 1024, 3000};
    const struct res *room = &c->nodes[rng_below(r, c->node_count)].capacity;
    struct res d = {{0}};

    d.v[RES_CPU] = draw_of(r, cpu);
    d.v[RES_MEM] = draw_of(r, memory);

    for (int i = 0; i < RES_COUNT; i++)
        if (d.v[i] > room->v[i])
            d.v[i] = room->v[i];
    return d;
}

/* What the phase needs of the spare resources, where the cluster has them. Some phases need nothing
 * else, as tasks do where slots of two kinds are all there is. */
static void draw_units(struct res *demand, const struct job_draw *d, uint32_t job, uint16_t phase)
{
    const struct res *room = &d->cluster->nodes[0].capacity;
    struct rng r = draw_stream(d->seed, DRAW_UNITS, 1 + (uint64_t)job * PHASES_MAX + phase);

    demand->v[RES_X] = (int32_t)draw_between(&r, 0, (uint32_t)room->v[RES_X]);
    demand->v[RES_Y] = (int32_t)draw_between(&r, 0, (uint32_t)room->v[RES_Y]);
    bool alone = draw_chance(&r, 0.3);
    if (alone && (demand->v[RES_X] > 0 || demand->v[RES_Y] > 0))
        demand->v[RES_CPU] = demand->v[RES_MEM] = 0;
}

/* More than any node has, in one of the dimensions. */
static struct res draw_misfit(struct rng *r, const struct cluster *c)
{
    struct res d = {{1000, 0, 0, 0}};
    int which = draw_chance(r, 0.5) ? RES_CPU : RES_MEM;

    for (uint32_t n = 0; n < c->node_count; n++)
        if (d.v[which] <= c->nodes[n].capacity.v[which])
            d.v[which] = c->nodes[n].capacity.v[which] + 1;
    return d;
}

static void draw_edges(struct rng *r, struct drawn_job *j, uint16_t p, const struct job_draw *d)
{
    struct phase_spec *spec = &j->specs[p];
    struct edge_spec *edges = j->phases[p].edges;

    if (p == 0 || draw_chance(r, d->storm ? 0.02 : 0.15))
        return; /* a phase that reads nothing */
    uint32_t wanted = p > 1 ? draw_between(r, 1, EDGES_MAX) : 1;
    uint16_t from = (uint16_t)rng_below(r, p);
    if (draw_chance(r, 0.5))
        from = (uint16_t)(p - 1);
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t above = j->specs[from].tasks;
        edges[i].from = from;
        if (draw_chance(r, 0.3) && spec->tasks <= above)
            edges[i].pattern = spec->tasks == above ? EDGE_ONE_TO_ONE : EDGE_MANY_TO_ONE;
        if (draw_chance(r, d->storm ? 0.7 : 0.25))
            edges[i].slowstart = (uint8_t)draw_between(r, 1, 100);
        from = (uint16_t)((from + 1) % p); /* two edges never come from one phase */
    }
    spec->edges = edges;
    spec->edge_count = (uint16_t)wanted;
}

static void draw_times(struct rng *r, struct drawn_job *j, uint16_t p, bool storm)
{
    struct phase_truth *truth = &j->truths[p];
    struct drawn_phase *own = &j->phases[p];
    uint32_t tasks = j->specs[p].tasks, next = 0;

    truth->size_us = draw_chance(r, 0.03) ? 0 : (int64_t)draw_log(r, 1e3, storm ? 1e6 : 2e7);
    truth->output_bytes = draw_chance(r, 0.8) ? (int64_t)draw_log(r, 1, storm ? 1e7 : 1e9) : 0;
    if (truth->output_bytes % 4 == 1) /* as good as drawn, and moves no other world */
        truth->skew = 1 + (double)(truth->output_bytes % 23);
    if (draw_chance(r, 0.5)) {
        for (uint32_t t = 0; t < tasks; t++)
            own->sizes[t] = (int64_t)((double)truth->size_us * draw_log(r, 0.3, 3));
        truth->size_each = own->sizes;
    }
    if (!draw_chance(r, 0.2))
        return;
    for (uint32_t t = 0; t < tasks; t++) {
        own->attempt_from[t] = next;
        uint32_t tries = (uint32_t)rng_below(r, TRIES_MAX + 1);
        for (uint32_t k = 0; k < tries; k++)
            own->attempts[next++] = (int64_t)draw_log(r, 1, storm ? 1e6 : 1e8);
    }
    own->attempt_from[tasks] = next;
    truth->attempt_from = own->attempt_from;
    truth->attempts = own->attempts;
}

static void draw_inputs(struct rng *r, struct drawn_job *j, uint16_t p, uint32_t nodes)
{
    struct phase_spec *spec = &j->specs[p];
    struct drawn_phase *own = &j->phases[p];

    spec->input_bytes = draw_chance(r, 0.7) ? (int64_t)draw_log(r, 1, 1e9) : 0;
    if (draw_chance(r, 0.4)) {
        for (uint32_t t = 0; t < spec->tasks; t++)
            own->inputs[t] = (int64_t)draw_log(r, 1, 1e9);
        spec->input_each = own->inputs;
    }
    if (!draw_chance(r, 0.4))
        return;
    uint32_t next = 0;
    for (uint32_t t = 0; t < spec->tasks; t++) {
        own->replica_from[t] = next;
        uint32_t copies = (uint32_t)rng_below(r, REPLICAS_MAX + 1); /* or unknown */
        for (uint32_t i = 0; i < copies; i++)
            own->replicas[next++].v = (uint32_t)rng_below(r, nodes);
    }
    own->replica_from[spec->tasks] = next;
    spec->replica_from = own->replica_from;
    spec->replicas = own->replicas;
}

static void draw_phase(struct rng *r, struct drawn_job *j, uint32_t job, uint16_t p,
                       const struct job_draw *d)
{
    struct phase_spec *spec = &j->specs[p];

    spec->name = p % 2 ? "reduce" : "map";
    spec->tasks = 1 + (uint32_t)(TASKS_MAX * pow(rng_unit(r), 3));
    spec->demand = draw_demand(r, d->cluster);
    draw_units(&spec->demand, d, job, p);
    if (draw_chance(r, 0.15))
        spec->clone = PHASE_CLONE_NEVER;
    draw_edges(r, j, p, d);
    draw_times(r, j, p, d->storm);
    draw_inputs(r, j, p, d->cluster->node_count);
}

/* What is told of the job's tasks: the truth, something near it, or nonsense; mostly nothing. */
static void draw_expect(struct drawn_job *j, const struct job_draw *d, uint32_t job)
{
    static const char *const apps[] = {NULL, NULL, "sort", "join", "train"};
    struct rng r = draw_stream(d->seed, DRAW_EXPECT, job);

    j->job.spec.app = draw_of(&r, apps);
    for (uint16_t p = 0; p < j->job.spec.phase_count; p++) {
        double off = draw_chance(&r, 0.1) ? draw_log(&r, 1e-9, 1e9) : draw_log(&r, 0.5, 2);
        double mean_us = (double)j->truths[p].size_us * off;
        double share = draw_chance(&r, 0.3) ? 0 : draw_log(&r, 0.01, 100);
        if (draw_chance(&r, 0.6))
            continue;
        j->specs[p].expect_us = 1 + (int64_t)fmin(mean_us, 1e17);
        j->specs[p].expect_dev_us = (int64_t)fmin(mean_us * share, 1e17);
    }
}

/* Where nobody reads the results, some of them may be missing. */
static void draw_failures_allowed(struct rng *r, struct drawn_job *j, uint16_t phases)
{
    bool read[PHASES_MAX] = {false};

    for (uint16_t p = 0; p < phases; p++)
        for (uint16_t e = 0; e < j->specs[p].edge_count; e++)
            read[j->specs[p].edges[e].from] = true;
    for (uint16_t p = 0; p < phases; p++)
        if (!read[p] && draw_chance(r, 0.2))
            j->specs[p].failures_allowed = draw_between(r, 1, j->specs[p].tasks);
}

static struct workload_job *drawn_next(struct workload *base)
{
    static const char *const names[] = {"hourly", "daily", "query", "etl"};
    static const char *const users[] = {"ada", "bob", "eve"};
    static const char *const queues[] = {"q0", "q1", "q2", "q3", "default", "other"};
    struct drawn_workload *w = (struct drawn_workload *)base;

    if (w->index == w->draw.jobs)
        return NULL;
    struct rng r = draw_stream(w->draw.seed, DRAW_JOBS, w->index);
    struct rng queue = draw_stream(w->draw.seed, DRAW_QUEUES, w->index);
    struct drawn_job *j = mem_zalloc(1, sizeof *j);
    struct job_spec *spec = &j->job.spec;

    w->clock_us += (int64_t)(w->draw.gap_us * rng_exponential(&r));
    spec->name = draw_of(&r, names);
    spec->user = draw_of(&r, users);
    spec->queue = draw_of(&queue, queues);
    spec->weight = draw_chance(&r, 0.3) ? draw_between(&r, 1, 10 * JOB_WEIGHT_ONE) : JOB_WEIGHT_ONE;
    spec->running_max = draw_chance(&r, 0.15) ? draw_between(&r, 1, w->draw.storm ? 5 : 20) : 0;
    spec->arrived_us = w->clock_us;
    spec->wrapup_us = draw_chance(&r, 0.3) ? (int64_t)draw_log(&r, 1, 1e7) : 0;
    spec->phases = j->specs;
    double depth = rng_unit(&r);
    spec->phase_count =
        (uint16_t)(1 + (uint32_t)(PHASES_MAX * (w->draw.storm ? depth : depth * depth)));
    for (uint16_t p = 0; p < spec->phase_count; p++)
        draw_phase(&r, j, w->index, p, &w->draw);
    draw_failures_allowed(&r, j, spec->phase_count);
    draw_expect(j, &w->draw, w->index);
    if (w->index >= w->draw.misfits_from)
        j->specs[rng_below(&r, spec->phase_count)].demand = draw_misfit(&r, w->draw.cluster);
    j->job.submit_us = w->clock_us;
    j->job.spec.arrived_us = -1;
    j->job.truth = j->truths;
    j->job.memory = j;
    w->index++;
    return &j->job;
}

/* Adds a task: its first attempt counts for the sum, its longest for the most. */
static void work_add(struct job_draw_work *work, const struct phase_truth *truth, uint32_t task)
{
    double time_us = (double)(truth->size_each ? truth->size_each[task] : truth->size_us);
    double most_us = time_us;

    if (truth->attempt_from && truth->attempt_from[task + 1] > truth->attempt_from[task]) {
        time_us = most_us = (double)truth->attempts[truth->attempt_from[task]];
        for (uint32_t i = truth->attempt_from[task]; i < truth->attempt_from[task + 1]; i++)
            most_us = fmax(most_us, (double)truth->attempts[i]);
    }
    work->tasks++;
    work->time_us += time_us;
    work->time_us_most = fmax(work->time_us_most, most_us);
}

/* How many tasks of the phase can run at once. */
static double phase_width(const struct cluster *c, const struct job_spec *job,
                          const struct phase_spec *phase)
{
    double width = 0;

    for (uint32_t n = 0; n < c->node_count; n++) {
        double here = phase->tasks;
        for (int i = 0; i < RES_COUNT; i++)
            if (phase->demand.v[i] > 0)
                here = fmin(here, c->nodes[n].capacity.v[i] / phase->demand.v[i]);
        width += here;
    }
    return fmax(1, job->running_max ? fmin(width, job->running_max) : width);
}

struct job_draw_work job_draw_work(const struct job_draw *draw)
{
    struct workload *w = job_draw_workload(draw);
    struct job_draw_work work = {0};

    for (struct workload_job *j; (j = w->next(w)) != NULL; workload_job_free(j)) {
        double job_us = 0;
        for (uint16_t p = 0; p < j->spec.phase_count; p++) {
            const struct phase_spec *spec = &j->spec.phases[p];
            double before_us = work.time_us;
            for (uint32_t t = 0; t < spec->tasks; t++)
                work_add(&work, &j->truth[p], t);
            job_us += (work.time_us - before_us) / phase_width(draw->cluster, &j->spec, spec);
            if (spec->edge_count == 0 && draw->cluster->wires.input > 0) {
                double bytes = 0;
                for (uint32_t t = 0; t < spec->tasks; t++)
                    bytes += (double)phase_input_bytes(spec, t);
                work.bytes += bytes;
                work.bytes_most = fmax(work.bytes_most, bytes);
            }
            for (uint16_t e = 0; e < spec->edge_count; e++) {
                uint16_t from = spec->edges[e].from;
                double bytes = (double)j->truth[from].output_bytes * j->spec.phases[from].tasks;
                work.bytes += bytes;
                work.bytes_most = fmax(work.bytes_most, bytes);
            }
        }
        work.job_us_most = fmax(work.job_us_most, job_us);
    }
    w->destroy(w);
    return work;
}

static void drawn_destroy(struct workload *base)
{
    mem_free(base);
}

struct workload *job_draw_workload(const struct job_draw *draw)
{
    struct drawn_workload *w = mem_zalloc(1, sizeof *w);

    w->base = (struct workload){.name = "swarm", .next = drawn_next, .destroy = drawn_destroy};
    w->draw = *draw;
    return &w->base;
}
