#include "commands/sim/workload_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "inputs/models/synth.h"
#include "tests/unit/command.h"

/* What is published about the built-in models, which take seconds to be simulated. */
TEST(workload_sim_compares_with_what_is_published)
{
    static const struct {
        const char *model, *id;
        double paper;
        const char *citation;
    } rows[] = {
        {"facebook", "small_slowdown_p50", 7, "NSDI Fig. 1 (6 to 8; bing under Mantri)"},
        {"facebook", "small_slowdown_mean", 8, "NSDI abstract"},
        {"facebook", "median_rate_gain_all_pct", 47, "NSDI 2.1"},
        {"facebook", "median_rate_gain_small_pct", 49, "NSDI 2.1"},
        {"facebook", "no_stall_gain_all_pct", 47, "NSDI 2.1"},
        {"facebook", "no_stall_gain_small_pct", 49, "NSDI 2.1"},
        {"facebook", "load_p50_pct", 21, "HotCloud 2.1"},
        {"facebook", "load_high_pct", 8, "HotCloud 2.1"},
        {"bing", "small_slowdown_p50", 7, "NSDI Fig. 1 (6 to 8; bing under Mantri)"},
        {"bing", "small_slowdown_mean", 8, "NSDI abstract"},
        {"bing", "median_rate_gain_all_pct", 29, "NSDI 2.1"},
        {"bing", "median_rate_gain_small_pct", 38, "NSDI 2.1"},
        {"bing", "no_stall_gain_all_pct", 29, "NSDI 2.1"},
        {"bing", "no_stall_gain_small_pct", 38, "NSDI 2.1"},
        {"bing", "load_p50_pct", NAN, "HotCloud 2.1"},
        {"bing", "load_high_pct", NAN, "HotCloud 2.1"},
        {"google", "outlier_plural_phases_pct", 70, "DollyMP 6.3"},
        {"google", "outliers_max", 20, "DollyMP 6.3 (up to)"},
        {"google", "short_jobs_pct", 95, "DollyMP 1"},
    };
    uint32_t at = 0;
    for (int i = 0; i < SYNTH_MODELS; i++) {
        struct profile_table t = {0};
        workload_sim_published(&synth_model_table[i], &t);
        for (uint32_t k = 0; k < t.rows.count; k++, at++) {
            const struct profile_row *row = &t.rows.at[k];
            expect(at < sizeof rows / sizeof *rows);
            expect(strcmp(rows[at].model, synth_model_table[i].name) == 0);
            expect(strcmp(rows[at].id, row->id) == 0 && isnan(row->ours));
            expect(row->paper == rows[at].paper || (isnan(row->paper) && isnan(rows[at].paper)));
            expect(strcmp(rows[at].citation, row->citation) == 0);
        }
        vec_free(&t.rows);
    }
    expect(at == sizeof rows / sizeof *rows);
}

static const char cluster[] =
    "nodes n[0-3] cpu=4 mem=8G racks=2 lose=0.01\n"
    "node bad cpu=4 mem=8G rack=r0 lose=0.5\n"
    "luck stall_p=0.1 stall=20s slow_p=0.1 slow_factor=2 slow_max=20\n"
    "network up=10M down=10M disk=100M\n"
    "faults lose_window=1m\n";

static const char model[] =
    "model tiny cluster=tiny.cluster jobs=60 warmup=1m then=nothing\n"
    "arrivals every=60s surge=0 window=1h\n"
    "mix cpu_noise=0 mem_noise=0 size_noise=0.2 task_noise=0.3\n"
    "published small_slowdown_p50 value=1 source=\"a\"\n"
    "published small_slowdown_mean value=2 source=\"b\"\n"
    "published median_rate_gain_all_pct value=3 source=\"c\"\n"
    "published median_rate_gain_small_pct value=4 source=\"d\"\n"
    "published no_stall_gain_all_pct value=5 source=\"e\"\n"
    "published no_stall_gain_small_pct value=6 source=\"f\"\n"
    "published load_p50_pct value=7 source=\"g\"\n"
    "published load_high_pct value=8 source=\"h\"\n"
    "published waves_p50 value=9 source=\"i\"\n"
    "published outlier_phases_pct value=10 source=\"j\"\n"
    "published outlier_plural_phases_pct value=11 source=\"k\"\n"
    "published outliers_below_2_5_pct value=12 source=\"l\"\n"
    "published outliers_above_10_pct value=13 source=\"m\"\n"
    "published outliers_max value=14 source=\"n\"\n"
    "published explained_phases_pct value=15 source=\"o\"\n"
    "published unexplained_phases_pct value=16 source=\"p\"\n"
    "published not_recomputed_pct value=17 source=\"q\"\n"
    "published lost_on_worst_5_pct value=18 source=\"r\"\n"
    "published cross_rack_reduce_pct value=19 source=\"s\"\n"
    "published repeat_variation_p50 value=20 source=\"t\"\n"
    "published short_jobs_pct value=21 source=\"u\"\n"
    "job one\n"
    "  phase map tasks=6 size=10s output=20M\n"
    "  phase reduce tasks=2 after=map pattern=all-to-all size=4s\n"
    "  phase check tasks=1 after=reduce pattern=all-to-all size=4s\n"
    "job two\n"
    "  phase map tasks=24 size=10s output=10M\n"
    "  phase reduce tasks=4 after=map pattern=all-to-all size=10s\n";

/* A world with whatever one of the statistics is about: small jobs and larger ones, stalls, slow
 * attempts, outputs that are lost, mostly on one node, and two racks. */
TEST(workload_sim_measures_every_statistic)
{
    struct command_folder f;

    command_begin(&f);
    command_file("tiny.cluster", cluster);
    command_file("tiny.model", model);
    expect(command_prints(
        cmd_workload, "workload tiny.model --stats --jobs 40 --seed 2",
        "tiny: 40 jobs, seed 2; simulated ones: 60 jobs after a warm-up of 1 min\n"
        "\n"
        " paper   ours  statistic (source)\n"
        "     1   2.16  slowest / median time per byte, phases of small jobs, median\n"
        "               (under LATE) (a)\n"
        "     2    4.2  the same, mean (b)\n"
        "     3   54.2  shorter jobs if no task were slower than its phase's median, %\n"
        "               (c)\n"
        "     4   62.1  the same, small jobs, % (d)\n"
        "     5   8.62  shorter jobs if no attempt stalled, % (e)\n"
        "     6   7.54  the same, small jobs, % (f)\n"
        "     7     30  utilisation of slots, median over time, % (g)\n"
        "     8   29.4  share of time at 50 % utilisation or more, % (h)\n"
        "     9      1  tasks of a phase / slots it has, median (i)\n"
        "    10     50  phases with more than 15 % outliers (over 1.5 x the median), %\n"
        "               (j)\n"
        "    11   62.5  phases of two tasks or more with more than 15 % outliers, % (k)\n"
        "    12   28.7  outliers below 2.5 x the median, % (l)\n"
        "    13   22.3  outliers above 10 x the median, % (m)\n"
        "    14   28.3  the farthest outlier over the median (n)\n"
        "    15      0  phases with outliers, all of them explained by their input, % (o)\n"
        "    16   66.1  the same, none of them, % (p)\n"
        "    17   75.3  phases without a recompute, % (q)\n"
        "    18   92.6  recomputes due to the worst 5 % of nodes, % (r)\n"
        "    19    100  traffic between racks due to reduces, % (s)\n"
        "    20  0.528  variation (stdev / mean) of times of jobs of one name, median (t)\n"
        "    21    100  jobs of less than two hours, % (u)\n"));
    command_end(&f);
}
