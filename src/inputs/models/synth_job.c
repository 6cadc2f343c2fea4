/* synth_job.c - draws one job of a generated workload.
 *
 * First its shape (phases and their tasks), then the length of every task. Each step has a stream
 * of random numbers of its own, keyed by the job's index and, for lengths, the phase: a job is the
 * same whatever was drawn before, and a change to one step moves no other.
 *
 * Small and large jobs are drawn from two classes because no single law gives both the published
 * share of jobs with ten tasks or fewer and the published share of resources that they use. A large
 * job whose later phases shrink may end up with ten tasks or fewer after all; it is drawn again.
 * Letting it count as small was rejected: such jobs hardly ever have phases of equal width, as nine
 * in ten small jobs have by the paper.
 *
 * Lengths are whole milliseconds and inputs a fixed number of bytes for each of them, so that
 * healthy attempts of a phase progress at equal rates: only the data is uneven, not the speed.
 *
 * A million jobs have some 60 million tasks. Nearly all of the time is spent in their normal
 * numbers, so nothing else here is tuned. */
#include "inputs/models/synth_job.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

/* Steps of the drawing; part of what a seed means. */
enum { STEP_OVERHEAD, STEP_SHAPE, STEP_PHASE, STEP_DEMAND };

/* How many kinds of job recur in each bin of sizes. */
enum { JOB_KINDS = 16 };

struct shape {
    uint32_t tasks[SYNTH_PHASES_MAX];
    uint16_t phases;
    uint64_t total; /* tasks of all phases */
    double normal;  /* how long the job's tasks are among jobs of its size */
};

int64_t synth_job_half_overhead_us(const struct synth_model *m, uint64_t seed, uint64_t index)
{
    struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_OVERHEAD, 0, 0);
    double half_ms = 500 * m->overhead_s * exp(m->overhead_noise * rng_normal(&r));
    return llround(half_ms) * 1000;
}

void synth_job_begin(struct synth_job_head *head, const struct synth_model *m, uint64_t seed,
                     uint64_t index, int64_t arrived_us)
{
    int64_t half_us = synth_job_half_overhead_us(m, seed, index);
    head->job = (struct workload_job){
        .spec =
            {
                .name = head->name,
                .user = "default",
                .queue = "default",
                .weight = JOB_WEIGHT_ONE,
                .arrived_us = arrived_us,
                .wrapup_us = half_us,
            },
        .submit_us = arrived_us + half_us,
        .memory = head,
    };
}

/* ---- the shape ---- */

static uint16_t draw_phases(struct rng *r, const double *probability)
{
    double u = rng_unit(r);
    uint16_t last = 0;
    for (uint16_t k = 0; k < SYNTH_PHASES_MAX; k++) {
        if (probability[k] <= 0)
            continue;
        last = k; /* takes what rounding leaves over */
        if (u < probability[k])
            break;
        u -= probability[k];
    }
    return (uint16_t)(last + 1);
}

static uint32_t draw_small_total(const struct synth_model *m, struct rng *r)
{
    double sum = 0;
    for (uint32_t t = m->small_min; t <= m->small_max; t++)
        sum += pow(t, m->small_slope);
    double u = rng_unit(r) * sum;
    uint32_t total = m->small_min;
    while (total < m->small_max && (u -= pow(total, m->small_slope)) >= 0)
        total++;
    return total;
}

/* The inverse of a Pareto distribution that is cut off above. */
static uint32_t draw_large_total(const struct synth_model *m, struct rng *r)
{
    double min = m->small_max + 1, ratio = pow(min / m->large_max, m->large_shape);
    double total = min * pow(1 - rng_unit(r) * (1 - ratio), -1 / m->large_shape);
    return total < m->large_max ? (uint32_t)total : m->large_max;
}

/* Tasks of the first phase. A small job stays small when its tasks do not divide evenly. */
static uint32_t first_width(uint32_t total, uint16_t phases, uint32_t small_max, bool small)
{
    uint32_t width = (total + phases - 1) / phases;
    if (small && width * phases > small_max)
        width = small_max / phases;
    return width;
}

/* Fixed portions of all tasks, one task in each phase at least. */
static void divide_total(uint32_t total, double later_share, struct shape *s)
{
    s->phases = s->phases < total ? s->phases : (uint16_t)total;
    s->tasks[0] = total;
    for (uint16_t k = 1; k < s->phases; k++) {
        uint32_t tasks = (uint32_t)(later_share * total);
        s->tasks[k] = tasks > 0 ? tasks : 1;
        s->tasks[0] -= s->tasks[k];
    }
    s->total = total;
}

static void draw_shape_once(const struct synth_model *m, struct rng *r, bool small, struct shape *s)
{
    s->phases = draw_phases(r, small ? m->small_phases : m->large_phases);
    uint32_t total = small ? draw_small_total(m, r) : draw_large_total(m, r);
    if (m->later_share > 0) {
        divide_total(total, m->later_share, s);
        return;
    }
    uint32_t width = first_width(total, s->phases, m->small_max, small);
    bool equal = rng_unit(r) < (small ? m->small_equal : m->large_equal);
    s->total = 0;
    for (uint16_t k = 0; k < s->phases; k++) {
        double share = 1;
        if (k > 0 && !equal)
            share = small ? rng_unit(r) : 0.1 + 0.5 * rng_unit(r);
        uint32_t tasks = (uint32_t)(width * share);
        s->tasks[k] = tasks > 0 ? tasks : 1;
        s->total += s->tasks[k];
    }
}

