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

/* The numbers of a run: the name in enum number, in JSON and in tables (NULL: not shown), the
 * format in a table, and where it is measured. Members of a policy's JSON object, in this order;
 * RUN: filled in separately, BUSY_VS_FIRST and IMPROVEMENT by sim_numbers_relate. */
#define SIM_NUMBERS_PLAIN(N)                                                                       \
    N(MEAN_JCT, "mean_jct_s", "mean", FINE, SUMMARY(mean_jct_s))                                   \
    N(P50_JCT, "p50_jct_s", "p50", FINE, SUMMARY(p50_jct_s))                                       \
    N(P95_JCT, "p95_jct_s", "p95", FINE, SUMMARY(p95_jct_s))                                       \
    N(MAKESPAN, "makespan_s", NULL, FINE, SUMMARY(makespan_s))                                     \
    N(ATTEMPTS, "attempts", "attempts", WHOLE, SUMMARY(attempts))                                  \
    N(CLONES, "clones", "clones", WHOLE, SUMMARY(clones))                                          \
    N(BACKUPS, "backups", NULL, WHOLE, SUMMARY(backups))                                           \
    N(RESTARTS, "restarts", NULL, WHOLE, SUMMARY(restarts))                                        \
    N(KILLED, "killed", "killed", WHOLE, SUMMARY(killed))                                          \
    N(BUSY, "busy_slot_s", NULL, FINE, SUMMARY(busy_slot_s))                                       \
    N(CLONE_CAPACITY, "clone_capacity_frac", "extra/cap", SHARE, SUMMARY(clone_capacity_frac))     \
    N(BUSY_VS_FIRST, "busy_vs_first", "busy/first", FINE, RUN)                                     \
    N(LOSER, "loser_frac", NULL, SHARE, SUMMARY(loser_frac))                                       \
    N(MAX_CLONE, "max_clone_frac", NULL, SHARE, SUMMARY(max_clone_frac))                           \
    N(LOAD_ARRIVING, "load_arriving", "load", SHARE, SUMMARY(load_arriving))                       \
    N(LOAD_MEAN, "load_mean", "to end", SHARE, SUMMARY(load_mean))                                 \
    N(LOAD_P50, "load_p50", NULL, SHARE, SUMMARY(load_p50))                                        \
    N(LOAD_HIGH, "load_high_frac", NULL, SHARE, SUMMARY(load_high_frac))                           \
    N(SLOWDOWN_P50, "slowdown_p50", "slow p50", FINE, SUMMARY(slowdown_p50))                       \
    N(SLOWDOWN_P95, "slowdown_p95", "slow p95", FINE, SUMMARY(slowdown_p95))                       \
    N(IMPROVEMENT, "improvement", "improved", SHARE, RUN)                                          \
    N(JOBS_FAILED, "jobs_failed", NULL, WHOLE, SUMMARY(jobs_failed))                               \
    N(EVENTS, "events", NULL, WHOLE, RUN)                                                          \
    N(WALL, "wall_s", NULL, FINE, RUN)                                                             \
    N(RSS, "peak_rss_kib", NULL, WHOLE, RUN)

/* Those of phases, where they are asked for; the first six are filled in by sim_numbers_relate. */
#define SIM_NUMBERS_PHASES(N)                                                                      \
    N(SHORTER_P30, "shorter_p30", "shorter p30", SHARE, GAINS(shorter_p30))                        \
    N(SHORTER_P50, "shorter_p50", "p50", SHARE, GAINS(shorter_p50))                                \
    N(SHORTER_P75, "shorter_p75", "p75", SHARE, GAINS(shorter_p75))                                \
    N(SHORTER_P80, "shorter_p80", "p80", SHARE, GAINS(shorter_p80))                                \
    N(SAVED_P50, "saved_p50", "saved p50", SHARE, GAINS(saved_p50))                                \
    N(SAVED_P75, "saved_p75", "p75", SHARE, GAINS(saved_p75))                                      \
    N(COPIES, "copies_per_task", "copies/task", FINE, FACTS(copies_per_task))                      \
    N(COPIES_WON, "copies_won", "won", SHARE, FACTS(copies_won))                                   \
    N(NOT_RECOMPUTED, "not_recomputed", "untouched", SHARE, FACTS(not_recomputed))

/* With --estimates. */
#define SIM_NUMBERS_ESTIMATES(N)                                                                   \
    N(TREM_REPORTS, "reports", "reports", WHOLE, ESTIMATES(reports))                               \
    N(TREM_P50, "trem_error_p50", "t_rem p50", SHARE, ESTIMATES(trem_p50))                         \
    N(TREM_P90, "trem_error_p90", "p90", SHARE, ESTIMATES(trem_p90))                               \
    N(TREM_MEAN, "trem_error_mean", "mean", SHARE, ESTIMATES(trem_mean))                           \
    N(TNEW_COPIES, "copies", "copies", WHOLE, ESTIMATES(copies))                                   \
    N(TNEW_P50, "tnew_error_p50", "t_new p50", SHARE, ESTIMATES(tnew_p50))                         \
    N(TNEW_P90, "tnew_error_p90", "p90", SHARE, ESTIMATES(tnew_p90))                               \
    N(TNEW_MEAN, "tnew_error_mean", "mean", SHARE, ESTIMATES(tnew_mean))

#define SIM_NUMBERS_NAME(name, ...) NUMBER_##name,

enum number {
    SIM_NUMBERS_PLAIN(SIM_NUMBERS_NAME) NUMBER_PLAIN_END,
    NUMBER_BIN_JOBS = NUMBER_PLAIN_END,
    NUMBER_BIN_MEAN = NUMBER_BIN_JOBS + SUMMARY_BINS,
    NUMBER_RES_CAPACITY = NUMBER_BIN_MEAN + SUMMARY_BINS, /* of each resource */
    NUMBER_RES_BUSY = NUMBER_RES_CAPACITY + RES_COUNT,
    NUMBER_RES_EXTRA = NUMBER_RES_BUSY + RES_COUNT,
    NUMBER_RES_LAST = NUMBER_RES_EXTRA + RES_COUNT - 1,
    SIM_NUMBERS_PHASES(SIM_NUMBERS_NAME) SIM_NUMBERS_ESTIMATES(SIM_NUMBERS_NAME) NUMBER_COUNT,
    NUMBER_PHASES = NUMBER_RES_LAST + 1,
    NUMBER_ESTIMATES = NUMBER_TREM_REPORTS,
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
    bool borrowed; /* it is a copy: the owned fields belong to another, which outlives it */
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
