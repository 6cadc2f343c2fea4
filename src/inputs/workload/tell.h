/* tell.h - told times: the submitter's statement of the task times of simulated jobs, true or not.
 *
 * The truth is the mean and the standard deviation of the time of a first attempt of a task of the
 * phase on a node of the cluster, start-up and luck included, over all tasks, all nodes and all
 * luck: not of its actual luck. It does not include effects of other events: reading over a
 * network, and faults. */
#pragma once

#include <stdint.h>

#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

enum tell {
    TELL_AS_SAID, /* as in the workload */
    TELL_EXACT,   /* the truth */
    TELL_NONE,
};

#define TELL_ERROR_MAX 1e9

/* The longest told time, some 32 years. */
#define TELL_MAX_US 1e15

/* Creates a workload of the jobs of `inner`, which is destroyed with it, on this cluster
 * (borrowed). Told times are multiplied by exp(error x N), with N standard normal for each phase of
 * each job, keyed by `seed`; error is 0 to TELL_ERROR_MAX. */
struct workload *tell_create(struct workload *inner, const struct cluster *cluster, uint64_t seed,
                             enum tell tell, double error);

/* The luck of a cluster in means and deviations. */
struct tell_luck {
    const struct luck *luck;
    double pace, pace_square;         /* of time / size without slowness, and of its square */
    double slow_p, stall_p, both_p;   /* over all moods */
    double stall_us, stall_us_square; /* of those that stall */
};

struct tell_time {
    double mean_us, dev_us; /* may be infinite */
};

/* Computes the luck of a cluster. */
struct tell_luck tell_luck(const struct cluster *cluster);
/* Computes the true times of a phase. */
struct tell_time tell_phase(const struct tell_luck *l, const struct phase_spec *spec,
                            const struct phase_truth *truth);
