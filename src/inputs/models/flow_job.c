/* flow_job.c - draws one job that is a workflow of many phases.
 *
 * A job is a run of a kind. The kind fixes the workflow: which phase reads which, over a barrier or
 * not, how many tasks there are and how many of them may run at once. The run fixes the data: how
 * long the tasks are and how unevenly the data is divided. So jobs of one name can be compared with
 * each other, as with a job that runs every day.
 *
 * The workflow is built phase by phase. Each but the sources reads its predecessor, so that there
 * is a longest chain as in real plans, and joins first take phases without a reader; otherwise most
 * phases would have no reader, and the job would end with many of them.
 *
 * Two ways in which data is uneven are drawn apart: a general spread, which makes a good part of a
 * phase's tasks somewhat longer, and hot keys, which make a few of them very much longer. One law
 * for both was rejected: a spread that gives the published coefficient of variation of the most
 * uneven phases makes a third of their tasks outliers, hot keys only a few.
 *
 * Skew only divides the data of a phase: on average a task has the typical size, because the number
 * of tasks was chosen by the amount of data.
 *
 * The time of a task is in proportion to its data, as in the prediction of Mantri's authors. The
 * spread is normal and not log-normal, because with a log-normal one of the published variation far
 * too many phases have outliers. Lengths are whole milliseconds.
 *
 * Kinds alternate, and their properties are spread evenly over their distributions instead of
 * drawn. A quick comparison can afford a hundred jobs of a few kinds, and medians over drawn kinds
 * would depend more on the seed than on the model. */
#include "inputs/models/synth_job.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

/* Steps of the drawing; part of what a seed means. Those of other models end below them. */
enum { STEP_KIND = 16, STEP_FLOW, STEP_RUN, STEP_DATA };

/* Readers over an edge without a barrier may start when one in a hundred tasks above is done. */
enum { PIPELINED = 1 };

#define DATA_MIN 0.05 /* no task has less than this share of what most have */

enum { NAME_BYTES = 8 }; /* of a phase: p1 .. p200 */

/* What all runs of a kind share. */
struct flow {
    uint16_t phases;
    uint32_t slots;
    double normal; /* how long its tasks are among all kinds */
    uint32_t tasks[FLOW_PHASES_MAX];
    uint16_t edge_count[FLOW_PHASES_MAX];
    struct edge_spec edges[FLOW_PHASES_MAX][FLOW_EDGES_MAX];
    uint64_t total; /* tasks of all phases */
    uint32_t all_edges;
};

static double log_normal(struct rng *r, double sigma)
{
    return exp(sigma * rng_normal(r));
}

static uint32_t whole(double value, uint32_t most)
{
    return value < 1 ? 1 : value > most ? most : (uint32_t)(value + 0.5);
}

/* ---- the workflow of a kind ---- */

static bool reads_already(const struct flow *f, uint16_t k, uint16_t from)
{
    for (uint16_t e = 0; e < f->edge_count[k]; e++)
        if (f->edges[k][e].from == from)
            return true;
    return false;
}

static void add_edge(struct flow *f, bool *read, uint16_t k, uint16_t from)
{
    if (f->edge_count[k] == FLOW_EDGES_MAX || reads_already(f, k, from))
        return;
    f->edges[k][f->edge_count[k]++] = (struct edge_spec){.from = from};
    f->all_edges++;
    read[from] = true;
}

/* What a join reads besides: the oldest phase without a reader, else any. */
static uint16_t other_input(const bool *read, struct rng *r, uint16_t k)
{
    uint16_t any = (uint16_t)rng_below(r, k);
    for (uint16_t i = 0; i < k; i++)
        if (!read[i])
            return i;
    return any;
}

