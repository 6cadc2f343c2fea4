/* left_work.h - the expected unfinished work of a job: its shortest time, and its volume of the
 * cluster over time.
 *
 * Symbols, as in the paper (DollyMP, section 5), of phase k of a job:
 *
 *     e  effective time of a task: its mean and `spread` deviations (the paper's r, 1.5, which is
 *        missing in the e that it prints)
 *     d  dominant share of the cluster that a task needs
 *     n  tasks that are not done
 *
 * volume = sum of n e d over the unfinished phases, time = sum of e along the longest path of them.
 * A phase with one unfinished task still takes e. */
#pragma once

#include "core/brain/world.h"

struct left_work {
    double volume; /* seconds of the whole cluster */
    double time_s;
    bool declared; /* computed from declared times alone (EXPECTED_DECLARED) */
    double alpha;  /* of the time along that path, as if it were one task (speedup.h) */
};

/* The number of tasks of the phase that must be done before the job is. */
uint32_t left_work_tasks(const struct phase *p);

/* The unfinished work of a job without a lead. For parts that set reads_expected. */
struct left_work left_work_of(const struct world *w, const struct job *j, double spread);
