/* profile.c - statistics of jobs, for comparison with the published ones.
 *
 * Two of the statistics need a definition that the papers do not give:
 *
 * - The resources of a job are the slot-seconds that one attempt of each task takes on average. The
 *   average over luck needs no simulation: it is start-up + size x E[noise] + E[stall]. Leaving
 *   luck out was rejected: a stall costs as much as several short tasks, so small jobs would seem
 *   to use a third less than they do.
 * - The exponent of the power law is the slope of the density of resources over resources, both in
 *   logarithms: a histogram whose bins double in width, count / width in each, and a least-squares
 *   line through the bins from the densest one upwards. Below it there is no tail to fit;
 *   those bins would make the slope depend on the smallest jobs.
 *
 * It keeps one number for each job, and one for each phase of two tasks or more. */
#include "inputs/models/profile.h"

#include <math.h>
#include <stdbool.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/stat.h"
#include "inputs/models/synth.h"

enum { SMALL_TASKS = 10 };

struct profile {
    const struct luck *luck;
    uint64_t small;        /* jobs of at most SMALL_TASKS tasks */
    uint64_t small_chains; /* those of two phases or more ... */
    uint64_t small_equal;  /* ... and with equally many tasks in each phase */
    uint64_t single;       /* jobs of one task */
    VEC(double) resources; /* of each job, in slot-seconds */
    VEC(double) tasks;     /* of each job */
    VEC(double) phases;    /* of each job */
    VEC(double) input_cvs; /* of each phase of two tasks or more */
    VEC(double) edges;     /* of each job */
    double all_edges, barriers, all_phases;
};

struct profile *profile_create(const struct luck *luck)
{
    check(luck->pareto <= 0);
    struct profile *p = mem_zalloc(1, sizeof *p);
    p->luck = luck;
    return p;
}

void profile_destroy(struct profile *p)
{
    if (!p)
        return;
    vec_free(&p->resources);
    vec_free(&p->tasks);
    vec_free(&p->phases);
    vec_free(&p->input_cvs);
    vec_free(&p->edges);
    mem_free(p);
}

/* ---- one job ---- */

/* Mean of exp(sigma x N). */
static double log_normal_mean(double sigma)
{
    return exp(sigma * sigma / 2);
}

/* Mean slowness of slow attempts: uniform, and in the tail uniform in logarithms. */
static double slow_mean(const struct luck *l)
{
    double most = l->slow_max > l->slow_factor ? l->slow_max : l->slow_factor;
    double tail =
        l->slow_tail_max > most ? (l->slow_tail_max - most) / log(l->slow_tail_max / most) : most;
    return (1 - l->slow_tail) * (l->slow_factor + most) / 2 + l->slow_tail * tail;
}

/* Slot-seconds of one attempt of each task of the phase, on average. */
static double phase_resources(const struct luck *l, const struct phase_spec *spec,
                              const struct phase_truth *truth)
{
    double mood = l->bad_share * l->bad_factor + (1 - l->bad_share) * l->good_factor;
    double slowness = 1 + l->slow_p * mood * (slow_mean(l) - 1);
    double stall_us = l->stall_p * mood * (double)l->stall_us * log_normal_mean(l->stall_noise);
    double work_us = 0;
    for (uint32_t t = 0; t < spec->tasks; t++)
        work_us += (double)(truth->size_each ? truth->size_each[t] : truth->size_us);
    work_us *= log_normal_mean(l->noise) * slowness;
    return (work_us + spec->tasks * ((double)l->startup_us + stall_us)) * spec->demand.v[RES_CPU] /
           RES_SLOT / 1e6;
}

/* Standard deviation over mean of the tasks' inputs; 0 where there is no input. */
static double input_cv(const struct phase_spec *spec)
{
    double sum = 0, squares = 0;
    for (uint32_t t = 0; t < spec->tasks; t++)
        sum += (double)phase_input_bytes(spec, t);
    double mean = sum / spec->tasks;
    for (uint32_t t = 0; t < spec->tasks; t++) {
        double off = (double)phase_input_bytes(spec, t) - mean;
        squares += off * off;
    }
    return mean > 0 ? sqrt(squares / (spec->tasks - 1)) / mean : 0;
}

