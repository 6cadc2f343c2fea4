/* synth_job.h - one generated job, as a pure function of (model, seed, index). */
#pragma once

#include <stdint.h>

#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* The time of job `index` (from 0, in order of arrival) before its first phase, and also after its
 * last one. */
int64_t synth_job_half_overhead_us(const struct synth_model *m, uint64_t seed, uint64_t index);

/* The beginning of workload_job.memory of a generated job; its phases, their truths and their data
 * follow it. */
struct synth_job_head {
    struct workload_job job;
    char name[40];
};

/* Fills in the members that are alike in all generated jobs. The caller fills in the phases, their
 * truths, the limit of running attempts and the contents of `name`. */
void synth_job_begin(struct synth_job_head *head, const struct synth_model *m, uint64_t seed,
                     uint64_t index, int64_t arrived_us);

/* Draws job `index`, which arrives at this time, independently of other jobs. Free with
 * workload_job_free. */
struct workload_job *synth_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                    int64_t arrived_us);

/* Draws a workflow, in the same way: of a model with a flow. */
struct workload_job *flow_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                   int64_t arrived_us);
