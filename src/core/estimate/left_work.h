/* left_work.h - what is left of a job, as it is expected: how long it takes at best, and how much
 * of the cluster for how long.
 *
 * Symbols, as in the paper (DollyMP, section 5), of phase k of a job:
 *     e  effective time of a task: its mean and `spread` deviations (the paper's r, 1.5, which is
 *        missing in the e that it prints)
 *     d  dominant share of the cluster that a task needs
 *     n  tasks that are not done
 * volume = sum of n e d over the phases that are left, time = sum of e along the longest path of
 * them. A phase of which one task is left still takes e. */
#ifndef CORE_ESTIMATE_LEFT_WORK_H
#define CORE_ESTIMATE_LEFT_WORK_H

#include "core/brain/world.h"

struct left_work {
    double volume; /* seconds of the whole cluster */
    double time_s;
    bool told;    /* by what was told with the job alone (EXPECTED_TOLD) */
    double alpha; /* of the time along that path, as if it were one task's (speedup.h) */
};

/* Tasks of the phase that are to be done before the job is. */
uint32_t left_work_tasks(const struct phase *p);

/* Of a job that has no lead. For parts that say so (reads_expected). */
struct left_work left_work_of(const struct world *w, const struct job *j, double spread);

#endif
