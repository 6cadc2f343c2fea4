/* recorded.h - the times of attempts whose task has recorded times, but not of this attempt.
 *
 * A trace records the time of each task, not its cause. There are several readings, and the value
 * of copies depends on which is taken.
 *
 *     size:  tasks differ in their work; another attempt takes the same time.
 *     luck:  attempts differ in their luck; another attempt takes the time of some other task of
 *            the phase.
 *     bytes: the part that inputs explain is work, and the rest is luck: a line through (bytes,
 *            time) gives the first, and the distance of some other task from it the second. */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "inputs/workload/workload.h"

enum recorded_vary { RECORDED_SIZE, RECORDED_LUCK, RECORDED_BYTES };

/* Fits the line of a phase with recorded times, by least squares over the first attempts; level if
 * bytes explain nothing, and never falling. Fills truth->line_us and line_per_us. */
void recorded_fit(const struct phase_spec *spec, struct phase_truth *truth);

/* The time of attempt `at` of a task that has recorded times, at least 1 us. The same for the same
 * seed and attempt. */
int64_t recorded_time_us(const struct phase_spec *spec, const struct phase_truth *truth,
                         uint64_t seed, struct attempt_ref at);

/* Returns true if the duration of attempt `at` differs between the readings. */
static inline bool recorded_differs(const struct phase_truth *truth, struct attempt_ref at)
{
    if (!truth->attempt_from)
        return false;
    uint32_t own = truth->attempt_from[at.task + 1] - truth->attempt_from[at.task];
    return own > 0 && at.attempt >= (truth->copies_drawn ? 1 : own);
}

/* The attempt's entry of an array that is parallel to the times; `none` where it has no entry. */
static inline int64_t recorded_beside(const struct phase_truth *truth, const int64_t *array,
                                      struct attempt_ref at, int64_t none)
{
    if (!array)
        return none;
    uint32_t entry = truth->attempt_from[at.task] + at.attempt;
    return entry < truth->attempt_from[at.task + 1] ? array[entry] : none;
}

/* The recorded time after which attempt `at` fails; -1: none, or it does not fail. */
static inline int64_t recorded_fails_us(const struct phase_truth *truth, struct attempt_ref at)
{
    int64_t us = recorded_beside(truth, truth->attempt_fails, at, 0);
    return us > 0 ? us : -1;
}

/* The recorded time between the kill of attempt `at`, or the failure of its node, and the report of
 * its end; -1: none. */
static inline int64_t recorded_lag_us(const struct phase_truth *truth, struct attempt_ref at)
{
    return recorded_beside(truth, truth->attempt_lags, at, -1);
}

/* ---- attempts that were cut short ---- */

/* The times of the attempts of a phase that were done. Zero-initialise; free with
 * vec_free(&d.us). */
struct recorded_done {
    VEC(double) us;
    double tail; /* exponent of the longest of them; NaN: too few */
};

/* Sorts the times and fits the tail. Call once all are added. */
void recorded_seal(struct recorded_done *d);

struct recorded_rule {
    double tail;         /* exponent if that of the phase is not known */
    double tail_max;     /* limit of an attempt's time over the time that was seen of it */
    int64_t base_us;     /* time of an unseen attempt in a phase without times */
    uint64_t tails, cut; /* number of uses of the first two */
};

/* Draws the time of an attempt that was cut short after `seen_us`: no less than that, at most
 * RECORDED_US_MAX. */
#define RECORDED_US_MAX INT64_C(100000000000000000)
int64_t recorded_draw(const struct recorded_done *d, struct recorded_rule *rule, struct rng r,
                      int64_t seen_us);