static void draw_edges(const struct flow_model *m, struct flow *f, struct rng *r, bool *read,
                       uint16_t k)
{
    bool last = k == f->phases - 1;
    if (k == 0 || (rng_unit(r) < m->source && !last))
        return;
    add_edge(f, read, k, (uint16_t)(k - 1));
    while (rng_unit(r) < m->join && f->edge_count[k] < FLOW_EDGES_MAX)
        add_edge(f, read, k, other_input(read, r, k));
    for (uint16_t i = 0; last && i < k; i++)
        if (!read[i])
            add_edge(f, read, k, i);
}

/* How many tasks, and who reads what. Without a barrier every task has its own share of the tasks
 * above, so there are no more than in the narrowest phase above. */
static void draw_width(const struct flow_model *m, struct flow *f, double width, struct rng *r,
                       uint16_t k)
{
    struct edge_spec *edges = f->edges[k];
    bool barrier = rng_unit(r) < m->barrier;
    uint32_t tasks = whole(width * log_normal(r, m->spread), m->width_max);
    uint32_t least = UINT32_MAX, most = 0;
    for (uint16_t e = 0; e < f->edge_count[k]; e++) {
        uint32_t above = f->tasks[edges[e].from];
        least = above < least ? above : least;
        most = above > most ? above : most;
    }
    if (f->edge_count[k] > 0 && !barrier)
        tasks = least;
    for (uint16_t e = 0; e < f->edge_count[k] && !barrier; e++) {
        edges[e].slowstart = PIPELINED;
        edges[e].pattern = least == most ? EDGE_ONE_TO_ONE : EDGE_MANY_TO_ONE;
    }
    f->tasks[k] = tasks;
    f->total += tasks;
}

/* The standard normal number below which the share u of all lies. */
static double normal_at(double u)
{
    double low = -8, high = 8;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2)) < u)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Numbers `aspect` of all kinds as normal as if drawn, but evenly spread: multiples of an
 * irrational number, modulo 1, from a random point on. Different ones for different aspects, so
 * that kinds fill the space of all aspects evenly (they are powers of the root of x^5 = x + 1). */
static double kind_normal(uint64_t seed, uint32_t kind, int aspect)
{
    static const double root = 1.1673039782614187;
    struct rng r = rng_stream(seed, RNG_WORKLOAD, (uint64_t)aspect, STEP_KIND, 0, 0);
    double whole_part;
    return normal_at(modf(rng_unit(&r) + (kind + 1) * pow(root, -aspect), &whole_part));
}

enum { ASPECT_LENGTH = 1, ASPECT_PHASES, ASPECT_WIDTH, ASPECT_WAVES };

static void draw_flow(const struct flow_model *m, uint64_t seed, uint32_t kind, struct flow *f)
{
    bool read[FLOW_PHASES_MAX] = {false};
    double phases = m->phases * exp(m->phases_noise * kind_normal(seed, kind, ASPECT_PHASES));
    double width = m->width * exp(m->width_noise * kind_normal(seed, kind, ASPECT_WIDTH));
    double waves = m->waves * exp(m->waves_noise * kind_normal(seed, kind, ASPECT_WAVES));
    width = width < m->width_max ? width : m->width_max;
    f->normal = kind_normal(seed, kind, ASPECT_LENGTH);
    f->phases = (uint16_t)whole(phases, m->phases_max);
    f->slots = whole(width / waves, m->width_max);
    f->total = 0;
    f->all_edges = 0;
    for (uint16_t k = 0; k < f->phases; k++) {
        struct rng own = rng_stream(seed, RNG_WORKLOAD, kind, STEP_FLOW, k, 0);
        f->edge_count[k] = 0;
        draw_edges(m, f, &own, read, k);
        draw_width(m, f, width, &own, k);
    }
}

/* ---- the data of a run ---- */

