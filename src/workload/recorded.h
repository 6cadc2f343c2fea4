/* recorded.h - what an attempt takes whose task has recorded times, but not of this attempt.
 *
 * A trace tells what each task took, not why. Either reading of it is possible, and what copies are
 * worth depends on which:
 *  - size: what differs between tasks is their work; another attempt takes the same.
 *  - luck: it is the luck of attempts; another attempt takes what some other task of the phase
 * took.
 *  - bytes: what their inputs explain is work, and the rest is luck: a line through (bytes, time)
 *    gives the first, and how far some other task was above or below the line the second. */
#ifndef WORKLOAD_RECORDED_H
#define WORKLOAD_RECORDED_H

#include <stdint.h>

#include "model/id.h"
#include "workload/workload.h"

enum recorded_vary { RECORDED_SIZE, RECORDED_LUCK, RECORDED_BYTES };

/* The line of a phase with recorded times, by least squares over the first attempts; level where
 * bytes explain nothing, and never falling. Fills truth->line_us and line_per_us. */
void recorded_fit(const struct phase_spec *spec, struct phase_truth *truth);

/* What attempt `at` takes, of a task that has recorded times, at least 1 us. The same for the same
 * seed and attempt. */
int64_t recorded_time_us(const struct phase_spec *spec, const struct phase_truth *truth,
                         uint64_t seed, struct attempt_ref at);

#endif
