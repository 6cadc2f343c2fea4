/* phase_sums.h - how the tasks of a phase are distributed: time, reading, CPU time, bytes.
 *
 * Phases of one name are one, whatever their jobs. Memory is bounded: of more than
 * PHASE_SUMS_VALUES tasks every second, fourth, ... is a sample; counts, least and most are exact.
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "commands/explain/explain.h"

enum { PHASE_SUMS_MAX = 50, PHASE_SUMS_VALUES = 1 << 15 };

enum phase_metric {
    PHASE_TIME,    /* from the first launch to the commit, in us */
    PHASE_READING, /* of the winner, from its start until its inputs were there, in us */
    PHASE_CPU,     /* of the winner, in us; not known of simulated ones */
    PHASE_BYTES,   /* that the winner has read */
    PHASE_METRICS,
};

/* A sample of values; zero-initialise. */
struct phase_values {
    VEC(double) at;
    uint64_t count; /* of all values */
    uint32_t every; /* one of how many is in the sample; 0: none yet */
    double least, most;
};

struct phase_sum {
    char *name; /* owned */
    uint64_t tasks, done, failed, rescued;
    struct phase_values values[PHASE_METRICS];
};

/* Zero-initialise; free with phase_sums_fini. */
struct phase_sums {
    VEC(struct phase_sum) v;
    uint64_t left_out; /* number of tasks of phases beyond PHASE_SUMS_MAX names */
};

void phase_sums_fini(struct phase_sums *s);

/* Takes the tasks of a job that is over: x->job. */
void phase_sums_job(struct phase_sums *s, const struct explain *x);

/* Returns the sum of phases of this name, or NULL. */
const struct phase_sum *phase_sums_find(const struct phase_sums *s, const char *name);

/* Adds a value. */
void phase_sums_value(struct phase_values *v, double value);

/* Returns a quantile (stat_quantile's rule) of the values, of which there is at least one. */
double phase_sums_quantile(struct phase_values *v, double q);

/* The words for each metric ("time of a task", ...), and its name for programs ("time_s", ...). */
extern const struct phase_sums_text {
    const char *words, *name;
} phase_sums_texts[PHASE_METRICS];
