/* sim_numbers.h - the numbers of many runs: named, related to each other, and estimated over seeds.
 *
 * Every number of a run is one field of a flat array, so that intervals, tables and JSON need not
 * know its meaning. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/stats/phase_times.h"
#include "record/stats/summary.h"

enum number {
    NUMBER_MEAN_JCT,
    NUMBER_P50_JCT,
    NUMBER_P95_JCT,
    NUMBER_MAKESPAN,
    NUMBER_ATTEMPTS,
    NUMBER_CLONES,
    NUMBER_BACKUPS,
    NUMBER_RESTARTS,
    NUMBER_KILLED,
    NUMBER_BUSY,
    NUMBER_CLONE_CAPACITY,
    NUMBER_BUSY_VS_FIRST, /* relative: filled by sim_numbers_relate */
    NUMBER_LOSER,
    NUMBER_MAX_CLONE,
    NUMBER_LOAD_ARRIVING,
    NUMBER_LOAD_MEAN,
    NUMBER_LOAD_P50,
    NUMBER_LOAD_HIGH,
    NUMBER_SLOWDOWN_P50,
    NUMBER_SLOWDOWN_P95,
    NUMBER_IMPROVEMENT, /* relative: share of the baseline's mean JCT that is saved */
    NUMBER_JOBS_FAILED,
    NUMBER_EVENTS,
    NUMBER_WALL,
    NUMBER_RSS,
    NUMBER_PLAIN_END, /* those above are members of a policy's JSON object in this order */
    NUMBER_BIN_JOBS = NUMBER_PLAIN_END,
    NUMBER_BIN_MEAN = NUMBER_BIN_JOBS + SUMMARY_BINS,
    NUMBER_RES_CAPACITY = NUMBER_BIN_MEAN + SUMMARY_BINS, /* of each resource */
    NUMBER_RES_BUSY = NUMBER_RES_CAPACITY + RES_COUNT,
    NUMBER_RES_EXTRA = NUMBER_RES_BUSY + RES_COUNT,
    /* Those of phases; only where they are asked for. */
    NUMBER_PHASES = NUMBER_RES_EXTRA + RES_COUNT,
    NUMBER_SHORTER_P30 = NUMBER_PHASES, /* the first six are relative */
    NUMBER_SHORTER_P50,
    NUMBER_SHORTER_P75,
    NUMBER_SHORTER_P80,
    NUMBER_SAVED_P50,
    NUMBER_SAVED_P75,
    NUMBER_COPIES,
    NUMBER_COPIES_WON,
    NUMBER_NOT_RECOMPUTED,
    NUMBER_ESTIMATES, /* with --estimates */
    NUMBER_TREM_REPORTS = NUMBER_ESTIMATES,
    NUMBER_TREM_P50,
    NUMBER_TREM_P90,
    NUMBER_TREM_MEAN,
    NUMBER_TNEW_COPIES,
    NUMBER_TNEW_P50,
    NUMBER_TNEW_P90,
    NUMBER_TNEW_MEAN,
    NUMBER_COUNT,
};
/* Where a number is measured; NUMBER_OF_RUN ones are filled separately. */
enum number_from {
    NUMBER_OF_RUN,
    NUMBER_OF_SUMMARY,   /* struct summary_result */
    NUMBER_OF_GAINS,     /* struct phase_gains */
    NUMBER_OF_FACTS,     /* struct phase_facts */
    NUMBER_OF_ESTIMATES, /* struct estimate_errors */
};

/* Format in a table. A whole number is a count: without a fraction also in JSON. */
enum number_look { NUMBER_FINE, NUMBER_WHOLE, NUMBER_SHARE };

struct sim_number {
    const char *name; /* in JSON; for a bin, that of its member */
    const char *head; /* in tables; NULL: not shown */
    enum number_look look;
    enum number_from from;
    size_t offset; /* there; of a uint64_t if it is a whole number of the summary, else a double */
};
extern const struct sim_number sim_numbers_table[NUMBER_COUNT];

/* One run of one policy with one seed. NaN: nothing to measure. */
struct sim_run {
    double v[NUMBER_COUNT];
    struct summary_result summary;
    uint64_t digest;
    struct phase_times *phases; /* owned by sim_numbers; NULL without --phases */
    struct detail *detail;      /* with --detail, else NULL; owned */
    bool reading_matters;       /* it would differ in another reading of a trace */
    bool borrowed;              /* the owned fields above belong to another of these */
};

/* All runs of a comparison. */
struct sim_numbers {
    uint32_t policies, seeds; /* yardsticks count as policies */
    struct sim_run *runs;     /* policies x seeds; owned */
};

void sim_numbers_init(struct sim_numbers *n, uint32_t policies, uint32_t seeds);
void sim_numbers_fini(struct sim_numbers *n);

static inline struct sim_run *sim_numbers_run(const struct sim_numbers *n, uint32_t policy,
                                              uint32_t seed)
{
    return &n->runs[(uint64_t)policy * n->seeds + seed];
}

/* Takes the numbers of a run that are fields of the struct at `values`. */
void sim_numbers_take(struct sim_run *run, enum number_from from, const void *values);

/* Returns a copy that borrows from `run`, which must outlive it. */
struct sim_run sim_numbers_same(const struct sim_run *run);

/* Fills the relative fields of every run from the runs with the same seed. */
void sim_numbers_relate(struct sim_numbers *n, uint32_t baseline);

/* The mean over seeds and half the width of its 95 % interval. NaN if any run has nothing to
 * measure. */
struct sim_estimate {
    double mean, half;
};
struct sim_estimate sim_numbers_estimate(const struct sim_numbers *n, uint32_t policy, int number);

/* Returns the policy's gain over the baseline as a share of the gain of another row of runs: 1 is
 * all of it. NaN if there was nothing to gain. */
struct sim_estimate sim_numbers_share(const struct sim_numbers *n, uint32_t policy,
                                      uint32_t possible);

/* Returns the digest of the run, or one of all digests if there are several seeds. */
uint64_t sim_numbers_digest(const struct sim_numbers *n, uint32_t policy);
