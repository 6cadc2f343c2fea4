/* recorded.h - what an attempt takes whose task has recorded times, but not of this attempt.
 *
 * A trace tells what each task took, not why. Either reading of it is possible, and what copies are
 * worth depends on which:
 *  - size: what differs between tasks is their work; another attempt takes the same.
 *  - luck: it is the luck of attempts; another attempt takes what some other task of the phase
 * took.
 *  - bytes: what their inputs explain is work, and the rest is luck: a line through (bytes, time)
 *    gives the first, and how far some other task was above or below the line the second. */
#ifndef INPUTS_WORKLOAD_RECORDED_H
#define INPUTS_WORKLOAD_RECORDED_H

#include <stdint.h>

#include "base/rng.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "inputs/workload/workload.h"

enum recorded_vary { RECORDED_SIZE, RECORDED_LUCK, RECORDED_BYTES };

/* The line of a phase with recorded times, by least squares over the first attempts; level where
 * bytes explain nothing, and never falling. Fills truth->line_us and line_per_us. */
void recorded_fit(const struct phase_spec *spec, struct phase_truth *truth);

/* What attempt `at` takes, of a task that has recorded times, at least 1 us. The same for the same
 * seed and attempt. */
int64_t recorded_time_us(const struct phase_spec *spec, const struct phase_truth *truth,
                         uint64_t seed, struct attempt_ref at);

/* Whether what attempt `at` takes depends on the reading. */
bool recorded_differs(const struct phase_truth *truth, struct attempt_ref at);

/* After how long attempt `at` fails, as is recorded of it; -1: nothing is, or it does not. */
int64_t recorded_fails_us(const struct phase_truth *truth, struct attempt_ref at);

/* How long after it is killed or its node goes down the end of attempt `at` is told, as is recorded
 * of it; -1: nothing is. */
int64_t recorded_lag_us(const struct phase_truth *truth, struct attempt_ref at);

/* ---- attempts that were cut short ---- */

/* What the attempts of a phase took that were done. Zero-initialise; free with vec_free(&d.us). */
struct recorded_done {
    VEC(double) us;
    double tail; /* exponent of the longest of them; NaN: too few */
};

/* Sorts the times and fits the tail, once all are there. */
void recorded_seal(struct recorded_done *d);

struct recorded_rule {
    double tail;         /* exponent where that of the phase is not known */
    double tail_max;     /* no attempt takes more than this many times what was seen of it */
    int64_t base_us;     /* what one takes of which nothing was seen, in a phase without times */
    uint64_t tails, cut; /* how often the first two were needed */
};

/* What an attempt would have taken that was cut short after `seen_us`: no less than that, at
 * most RECORDED_US_MAX. */
#define RECORDED_US_MAX INT64_C(100000000000000000)
int64_t recorded_draw(const struct recorded_done *d, struct recorded_rule *rule, struct rng r,
                      int64_t seen_us);

#endif
