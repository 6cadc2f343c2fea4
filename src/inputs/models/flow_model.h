/* flow_model.h - jobs that are workflows of many phases, as data: every number from which such a
 * job is drawn.
 *
 * A model of this form is a file (docs/reference/workload-models.md, "Model files"), so another
 * cluster is another file without new code. */
#pragma once

#include <stdint.h>

enum { FLOW_PHASES_MAX = 200, FLOW_EDGES_MAX = 8 /* of one phase */ };

/* N is a standard normal number, U uniform in 0..1; each use draws its own. */
struct flow_model {
    /* A job is one run of a kind; this is the number of kinds, which take turns. The workflow, its
     * numbers of tasks and its slots belong to the kind; the amount of data, to the run. The N of
     * phases, width, waves and kind_noise are spread evenly over the kinds. */
    uint32_t kinds;

    /* phases x exp(phases_noise x N) of them, from 1 to phases_max. */
    double phases, phases_noise;
    uint32_t phases_max;

    /* A phase that is neither the first nor the last reads nothing of the job with probability
     * `source`. The others read the phase before them and, again and again with probability `join`,
     * another one: the oldest one without a reader, else any. The last reads all that have no
     * reader. */
    double source, join;
    /* A phase reads over barriers with this probability, each task a part of every task above. If
     * not, its tasks have their own shares of the tasks above and start when those are done. */
    double barrier;

    /* Tasks: width x exp(width_noise x N) for the kind, times exp(spread x N) for each phase; from
     * 1 to width_max. A phase without a barrier has as many as the narrowest phase it reads. */
    double width, width_noise, spread;
    uint32_t width_max;
    /* Maximum concurrent attempts of the job: the kind's width / (waves x exp(waves_noise x N)),
     * at least 1. */
    double waves, waves_noise;

    /* A task is size x exp(kind_noise x N) x exp(run_noise x N) x exp(phase_noise x N) long, times
     * its share of the data. */
    int64_t size_us;
    double kind_noise, run_noise, phase_noise;

    /* Shares of the data (their mean is 1 in each phase) are as 1 + s x N, s = skew x
     * exp(skew_noise x N) for each phase, at most skew_max. In a share hot_phases of all phases the
     * share hot_tasks of the tasks, at least one, has hot_min to hot_max times as much (uniform in
     * logarithms). */
    double skew, skew_noise, skew_max;
    double hot_phases, hot_tasks, hot_min, hot_max;

    int64_t bytes_per_s;         /* input of a task for each second of its phase's length */
    double output, output_noise; /* output of a task / mean input of its phase, x exp(noise x N) */
};
