/* phase_times.h - one record for each phase: its lifetime and its use of resources.
 *
 * Records of two runs with the same seed can be compared phase by phase (phase_facts.h). */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "record/stats/follow.h"

/* How a phase reads others: every task a part of every task above, as reduces do, or each task its
 * own share of the tasks above. */
enum phase_reads { READS_ALL, READS_SHARE, READS_END };

/* Tasks that took more than 1.5 times the median of their phase, and whether a straight line
 * through (input, time) of its tasks predicts them within 20 %. */
enum phase_outliers { OUTLIERS_NONE, OUTLIERS_EXPLAINED, OUTLIERS_SOME, OUTLIERS_UNEXPLAINED };

struct phase_record {
    uint32_t job; /* id: the same under every policy */
    uint16_t phase;
    uint8_t outliers; /* enum phase_outliers; NONE below 5 tasks too: no line to judge by */
    uint32_t tasks;
    uint32_t peak;          /* most attempts at once */
    uint32_t outlier_count; /* of tasks */
    uint32_t recomputes;    /* tasks that were run again because their output was lost */
    uint32_t copies;        /* clones, backups, and starts in place of an attempt killed for it */
    uint32_t copies_won;    /* of those */
    double life_s;          /* from the first launch to the last of the tasks' first commits */
    double slot_s; /* slot-seconds of all attempts, from the decision to launch to the end */
};

struct job_time {
    uint32_t name_hash;
    double jct_s; /* from arrival to the end, with the wrap-up */
};

/* A run so far. Records arrive as jobs end, those of a job in order. */
struct phase_log {
    VEC(struct phase_record) phases; /* of measured jobs that did not fail */
    VEC(struct job_time) jobs;       /* the same jobs */
    VEC(float) outliers;             /* of each outlier: its time / the median of its phase */
    VEC(uint32_t) lost;              /* by node: outputs lost there that had to be made again */
    double cross_bytes[READS_END];   /* read from other racks, by what the reader is */
    double read_bytes;               /* read from other tasks, in all */
};

struct phase_times;

/* Subscribes. The log outlives the follow. Destroy with phase_times_destroy. */
struct phase_times *phase_times_create(struct follow *f);
void phase_times_destroy(struct phase_times *p); /* NULL is fine */

/* Returns the log; borrowed until the next turn. */
const struct phase_log *phase_times_log(const struct phase_times *p);
