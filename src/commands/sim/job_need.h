/* job_need.h - computes how much of a cluster a stream of jobs would use if none of them had to
 * wait. */
#pragma once

#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

/* Mean use of each resource, in units of struct res: the larger of the mean while jobs arrive, from
 * the first to the last, and of the mean until the last one ends. */
struct job_need {
    double v[RES_COUNT];
};

/* Computes it for all jobs of `w`, each task with the luck of a first attempt in cluster `c`, which
 * is used for its luck alone; all 0 if there are no jobs. */
struct job_need job_need_of(struct workload *w, const struct cluster *c);