static struct shape draw_shape(const struct synth_model *m, uint64_t seed, uint64_t index)
{
    struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_SHAPE, 0, 0);
    struct shape s = {.normal = rng_normal(&r)};
    bool small = rng_unit(&r) < m->small_p;
    do
        draw_shape_once(m, &r, small, &s);
    while (!small && s.total <= m->small_max);
    return s;
}

/* ---- the tasks ---- */

static double at_most(double value, double most)
{
    return value < most ? value : most;
}

static struct res draw_demand(const struct synth_demand *d, uint64_t seed, uint64_t index)
{
    struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_DEMAND, 0, 0);
    if (d->cpu <= 0)
        return (struct res){.v[RES_CPU] = RES_SLOT};
    double cpu = rng_normal(&r), mem = d->tie * cpu + sqrt(1 - d->tie * d->tie) * rng_normal(&r);
    int32_t milli = (int32_t)(1000 * at_most(d->cpu * exp(d->cpu_noise * cpu), d->cpu_max));
    int32_t mib = (int32_t)at_most(d->mem_mib * exp(d->mem_noise * mem), d->mem_max_mib);
    return (struct res){.v[RES_CPU] = milli > 10 ? milli : 10, .v[RES_MEM] = mib > 0 ? mib : 1};
}

/* Fills one phase; `numbers` has room for two per task. */
static void draw_phase(const struct synth_model *m, const struct shape *s, struct rng *r,
                       uint16_t k, int64_t *numbers, struct phase_spec *spec,
                       struct phase_truth *truth)
{
    /* Phase k reads phase k - 1 after a barrier. */
    static const struct edge_spec chain[SYNTH_PHASES_MAX - 1] = {
        {0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    uint32_t tasks = s->tasks[k];
    int64_t *inputs = numbers, *sizes = numbers + tasks;
    double typical_ms =
        1000 * m->task_s * exp(m->job_noise * s->normal + m->phase_noise * rng_normal(r));
    if (s->tasks[0] > m->growth_from)
        typical_ms *= pow(s->tasks[0] / m->growth_from, m->growth);

    int64_t sum_ms = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        int64_t ms = llround(typical_ms * exp(m->task_noise * rng_normal(r)));
        ms = ms > 0 ? ms : 1;
        sizes[i] = ms * 1000;
        inputs[i] = ms * m->bytes_per_ms;
        sum_ms += ms;
    }
    double output_kib = m->output_share * (double)(sum_ms * m->bytes_per_ms) / tasks / 1024;
    *spec = (struct phase_spec){
        .name = m->phase_names[k],
        .tasks = tasks,
        .edges = k > 0 ? &chain[k - 1] : NULL,
        .edge_count = k > 0,
        .input_each = inputs,
    };
    *truth = (struct phase_truth){
        .size_each = sizes,
        .output_bytes = llround(output_kib) * 1024,
    };
}

/* Jobs of one name are of one bin, and their tasks are about equally long: which sixteenth of all
 * jobs this one belongs to by the length of its tasks. */
static uint32_t kind_of(const struct shape *s)
{
    uint32_t kind = (uint32_t)(JOB_KINDS * 0.5 * erfc(-s->normal / sqrt(2)));
    return kind < JOB_KINDS ? kind : JOB_KINDS - 1;
}

struct workload_job *synth_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                    int64_t arrived_us)
{
    struct shape s = draw_shape(m, seed, index);
    struct res demand = draw_demand(&m->demand, seed, index);
    struct phase_spec *specs;
    struct phase_truth *truths;
    int64_t *numbers;
    size_t size =
        mem_size(sizeof(struct synth_job_head) + s.phases * (sizeof *specs + sizeof *truths) +
                 2 * s.total * sizeof *numbers);
    struct synth_job_head *head = mem_zalloc(1, size);
    specs = (struct phase_spec *)(head + 1);
    truths = (struct phase_truth *)(specs + s.phases);
    numbers = (int64_t *)(truths + s.phases);

    for (uint16_t k = 0; k < s.phases; k++) {
        struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_PHASE, k, 0);
        draw_phase(m, &s, &r, k, numbers, &specs[k], &truths[k]);
        specs[k].demand = demand;
        numbers += 2 * (size_t)s.tasks[k];
    }
    check((char *)numbers == (char *)head + size);
    snprintf(head->name, sizeof head->name, "%s-bin%d-%u", m->prefix, job_bin(s.total),
             kind_of(&s));
    synth_job_begin(head, m, seed, index, arrived_us);
    head->job.spec.running_max = m->running_max;
    head->job.spec.phases = specs;
    head->job.spec.phase_count = s.phases;
    head->job.truth = truths;
    return &head->job;
}
