/* flow_job.h - one generated workflow, as a pure function of (model, seed, index). */
#pragma once

#include <stdint.h>

#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* Draws job `index` (from 0, in order of arrival) of a model with a flow, which arrives at this
 * time, independently of other jobs. Free with workload_job_free. */
struct workload_job *flow_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                   int64_t arrived_us);