void profile_add(struct profile *p, const struct workload_job *job)
{
    const struct job_spec *spec = &job->spec;
    double resources = 0;
    bool equal = true;
    uint32_t edges = 0;
    for (uint16_t k = 0; k < spec->phase_count; k++) {
        resources += phase_resources(p->luck, &spec->phases[k], &job->truth[k]);
        equal &= spec->phases[k].tasks == spec->phases[0].tasks;
        edges += spec->phases[k].edge_count;
        for (uint16_t e = 0; e < spec->phases[k].edge_count; e++)
            p->barriers += spec->phases[k].edges[e].slowstart == 0;
        if (spec->phases[k].tasks >= 2)
            vec_push(&p->input_cvs, input_cv(&spec->phases[k]));
    }
    vec_push(&p->resources, resources);
    vec_push(&p->phases, spec->phase_count);
    vec_push(&p->edges, edges);
    p->all_edges += edges;
    p->all_phases += spec->phase_count;
    vec_push(&p->tasks, (double)job_tasks(spec));
    p->single += job_tasks(spec) == 1;
    if (job_tasks(spec) <= SMALL_TASKS) {
        p->small++;
        p->small_chains += spec->phase_count > 1;
        p->small_equal += spec->phase_count > 1 && equal;
    }
}

/* ---- all jobs ---- */

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

static double smallest_resources_pct(struct profile *p)
{
    uint32_t n = p->resources.count;
    if (n == 0)
        return NAN;
    double limit = stat_quantile(p->resources.at, n, 0.9);
    double below = 0, all = 0;
    uint64_t smaller = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool small = p->resources.at[i] < limit;
        smaller += small;
        below += small ? p->resources.at[i] : 0;
        all += p->resources.at[i];
    }
    /* Of the jobs at the limit itself, as many as belong to the 90 %. */
    below += (ceil(0.9 * n) - (double)smaller) * limit;
    return percent(below, all);
}

static double resources_exponent(struct profile *p)
{
    enum { LOWEST = -64, BINS = 192 }; /* bin b holds resources of 2^(b + LOWEST) and up */
    double count[BINS] = {0}, x[BINS] = {0}, y[BINS] = {0};
    int densest = 0, n = 0;
    for (uint32_t i = 0; i < p->resources.count; i++) {
        int exponent;
        frexp(p->resources.at[i], &exponent);
        int bin = exponent - 1 - LOWEST;
        count[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1]++;
    }
    for (int b = 1; b < BINS; b++)
        if (ldexp(count[b], -b) > ldexp(count[densest], -densest))
            densest = b;
    for (int b = densest; b < BINS; b++)
        if (count[b] > 0) {
            x[n] = b;
            y[n++] = log2(count[b]) - b;
        }
    return n < 2 ? NAN : -stat_line(x, y, (size_t)n).slope;
}

/* The mean job's slot-seconds for each second, over the cores of the model's own cluster. */
static double offered_cpu_pct(const struct profile *p, const struct synth_model *m)
{
    double cores = 0;
    for (const struct synth_servers *s = m->servers; s < m->servers + SYNTH_SERVERS_MAX; s++)
        cores += (double)s->count * s->cores;
    uint32_t n = p->resources.count;
    return n ? percent(stat_mean(p->resources.at, n) * m->arrivals_per_s, cores) : NAN;
}

/* ---- the table ---- */

void profile_put(struct profile_table *to, const struct synth_model *m,
                 const struct profile_stat *stat, double ours)
{
    struct profile_row row = {.id = stat->id, .what = stat->what, .ours = ours};
    if (m->cluster_path) {
        const struct synth_published *p = synth_published(m, stat->id);
        row.paper = p ? p->value : NAN;
        row.citation = p ? p->citation : NULL;
    } else {
        row.paper = stat->paper[m - synth_model_table];
        row.citation = stat->citation[m - synth_model_table];
    }
    if (row.citation)
        vec_push(&to->rows, row);
}

enum {
    SINGLE_TASKS,
    SMALL_JOBS,
    TASKS_P99,
    OFFERED_CPU,
    SMALLEST_RESOURCES,
    EXPONENT,
    EQUAL_PHASES,
    PHASES_P50,
    PHASES_MAX,
    INPUT_CV_P50,
    INPUT_CV_P90,
    PHASES_MEAN, /* this and those below only for models from files */
    EDGES_P50,
    BARRIERS,
    STATS,
};

#define GOOGLE_TRACE "Google's trace of 2011, 12.5 h"