/* Fills one phase; `numbers` has room for two per task. */
static void draw_phase(const struct flow_model *m, struct rng *r, double typical_ms, uint32_t tasks,
                       int64_t *numbers, struct phase_spec *spec, struct phase_truth *truth)
{
    int64_t *inputs = numbers, *sizes = numbers + tasks;
    typical_ms *= log_normal(r, m->phase_noise);
    double skew = m->skew * log_normal(r, m->skew_noise);
    skew = skew < m->skew_max ? skew : m->skew_max;
    uint32_t hot = rng_unit(r) < m->hot_phases ? whole(m->hot_tasks * tasks, tasks) : 0;
    double share = m->output * log_normal(r, m->output_noise);
    double sum = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        double data = fmax(DATA_MIN, 1 + skew * rng_normal(r)), where = rng_unit(r);
        if (rng_unit(r) * (tasks - i) < hot) { /* `hot` of those that are left */
            data *= m->hot_min * pow(m->hot_max / m->hot_min, where);
            hot--;
        }
        inputs[i] = 1 + (int64_t)(1e9 * data);
        sum += (double)inputs[i];
    }
    double typical_bytes = typical_ms / 1000 * (double)m->bytes_per_s;
    for (uint32_t i = 0; i < tasks; i++) {
        double data = (double)inputs[i] / (sum / tasks);
        int64_t ms = llround(typical_ms * data);
        sizes[i] = (ms > 0 ? ms : 1) * 1000;
        inputs[i] = 1 + (int64_t)(typical_bytes * data);
    }
    *spec =
        (struct phase_spec){.tasks = tasks, .demand.v[RES_CPU] = RES_SLOT, .input_each = inputs};
    *truth = (struct phase_truth){
        .size_each = sizes,
        .output_bytes = llround(share * typical_bytes / 1024) * 1024,
    };
}

struct workload_job *flow_job_draw(const struct synth_model *model, uint64_t seed, uint64_t index,
                                   int64_t arrived_us)
{
    const struct flow_model *m = model->flow;
    struct rng r = rng_stream(seed, RNG_WORKLOAD, index, STEP_RUN, 0, 0);
    uint32_t kind = (uint32_t)(index % m->kinds);
    struct flow *f = mem_zalloc(1, sizeof *f);
    draw_flow(m, seed, kind, f);
    double typical_ms =
        (double)m->size_us / 1000 * exp(m->kind_noise * f->normal) * log_normal(&r, m->run_noise);

    struct phase_spec *specs;
    struct phase_truth *truths;
    int64_t *numbers;
    struct edge_spec *edges;
    size_t size = mem_size(sizeof(struct synth_job_head) +
                           f->phases * (sizeof *specs + sizeof *truths + NAME_BYTES) +
                           2 * f->total * sizeof *numbers + f->all_edges * sizeof *edges);
    struct synth_job_head *head = mem_zalloc(1, size);
    specs = (struct phase_spec *)(head + 1);
    truths = (struct phase_truth *)(specs + f->phases);
    numbers = (int64_t *)(truths + f->phases);
    edges = (struct edge_spec *)(numbers + 2 * f->total);
    char *names = (char *)(edges + f->all_edges);

    for (uint16_t k = 0; k < f->phases; k++, names += NAME_BYTES) {
        struct rng own = rng_stream(seed, RNG_WORKLOAD, index, STEP_DATA, k, 0);
        draw_phase(m, &own, typical_ms, f->tasks[k], numbers, &specs[k], &truths[k]);
        numbers += 2 * (size_t)f->tasks[k];
        snprintf(names, NAME_BYTES, "p%d", k + 1);
        specs[k].name = names;
        specs[k].edges = f->edge_count[k] ? edges : NULL;
        specs[k].edge_count = f->edge_count[k];
        for (uint16_t e = 0; e < f->edge_count[k]; e++)
            *edges++ = f->edges[k][e];
    }
    check(names == (char *)head + size);
    snprintf(head->name, sizeof head->name, "%s-%u", model->prefix, kind);
    synth_job_begin(head, model, seed, index, arrived_us);
    head->job.spec.running_max = f->slots;
    head->job.spec.phases = specs;
    head->job.spec.phase_count = f->phases;
    head->job.truth = truths;
    mem_free(f);
    return &head->job;
}
