/* sim_numbers.h - the numbers of many runs: named, related to each other, and estimated over seeds.
 *
 * Every number of a run is one field of a flat array, so that intervals, tables and JSON need not
 * know what it means. */
#ifndef COMPARE_SIM_NUMBERS_H
#define COMPARE_SIM_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/phase_times.h"
#include "stats/summary.h"

enum sim_field {
    FIELD_MEAN_JCT,
    FIELD_P50_JCT,
    FIELD_P95_JCT,
    FIELD_MAKESPAN,
    FIELD_ATTEMPTS,
    FIELD_CLONES,
    FIELD_BACKUPS,
    FIELD_RESTARTS,
    FIELD_KILLED,
    FIELD_BUSY,
    FIELD_CLONE_CAPACITY,
    FIELD_BUSY_VS_FIRST, /* relative: filled by sim_numbers_relate */
    FIELD_LOSER,
    FIELD_MAX_CLONE,
    FIELD_LOAD_P50,
    FIELD_LOAD_HIGH,
    FIELD_SLOWDOWN_P50,
    FIELD_SLOWDOWN_P95,
    FIELD_IMPROVEMENT, /* relative: share of the baseline's mean JCT that is saved */
    FIELD_JOBS_FAILED,
    FIELD_EVENTS,
    FIELD_WALL,
    FIELD_RSS,
    FIELD_PLAIN_END, /* those above are members of a policy's JSON object in this order */
    FIELD_BIN_JOBS = FIELD_PLAIN_END,
    FIELD_BIN_MEAN = FIELD_BIN_JOBS + SUMMARY_BINS,
    /* Those of phases, in the order of sim_phase_fields; only where they are asked for. */
    FIELD_PHASES = FIELD_BIN_MEAN + SUMMARY_BINS,
    FIELD_SHORTER_P30 = FIELD_PHASES, /* the first six are relative */
    FIELD_SHORTER_P50,
    FIELD_SHORTER_P75,
    FIELD_SHORTER_P80,
    FIELD_SAVED_P50,
    FIELD_SAVED_P75,
    FIELD_COPIES,
    FIELD_COPIES_WON,
    FIELD_NOT_RECOMPUTED,
    FIELD_ESTIMATES, /* with --estimates */
    FIELD_TREM_REPORTS = FIELD_ESTIMATES,
    FIELD_TREM_P50,
    FIELD_TREM_P90,
    FIELD_TREM_MEAN,
    FIELD_TNEW_COPIES,
    FIELD_TNEW_P50,
    FIELD_TNEW_P90,
    FIELD_TNEW_MEAN,
    FIELD_COUNT,
};
enum {
    SIM_PHASE_FIELDS = FIELD_ESTIMATES - FIELD_PHASES,
    SIM_ESTIMATE_FIELDS = FIELD_COUNT - FIELD_ESTIMATES
};

/* The name of a plain field in JSON, and whether it counts something. */
struct sim_field_info {
    const char *name;
    bool whole;
};
extern const struct sim_field_info sim_fields[FIELD_PLAIN_END];
extern const char *const sim_phase_fields[SIM_PHASE_FIELDS];
extern const char *const sim_estimate_fields[SIM_ESTIMATE_FIELDS];

/* One run of one policy with one seed. NaN: nothing to measure. */
struct sim_run {
    double v[FIELD_COUNT];
    uint64_t jobs, tasks;
    uint64_t digest;
    struct phase_times *phases; /* owned by sim_numbers; NULL where nobody asked */
    struct detail *detail;      /* with --detail, else NULL; owned */
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

/* Puts a summary into the fields of a run. */
void sim_run_fill(struct sim_run *run, const struct summary_result *result);

/* Fills the relative fields of every run from the runs with the same seed. */
void sim_numbers_relate(struct sim_numbers *n, uint32_t baseline);

/* The mean over seeds and half the width of its 95 % interval. NaN if any run has nothing to
 * measure. */
struct sim_estimate {
    double mean, half;
};
struct sim_estimate sim_numbers_estimate(const struct sim_numbers *n, uint32_t policy, int field);

/* What the policy gained over the baseline, as a share of what another row of runs gained: 1 is all
 * of it. NaN where nothing was to be gained. */
struct sim_estimate sim_numbers_share(const struct sim_numbers *n, uint32_t policy,
                                      uint32_t possible);

/* The digest of the run, or one of all digests when there are several seeds. */
uint64_t sim_numbers_digest(const struct sim_numbers *n, uint32_t policy);

#endif
