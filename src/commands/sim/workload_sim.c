/* workload_sim.c - simulations whose results are compared with published values.
 *
 * There are two sets of rows, because different things were published about the clusters. Dolly's
 * run under LATE, with and without stalls, since their authors ask what stragglers cost; the others
 * run without mitigation, since what they are held to are causes: how uneven phases are and why. A
 * model has the sets of which something is published about it. */
#include "commands/sim/workload_sim.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "commands/sim/sim_run.h"
#include "core/policy/policy.h"
#include "record/stats/phase_facts.h"

#define WARMUP_US (90 * 60 * INT64_C(1000000))

/* A statistic, and where its number is in the struct that the simulations fill. */
struct sim_stat {
    struct profile_stat stat;
    size_t at;    /* of a double */
    double scale; /* of that */
};

/* What stragglers cost. */
struct late_numbers {
    double slowdown_p50, slowdown_mean;
    double crude_all, crude_small, free_all, free_small; /* gains, in per cent */
    double load, load_high;
};

#define LATE(member, scale) offsetof(struct late_numbers, member), scale
#define BOTH(source)                                                                               \
    {                                                                                              \
        source, source                                                                             \
    }

static const struct sim_stat late_rows[] = {
    {{"small_slowdown_p50",
      "slowest / median time per byte, phases of small jobs, median (under LATE)",
      {7, 7},
      BOTH("NSDI Fig. 1 (6 to 8; bing under Mantri)")},
     LATE(slowdown_p50, 1)},
    {{"small_slowdown_mean", "the same, mean", {8, 8}, BOTH("NSDI abstract")},
     LATE(slowdown_mean, 1)},
    {{"median_rate_gain_all_pct",
      "shorter jobs if no task were slower than its phase's median, %",
      {47, 29},
      BOTH("NSDI 2.1")},
     LATE(crude_all, 1)},
    {{"median_rate_gain_small_pct", "the same, small jobs, %", {49, 38}, BOTH("NSDI 2.1")},
     LATE(crude_small, 1)},
    {{"no_stall_gain_all_pct",
      "shorter jobs if no attempt stalled, %",
      {47, 29},
      BOTH("NSDI 2.1")},
     LATE(free_all, 1)},
    {{"no_stall_gain_small_pct", "the same, small jobs, %", {49, 38}, BOTH("NSDI 2.1")},
     LATE(free_small, 1)},
    {{"load_p50_pct",
      "utilisation of slots, median over time, %",
      {21, NAN},
      BOTH("HotCloud 2.1")},
     LATE(load, 100)},
    {{"load_high_pct",
      "share of time at 50 % utilisation or more, %",
      {8, NAN},
      BOTH("HotCloud 2.1")},
     LATE(load_high, 100)},
};

/* Published about google. */
#define GOOGLE(value, place)                                                                       \
    {[SYNTH_GOOGLE] = value},                                                                      \
    {                                                                                              \
        [SYNTH_GOOGLE] = place                                                                     \
    }
#define FLOW(member, scale) offsetof(struct phase_facts, member), scale

/* Causes, without mitigation. */
static const struct sim_stat flow_rows[] = {
    {{.id = "waves_p50", .what = "tasks of a phase / slots it has, median"}, FLOW(waves_p50, 1)},
    {{.id = "outlier_phases_pct",
      .what = "phases with more than 15 % outliers (over 1.5 x the median), %"},
     FLOW(outlier_phases, 100)},
    {{"outlier_plural_phases_pct", "phases of two tasks or more with more than 15 % outliers, %",
      GOOGLE(70, "DollyMP 6.3")},
     FLOW(outlier_plural, 100)},
    {{.id = "outliers_below_2_5_pct", .what = "outliers below 2.5 x the median, %"},
     FLOW(outliers_below, 100)},
    {{.id = "outliers_above_10_pct", .what = "outliers above 10 x the median, %"},
     FLOW(outliers_far, 100)},
    {{"outliers_max", "the farthest outlier over the median", GOOGLE(20, "DollyMP 6.3 (up to)")},
     FLOW(outliers_max, 1)},
    {{.id = "explained_phases_pct",
      .what = "phases with outliers, all of them explained by their input, %"},
     FLOW(explained, 100)},
    {{.id = "unexplained_phases_pct", .what = "the same, none of them, %"}, FLOW(unexplained, 100)},
    {{.id = "not_recomputed_pct", .what = "phases without a recompute, %"},
     FLOW(not_recomputed, 100)},
    {{.id = "lost_on_worst_5_pct", .what = "recomputes due to the worst 5 % of nodes, %"},
     FLOW(lost_on_worst, 100)},
    {{.id = "cross_rack_reduce_pct", .what = "traffic between racks due to reduces, %"},
     FLOW(cross_reduce, 100)},
    {{.id = "repeat_variation_p50",
      .what = "variation (stdev / mean) of times of jobs of one name, median"},
     FLOW(repeat_variation, 1)},
    {{"short_jobs_pct", "jobs of less than two hours, %", GOOGLE(95, "DollyMP 1")},
     FLOW(short_jobs, 100)},
};

enum {
    LATE_ROWS = sizeof late_rows / sizeof *late_rows,
    FLOW_ROWS = sizeof flow_rows / sizeof *flow_rows,
};

