/* phase_facts.h - statistics over the phases of a run, and of two runs phase by phase. */
#pragma once

#include "record/stats/phase_times.h"

/* Of one run. Shares are 0..1; NaN where there is nothing to measure. */
struct phase_facts {
    double waves_p50;        /* tasks / most attempts at once, median over phases */
    double outlier_phases;   /* phases with more than 15 % outliers */
    double outlier_plural;   /* the same, of phases of two tasks or more */
    double outliers_below;   /* outliers below 2.5 times the median of their phase */
    double outliers_far;     /* above 10 times */
    double outliers_max;     /* the farthest: its time over the median */
    double explained;        /* of phases with outliers: all follow from the input */
    double unexplained;      /* ... none does */
    double not_recomputed;   /* phases none of whose tasks had to be run again for a lost output */
    double lost_on_worst;    /* of those losses, the share of the worst 5 % of nodes */
    double cross_reduce;     /* of bytes from other racks: read by readers of whole phases */
    double repeat_variation; /* stdev / mean of times of jobs of one name, median over names */
    double short_jobs;       /* jobs of less than two hours */
    double copies_per_task;  /* copies / tasks, mean over phases */
    double copies_won;       /* share of all copies */
};
struct phase_facts phase_facts(const struct phase_log *log);

/* One run compared with another one with the same jobs. Each phase is weighted by its lifetime in
 * the other one. Reductions are (other - this) / other; negative: longer, more. */
struct phase_gains {
    double shorter_p30, shorter_p50, shorter_p75, shorter_p80; /* lifetimes */
    double saved_p50, saved_p75;                               /* slot-seconds */
};
struct phase_gains phase_facts_gains(const struct phase_log *log, const struct phase_log *other);
