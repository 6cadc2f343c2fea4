/* synth_model.h - generated workloads as data: every number from which a generated job is drawn.
 *
 * docs/reference/workload-models.md gives the origin of the numbers. Adding a workload is one more
 * row in synth_model.c and its name here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/cluster/cluster.h"
#include "inputs/models/flow_model.h"

enum { SYNTH_PHASES_MAX = 6, SYNTH_SERVERS_MAX = 4 };

/* Servers of one size. */
struct synth_servers {
    uint32_t count, cores, mem_mib;
};

/* The demand of an attempt: cpu x exp(cpu_noise x N) cores and mem_mib x exp(mem_noise x M) of
 * memory, the same for all tasks of a job, where the correlation of N and M is `tie`; from a
 * hundredth of a core and 1 MiB to the limits. */
struct synth_demand {
    double cpu, cpu_noise, cpu_max; /* cpu 0: one slot, and nothing else */
    double mem_mib, mem_noise, mem_max_mib;
    double tie;
};

/* A published statistic, under the id of the measured one (profile.h). */
struct synth_published {
    const char *id;
    double value;
    const char *citation;
};

/* N is a standard normal number, U uniform in 0..1; each use draws its own. */
struct synth_model {
    const char *name;
    const char *prefix; /* of the names of its jobs */

    /* The cluster, and the luck of attempts on it. */
    struct synth_servers servers[SYNTH_SERVERS_MAX]; /* ends with a count of 0 */
    struct luck luck;

    /* A Poisson process whose rate is multiplied by exp(surge x N) in each window. */
    double arrivals_per_s, surge;
    int64_t surge_window_us;

    /* The time of a job in addition to its tasks: overhead_s x exp(overhead_noise x N), one half
     * before the first phase and one after the last. */
    double overhead_s, overhead_noise;

    /* Tasks of all phases. With probability small_p a number T of small_min .. small_max, each as
     * probable as T^small_slope; else Pareto of shape large_shape between small_max + 1 and
     * large_max. */
    double small_p, small_slope;
    uint32_t small_min, small_max;
    double large_shape;
    uint32_t large_max;

    /* Probability of 1, 2, ... phases; each list sums to 1. Phases form a chain with barriers. */
    double small_phases[SYNTH_PHASES_MAX], large_phases[SYNTH_PHASES_MAX];
    const char *phase_names[SYNTH_PHASES_MAX];

    /* All phases have as many tasks as the first with this probability; else each later one has
     * the share U (small jobs), or 0.1 + 0.5 U (large jobs), of the first one's. */
    double small_equal, large_equal;
    /* Above 0: instead, each later phase has this share of all tasks, and the first has the rest.
     * A job has no more phases than tasks. */
    double later_share;

    /* A task is task_s x exp(job_noise x N) x exp(phase_noise x N) x exp(task_noise x N) long,
     * times (n / growth_from)^growth where the first phase has n > growth_from tasks. */
    double task_s, job_noise, phase_noise, task_noise, growth, growth_from;

    int64_t bytes_per_ms; /* input of a task for each millisecond of its length */
    double output_share;  /* output of a task over the mean input of its phase */
    uint32_t running_max; /* attempts of a job that may run at once; 0: any number */
    struct synth_demand demand;

    uint64_t jobs;     /* default number of measured jobs; 0: that of dolly sim */
    int64_t warmup_us; /* the same; used with jobs */
    bool drains;       /* no jobs arrive after the measured ones */

    /* Models that were read from a file (synth_file.h); all zero in the table below. Jobs are
     * workflows drawn from `flow`, and the members between overhead_noise and `jobs` are not
     * used. */
    const struct flow_model *flow;
    const struct mix_model *mix; /* instead: jobs written in the file (mix_job.h) */
    const char *cluster_path;    /* instead of servers and luck */
    const struct synth_published *published;
    uint32_t published_count;
};

enum { SYNTH_FACEBOOK, SYNTH_BING, SYNTH_GOOGLE, SYNTH_MODELS };
extern const struct synth_model synth_model_table[SYNTH_MODELS];