/* Appends those that the model has, with the numbers of the struct at `from`. */
static void put_rows(const struct synth_model *m, const struct sim_stat *of, int count,
                     const void *from, struct profile_table *to)
{
    for (int i = 0; i < count; i++) {
        double value = *(const double *)(const void *)((const char *)from + of[i].at);
        profile_put(to, m, &of[i].stat, of[i].scale * value);
    }
}

static double gain_pct(double before, double after)
{
    return 100 * (before - after) / before;
}

/* As many jobs after such a warm-up as the model says, or as usual. */
static struct sim_args how_of(const struct synth_model *m, uint64_t seed)
{
    return (struct sim_args){.jobs = m->jobs ? m->jobs : WORKLOAD_SIM_JOBS,
                             .seed = seed,
                             .warmup_us = m->jobs ? m->warmup_us : WARMUP_US};
}

/* One simulated run of the model, on request without stalls. 0, or -1 with *err; the phases are the
 * caller's. */
static int simulate(const struct synth_model *m, bool calm, const char *policy,
                    struct sim_args *how, struct sim_run *run, struct err *err)
{
    struct policy *p = policy_create(policy, err);
    struct bar silent = {0};
    int result = -1;

    how->named = format_model(m);
    how->policies = &p;
    how->count = how->seeds = 1;
    how->cluster = p ? synth_cluster(m, err) : NULL;
    if (how->cluster) {
        if (calm)
            how->cluster->luck.stall_p = 0;
        result = sim_run_once(how, 0, 0, &silent, run, err);
    }
    policy_destroy(p);
    cluster_destroy(how->cluster);
    return result;
}

/* Appends the rows of the set that the model has, before they are measured. */
static void put_published(const struct synth_model *m, const struct sim_stat *of, int count,
                          struct profile_table *to)
{
    for (int i = 0; i < count; i++)
        profile_put(to, m, &of[i].stat, NAN);
}

void workload_sim_published(const struct synth_model *m, struct profile_table *to)
{
    put_published(m, late_rows, LATE_ROWS, to);
    put_published(m, flow_rows, FLOW_ROWS, to);
}

static bool has_rows(const struct synth_model *m, const struct sim_stat *of, int count)
{
    struct profile_table t = {0};
    put_published(m, of, count, &t);
    bool any = t.rows.count > 0;
    vec_free(&t.rows);
    return any;
}

/* The rows that the model has, without any mitigation. */
static int flow_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                         struct err *err)
{
    struct sim_args how = how_of(m, seed);
    struct sim_run run = {0};
    how.phases = true;
    int result = simulate(m, false, "none", &how, &run, err);

    if (result == 0) {
        struct phase_facts f = phase_facts(phase_times_log(run.phases));
        put_rows(m, flow_rows, FLOW_ROWS, &f, to);
    }
    phase_times_destroy(run.phases);
    return result;
}

/* ---- what stragglers cost, under LATE ---- */

static int late_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                         struct err *err)
{
    struct sim_args how = how_of(m, seed);
    struct sim_run first = {0}, second = {0};

    if (simulate(m, false, "late+bl", &how, &first, err) < 0 ||
        simulate(m, true, "late+bl", &how, &second, err) < 0)
        return -1;
    const struct summary_result *now = &first.summary, *free = &second.summary;
    struct late_numbers ours = {
        .slowdown_p50 = now->small_slowdown_p50,
        .slowdown_mean = now->small_slowdown_mean,
        .crude_all = gain_pct(now->mean_jct_s, now->healthy_jct_s),
        .crude_small = gain_pct(now->bins[0].mean_jct_s, now->bins[0].healthy_jct_s),
        .free_all = gain_pct(now->mean_jct_s, free->mean_jct_s),
        .free_small = gain_pct(now->bins[0].mean_jct_s, free->bins[0].mean_jct_s),
        .load = now->load_p50,
        .load_high = now->load_high_frac,
    };
    put_rows(m, late_rows, LATE_ROWS, &ours, to);
    return 0;
}

/* ---- both ---- */

static bool is_among(const char *id, const struct sim_stat *of, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(id, of[i].stat.id))
            return true;
    return false;
}

/* Refuses what is published and is neither in the table nor simulated. */
static int check_published(const struct synth_model *m, const struct profile_table *t,
                           struct err *err)
{
    for (uint32_t i = 0; i < m->published_count; i++) {
        const char *id = m->published[i].id;
        bool known = is_among(id, late_rows, LATE_ROWS) || is_among(id, flow_rows, FLOW_ROWS);
        for (uint32_t k = 0; k < t->rows.count && !known; k++)
            known = !strcmp(t->rows.at[k].id, id);
        if (!known)
            return err_set(err,
                           "%s: published %s is not a statistic; "
                           "docs/reference/workload-models.md lists them",
                           m->name, id);
    }
    return 0;
}

int workload_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                      struct err *err)
{
    if (check_published(m, to, err) < 0 ||
        (has_rows(m, late_rows, LATE_ROWS) && late_sim_rows(m, seed, to, err) < 0))
        return -1;
    return has_rows(m, flow_rows, FLOW_ROWS) ? flow_sim_rows(m, seed, to, err) : 0;
}
