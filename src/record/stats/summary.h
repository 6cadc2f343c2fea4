/* summary.h - the results and costs of one run of one policy, in a few numbers. */
#pragma once

#include <stdint.h>

#include "core/model/res.h"
#include "record/stats/follow.h"

enum { SUMMARY_BINS = 5, SUMMARY_LOADS = 101 };

struct summary; /* the collector */

/* Subscribes. The result outlives the follow. Destroy with summary_destroy. */
struct summary *summary_create(struct follow *f);
void summary_destroy(struct summary *s); /* NULL is fine */

/* Times in seconds; slot-seconds count slots of all kinds (RES_SLOT of cpu = one slot). Shares of
 * capacity are dominant ones: of the resource of which the share is largest. DESIGN calls these the
 * fields of `dolly sim --json`. Jobs, attempts and their use are those of measured jobs; the
 * two shares of capacity count all jobs from the first submission (or the end of the warm-up) to
 * the last turn. NaN where there is nothing to measure, e.g. the mean of no jobs. */
struct summary_result {
    uint64_t jobs, jobs_failed,
        tasks; /* measured jobs that ended, failed ones too; tasks of those */
    double mean_jct_s, p50_jct_s,
        p95_jct_s; /* of jobs that did not fail: arrival to end + wrapup */
    struct {
        uint64_t jobs; /* that did not fail */
        double mean_jct_s, healthy_jct_s;
    } bins[SUMMARY_BINS];
    /* The mean had every task slower than its phase's median gone at the median rate: what there is
     * to gain. */
    double healthy_jct_s;
    double makespan_s; /* from the first arrival to the last end */
    uint64_t attempts, clones, backups, restarts,
        killed;                 /* launches decided, by kind; killed = confirmed */
    double busy_slot_s;         /* charged from the decision to launch to the end, all attempts */
    double clone_capacity_frac; /* what extra attempts used / (capacity x window) */
    double loser_frac; /* what attempts used that did not win / winners; of the busiest resource */
    struct summary_resource {
        double capacity; /* of the cluster, at most: cores, MiB, units */
        double busy_s;   /* used of it by all attempts of measured jobs, in these x seconds */
        double extra_s;  /* by extra attempts of all jobs, as clone_capacity_frac counts them */
    } resources[RES_COUNT];
    double max_clone_frac; /* largest share of capacity held by extra attempts at any instant */
    double slowdown_p50,
        slowdown_p95; /* of phases: slowest / median time per byte, from a task's first launch */
    double small_slowdown_p50, small_slowdown_mean; /* the same of jobs in the first bin */
    /* Utilisation by all jobs: its mean until the last measured job arrived, and until it ended;
     * its median over time, share of time at >= 50 %. */
    double load_arriving, load_mean, load_p50, load_high_frac;
};
struct summary_result summary_result(struct summary *s);
