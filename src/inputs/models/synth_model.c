/* synth_model.c - the numbers of the generated workloads, one row for each.
 *
 * synth_job.c draws from them; docs/reference/workload-models.md lists which of them are published,
 * measured or fitted, and where they contradict each other. */
#include "inputs/models/synth_model.h"

#define SECOND INT64_C(1000000)

/* What the models of Dolly's clusters have in common. They differ in the stalls of attempts, in how
 * many jobs come and what these take besides their tasks, and in how many tasks and phases a job
 * has. */
#define CLUSTER(p, us)                                                                             \
    .servers = {{150, 12, 0}}, .luck = {                                                           \
                                   .startup_us = 300000,                                           \
                                   .noise = 0.06,                                                  \
                                   .slow_factor = 1,                                               \
                                   .stall_p = (p),                                                 \
                                   .stall_us = (us),                                               \
                                   .stall_noise = 0.25,                                            \
                                   .stall_at = 0.5,                                                \
                                   .bad_share = 0.06,                                              \
                                   .bad_factor = 3,                                                \
                                   .good_factor = 0.872,                                           \
                                   .window_us = 4 * 3600 * SECOND,                                 \
                                   .busy_factor = 1,                                               \
                                   .busy_window_us = 600 * SECOND,                                 \
    }
#define SURGES .surge = 0.1, .surge_window_us = 600 * SECOND
#define LIMITS .small_min = 6, .small_max = 10, .large_max = 10000, .running_max = 200
#define TASKS                                                                                      \
    .small_equal = 0.91, .large_equal = 0.4, .task_s = 5, .job_noise = 0.2, .phase_noise = 0.2,    \
    .task_noise = 0.45, .growth_from = 3, .bytes_per_ms = 16 * 1024, .output_share = 0.25

const struct synth_model synth_model_table[SYNTH_MODELS] = {
    [SYNTH_FACEBOOK] =
        {
            .name = "facebook",
            .prefix = "fb",
            CLUSTER(0.20, 42 * SECOND),
            .arrivals_per_s = 0.23,
            SURGES,
            .overhead_s = 32,
            .overhead_noise = 0.3,
            LIMITS,
            .small_p = 0.82,
            .small_slope = 0.9,
            .large_shape = 0.50,
            .small_phases = {0, 1},
            .large_phases = {0, 1},
            .phase_names = {"map", "reduce"},
            TASKS,
            .growth = 0.24,
        },
    [SYNTH_BING] =
        {
            .name = "bing",
            .prefix = "bing",
            CLUSTER(0.19, 43 * SECOND),
            .arrivals_per_s = 0.17,
            SURGES,
            .overhead_s = 50,
            .overhead_noise = 0.3,
            LIMITS,
            .small_p = 0.61,
            .small_slope = 0.6,
            .large_shape = 0.65,
            .small_phases = {0.30, 0.50, 0.12, 0.04, 0.02, 0.02},
            .large_phases = {0.15, 0.35, 0.20, 0.15, 0.10, 0.05},
            .phase_names = {"p1", "p2", "p3", "p4", "p5", "p6"},
            TASKS,
            .growth = 0.25,
        },
    /* Sizes of jobs, lengths and demands are those of the trace, stragglers those that are
     * published (docs/reference/workload-models.md). A hundred times DollyMP's cluster of thirty
     * servers. */
    [SYNTH_GOOGLE] =
        {
            .name = "google",
            .prefix = "google",
            .servers =
                {
                    {200, 24, 48 * 1024},
                    {400, 16, 32 * 1024},
                    {300, 16, 64 * 1024},
                    {2100, 8, 16 * 1024},
                },
            .luck =
                {
                    .startup_us = 300000,
                    .noise = 0.06,
                    .slow_p = 0.18,
                    .slow_factor = 1.5,
                    .slow_max = 4,
                    .slow_tail = 0.15,
                    .slow_tail_max = 10,
                    .stall_at = 1,
                    .bad_factor = 1,
                    .good_factor = 1,
                    .window_us = 3600 * SECOND,
                    .busy_factor = 1,
                    .busy_window_us = 600 * SECOND,
                },
            .jobs = 2000,
            .warmup_us = 1800 * SECOND,
            .drains = true,
            .arrivals_per_s = 0.75,
            SURGES,
            .small_min = 1,
            .small_max = 10,
            .small_p = 0.855,
            .small_slope = -3.8,
            .large_shape = 0.4,
            .large_max = 1500,
            .small_phases = {0, 1},
            .large_phases = {0, 1},
            .phase_names = {"map", "reduce"},
            .later_share = 0.3,
            .task_s = 90,
            .job_noise = 0.9,
            .phase_noise = 0.2,
            .task_noise = 0.25,
            .growth = 0.15,
            .growth_from = 3,
            .bytes_per_ms = 16 * 1024,
            .output_share = 0.25,
            .demand =
                {
                    .cpu = 0.3,
                    .cpu_noise = 0.8,
                    .cpu_max = 12,
                    .mem_mib = 384,
                    .mem_noise = 1.25,
                    .mem_max_mib = 24 * 1024,
                    .tie = 0.4,
                },
        },
};
