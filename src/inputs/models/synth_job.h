/* synth_job.h - one generated job, as a pure function of (model, seed, index). */
#ifndef INPUTS_MODELS_SYNTH_JOB_H
#define INPUTS_MODELS_SYNTH_JOB_H

#include <stdint.h>

#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* What job `index` (from 0, in order of arrival) takes before its first phase, and the same again
 * behind its last one. */
int64_t synth_job_half_overhead_us(const struct synth_model *m, uint64_t seed, uint64_t index);

/* What workload_job.memory of a generated job points to; its phases, their truths and all that
 * belongs to those lie behind it. */
struct synth_job_head {
    struct workload_job job;
    char name[40];
};

/* Fills in what all generated jobs have alike. The phases, their truths and the limit of running
 * attempts are left to the caller, and what stands in `name`. */
void synth_job_begin(struct synth_job_head *head, const struct synth_model *m, uint64_t seed,
                     uint64_t index, int64_t arrived_us);

/* Job `index`, which arrives at this time. No other job has to be drawn for it. One block; free it
 * with workload_job_free. */
struct workload_job *synth_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                    int64_t arrived_us);

#endif
