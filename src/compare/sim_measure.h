/* sim_measure.h - one simulated run of a generated workload, as a function: numbers in, numbers
 * out. */
#ifndef COMPARE_SIM_MEASURE_H
#define COMPARE_SIM_MEASURE_H

#include <stdint.h>

#include "base/err.h"
#include "cluster/cluster.h"
#include "stats/phase_times.h"
#include "stats/summary.h"
#include "workload/synth.h"

/* Ends the arrivals when the last measured job is over, so that it ends in the same crowd as the
 * first; or, where the workload drains, when it has come. */
struct sim_closing {
    struct summary *summary;
    struct workload *workload;
    bool drains;
};
struct tap sim_closing_tap(struct sim_closing *c); /* borrows *c during the run */

struct sim_measure {
    const struct synth_model *model;
    const struct cluster *cluster; /* NULL: the model's own */
    const char *policy;            /* as policy_create reads it */
    uint64_t jobs, seed;
    int64_t warmup_us;
};

/* 0 with *out, or -1 with *err. `phases` may be NULL; it sees the run as well. */
int sim_measure_run(const struct sim_measure *m, struct phase_times *phases,
                    struct summary_result *out, struct err *err);

#endif