static const struct profile_stat stats[STATS] = {
    [SINGLE_TASKS] = {"single_task_jobs_pct",
                      "jobs of one task, %",
                      {[SYNTH_GOOGLE] = 78.1},
                      {[SYNTH_GOOGLE] = GOOGLE_TRACE}},
    [SMALL_JOBS] = {"small_jobs_pct",
                    "jobs of at most 10 tasks, %",
                    {82, 61, 85.5},
                    {"NSDI'13 2.2", "NSDI'13 2.2", GOOGLE_TRACE}},
    [TASKS_P99] = {"tasks_p99",
                   "tasks of a job, p99",
                   {[SYNTH_GOOGLE] = 837},
                   {[SYNTH_GOOGLE] = GOOGLE_TRACE}},
    [OFFERED_CPU] = {"offered_cpu_pct",
                     "cpu that jobs ask for, one attempt of each task, of what there is, %",
                     {[SYNTH_GOOGLE] = 50},
                     {[SYNTH_GOOGLE] = "DollyMP 1 (less than)"}},
    [SMALLEST_RESOURCES] = {"smallest_90_resources_pct",
                            "resources that the smallest 90 % of jobs use, %",
                            {6, 11},
                            {"NSDI'13 Fig. 2a", "NSDI'13 Fig. 2a"}},
    [EXPONENT] = {"resources_exponent",
                  "exponent of the power law of job resources",
                  {1.9, 1.8},
                  {"NSDI'13 Fig. 2b", "NSDI'13 Fig. 2b"}},
    [EQUAL_PHASES] = {"equal_phases_pct",
                      "jobs of at most 10 tasks, 2 phases or more, equally many tasks in each, %",
                      {91, 91},
                      {"NSDI'13 3.2", "NSDI'13 3.2"}},
    [PHASES_P50] = {"phases_p50",
                    "phases of a job, median",
                    {2, 8},
                    {"NSDI'13 5.3", "Mantri 3.2, other logs"}},
    [PHASES_MAX] = {"phases_max",
                    "phases of a job, largest",
                    {2, 6},
                    {"NSDI'13 5.3", "NSDI'13 5.3"}},
    [INPUT_CV_P50] = {"input_cv_p50",
                      "variation (stdev / mean) of task input within a phase, median",
                      {NAN, 0.34},
                      {"", "Mantri 4.2"}},
    [INPUT_CV_P90] = {"input_cv_p90",
                      "variation (stdev / mean) of task input within a phase, p90",
                      {NAN, 3.1},
                      {"", "Mantri 4.2"}},
    [PHASES_MEAN] = {.id = "phases_mean", .what = "phases of a job, mean"},
    [EDGES_P50] = {.id = "edges_p50", .what = "edges of a job, median"},
    [BARRIERS] = {.id = "barriers_pct", .what = "edges that are barriers, %"},
};

void profile_rows(struct profile *p, const struct synth_model *m, struct profile_table *to)
{
    uint32_t jobs = p->phases.count, cvs = p->input_cvs.count;
    double ours[STATS] = {
        [SINGLE_TASKS] = percent((double)p->single, jobs),
        [TASKS_P99] = stat_quantile_or_nan(p->tasks.at, jobs, 0.99),
        [OFFERED_CPU] = offered_cpu_pct(p, m),
        [SMALL_JOBS] = percent((double)p->small, jobs),
        [SMALLEST_RESOURCES] = smallest_resources_pct(p),
        [EXPONENT] = resources_exponent(p),
        [EQUAL_PHASES] = percent((double)p->small_equal, (double)p->small_chains),
        [PHASES_P50] = stat_quantile_or_nan(p->phases.at, jobs, 0.5),
        [PHASES_MAX] = stat_quantile_or_nan(p->phases.at, jobs, 1),
        [INPUT_CV_P50] = stat_quantile_or_nan(p->input_cvs.at, cvs, 0.5),
        [INPUT_CV_P90] = stat_quantile_or_nan(p->input_cvs.at, cvs, 0.9),
        [PHASES_MEAN] = jobs ? p->all_phases / jobs : NAN,
        [EDGES_P50] = stat_quantile_or_nan(p->edges.at, jobs, 0.5),
        [BARRIERS] = percent(p->barriers, p->all_edges),
    };
    for (int i = 0; i < STATS; i++)
        profile_put(to, m, &stats[i], ours[i]);
}
