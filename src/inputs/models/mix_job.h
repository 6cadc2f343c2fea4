/* mix_job.h - one generated job of a model whose jobs are written in its file, as a pure function
 * of (model, seed, index). */
#pragma once

#include <stdint.h>

#include "inputs/models/synth_model.h"
#include "inputs/workload/job_template.h"

/* The jobs of the file, which take turns, and how much each one varies. N is a standard normal
 * number that is cut off at 2; each use draws its own. */
struct mix_model {
    struct job_templates templates;
    double cpu_noise, mem_noise; /* demand of tasks, times exp(noise x N) for each job */
    double size_noise;           /* size of tasks, times exp(noise x N) for each job */
    double task_noise;           /* the same for each task */
};

/* Draws job `index` (from 0, in order of arrival) of a model with a mix, which arrives at this
 * time, independently of other jobs. It may refer to the templates; free with workload_job_free. */
struct workload_job *mix_job_draw(const struct synth_model *m, uint64_t seed, uint64_t index,
                                  int64_t arrived_us);
