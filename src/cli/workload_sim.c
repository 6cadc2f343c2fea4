#include "cli/workload_sim.h"

#include <math.h>

#include "cli/sim_measure.h"
#include "trace/synth.h"

#define WARMUP_US (90 * 60 * INT64_C(1000000))

/* Published values; facebook, bing. */
struct published {
    const char *id, *what, *source;
    double paper[SYNTH_MODELS];
};

enum {
    ROW_SLOWDOWN_P50,
    ROW_SLOWDOWN_MEAN,
    ROW_CRUDE_ALL,
    ROW_CRUDE_SMALL,
    ROW_FREE_ALL,
    ROW_FREE_SMALL,
    ROW_LOAD,
    ROW_LOAD_HIGH,
    ROWS,
};

static const struct published rows[ROWS] = {
    [ROW_SLOWDOWN_P50] =
        {"small_slowdown_p50",
         "slowest / median time per byte, phases of small jobs, median (under LATE)",
         "NSDI Fig. 1 (6 to 8; bing under Mantri)",
         {7, 7}},
    [ROW_SLOWDOWN_MEAN] = {"small_slowdown_mean", "the same, mean", "NSDI abstract", {8, 8}},
    [ROW_CRUDE_ALL] = {"median_rate_gain_all_pct",
                       "shorter jobs if no task were slower than its phase's median, %",
                       "NSDI 2.1",
                       {47, 29}},
    [ROW_CRUDE_SMALL] = {"median_rate_gain_small_pct",
                         "the same, small jobs, %",
                         "NSDI 2.1",
                         {49, 38}},
    [ROW_FREE_ALL] = {"no_stall_gain_all_pct",
                      "shorter jobs if no attempt stalled, %",
                      "NSDI 2.1",
                      {47, 29}},
    [ROW_FREE_SMALL] = {"no_stall_gain_small_pct", "the same, small jobs, %", "NSDI 2.1", {49, 38}},
    [ROW_LOAD] = {"load_p50_pct",
                  "utilisation of slots, median over time, %",
                  "HotCloud 2.1",
                  {21, NAN}},
    [ROW_LOAD_HIGH] = {"load_high_pct",
                       "share of time at 50 % utilisation or more, %",
                       "HotCloud 2.1",
                       {8, NAN}},
};

static double gain_pct(double before, double after)
{
    return 100 * (before - after) / before;
}

int workload_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                      struct err *err)
{
    struct sim_measure run = {.model = m,
                              .policy = "late+bl",
                              .jobs = WORKLOAD_SIM_JOBS,
                              .seed = seed,
                              .warmup_us = WARMUP_US};
    struct summary_result now, free;
    struct cluster *calm = synth_cluster(m);

    calm->luck.stall_p = 0;
    int result = sim_measure_run(&run, &now, err);
    run.cluster = calm;
    if (result == 0)
        result = sim_measure_run(&run, &free, err);
    cluster_destroy(calm);
    if (result < 0)
        return -1;
    double ours[ROWS] = {
        [ROW_SLOWDOWN_P50] = now.small_slowdown_p50,
        [ROW_SLOWDOWN_MEAN] = now.small_slowdown_mean,
        [ROW_CRUDE_ALL] = gain_pct(now.mean_jct_s, now.healthy_jct_s),
        [ROW_CRUDE_SMALL] = gain_pct(now.bins[0].mean_jct_s, now.bins[0].healthy_jct_s),
        [ROW_FREE_ALL] = gain_pct(now.mean_jct_s, free.mean_jct_s),
        [ROW_FREE_SMALL] = gain_pct(now.bins[0].mean_jct_s, free.bins[0].mean_jct_s),
        [ROW_LOAD] = 100 * now.load_p50,
        [ROW_LOAD_HIGH] = 100 * now.load_high_frac,
    };
    for (int i = 0; i < ROWS; i++)
        vec_push(&to->rows,
                 ((struct profile_row){rows[i].id, rows[i].what, rows[i].paper[m - synth_models],
                                       ours[i], rows[i].source}));
    return 0;
}
