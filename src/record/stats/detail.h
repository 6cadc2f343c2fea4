/* detail.h - one row per measured job and one per phase of it, and the number of decisions of each
 * kind for each reason.
 *
 * summary.h has the usual numbers; these rows are for all other questions, such as the distribution
 * over jobs of one policy's gain over another. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "core/model/decision.h"
#include "record/stats/summary.h"

struct detail_job {
    uint32_t job;
    uint64_t tasks;
    uint16_t phases;
    double arrived_s, jct_s; /* jct_s: NaN when the job failed */
    double started_s;        /* its first attempt; NaN when none did */
    /* Charged for all attempts; for extra ones (see follow.h); for those launched as clones. */
    double slot_s, extra_slot_s, clone_slot_s;
    double resource_s[RES_COUNT]; /* for all attempts, of each: cores, MiB or units x seconds */
};

struct detail_phase {
    uint32_t job;
    uint16_t phase;
    uint32_t tasks;
    double took_s;       /* from the first launch to the end of the last winner */
    double median_s;     /* of the tasks' times, from a task's first launch to its winner's end */
    double slowdown;     /* slowest over median time per byte */
    uint32_t stragglers; /* tasks that took more than twice the median time per byte */
    uint32_t outliers;   /* tasks that took more than 1.5 times the median time */
    double read_s;       /* mean over attempts that read of their longest fetch; NaN: none read */
    double read_ratio;   /* the longest of these over their median */
};

/* A choice of omega, see docs/reference/journal.md. */
struct detail_omega {
    double at_s, omega_s;
    uint32_t bin;
    double alone_s, shared_s, missing; /* the numbers of the choice */
};

/* A run so far. Decisions are those of all jobs, and all but rows of jobs and
 * phases and wins is counted between the end of the warm-up and the end of the last measured job.
 */
struct detail_log {
    VEC(struct detail_job) jobs;     /* in the order in which they ended */
    VEC(struct detail_phase) phases; /* of those that did not fail */
    VEC(struct detail_omega) omegas; /* every choice of it */
    uint64_t decisions[DO_TYPE_END][WHY_CODE_END];
    uint64_t wins[LAUNCH_KIND_END]; /* commits of attempts of this kind, of measured jobs */
    /* By bin: the largest share of capacity that all attempts of its jobs held at any instant. */
    double held_max_frac[SUMMARY_BINS];
    struct res_sum most; /* largest capacity of the cluster */
    double span_s;       /* the time in which decisions were counted */
};

struct detail; /* the collector */

/* Subscribes. The log outlives the follow. Destroy with detail_destroy. */
struct detail *detail_create(struct follow *f);
void detail_destroy(struct detail *d); /* NULL is fine */

/* Returns the log; borrowed until the next turn. */
const struct detail_log *detail_log(const struct detail *d);
