/* detail.h - one row per measured job and one per phase of it, and how often
 * each thing was decided for each reason.
 *
 * summary.h has the usual numbers; these rows are for all other questions, such
 * as the distribution over jobs of what one policy gains over another. */
#ifndef STATS_DETAIL_H
#define STATS_DETAIL_H

#include <stdint.h>

#include "base/vec.h"
#include "model/decision.h"
#include "stats/summary.h"

struct detail_job {
    uint32_t id;
    uint64_t tasks;
    uint16_t phases;
    double arrived_s, jct_s; /* jct_s: NaN when the job failed */
    /* Charged for all attempts; for extra ones (see follow.h); for those launched as clones. */
    double slot_s, extra_slot_s, clone_slot_s;
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

/* A choice of omega, see docs/PROTOCOL.md. */
struct detail_omega {
    double at_s, bin, omega_s;
    double alone_s, shared_s, missing; /* what it was chosen on */
};

struct detail; /* the collector */

/* Subscribes. Rows and counts stay when the follow is gone. Destroy with detail_destroy. */
struct detail *detail_create(struct follow *f);
void detail_destroy(struct detail *d); /* NULL is fine */

/* Rows in the order in which jobs ended, phases when their job was done; phases of failed jobs are
 * left out. Borrowed until the next turn or the end of the collector. */
const struct detail_job *detail_jobs(const struct detail *d, uint32_t *count);
const struct detail_phase *detail_phases(const struct detail *d, uint32_t *count);

/* Every choice of omega between the end of the warm-up and the end of the last measured job. */
const struct detail_omega *detail_omegas(const struct detail *d, uint32_t *count);

/* Decisions of a type with a reason (WHY_...), of all jobs, between the end of the warm-up and the
 * end of the last measured job. */
uint64_t detail_decisions(const struct detail *d, enum decision_type type, uint16_t why);

/* Commits of attempts of this kind, of measured jobs. */
uint64_t detail_wins(const struct detail *d, enum launch_kind kind);

/* The largest share of capacity that all attempts of jobs of a bin (1 to SUMMARY_BINS) held at any
 * instant, in the time in which decisions were counted. */
double detail_held_max_frac(const struct detail *d, int bin);

/* The time in which decisions were counted. */
double detail_span_s(const struct detail *d);

#endif
