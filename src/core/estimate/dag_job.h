/* dag_job.h - a job of the world as the plans of dag_plan.h see it: shares of the whole cluster,
 * and expected times. For parts that set reads_expected. */
#pragma once

#include "core/brain/world.h"
#include "core/estimate/dag_plan.h"

struct dag_job {
    struct dag_phase *phases; /* owned, one for each phase of the job */
    uint16_t *parents;
};

/* Describes the whole job, as if nothing had started. Free with dag_job_free. */
struct dag_job dag_job_whole(const struct world *w, const struct job *j);

/* Describes the unfinished part of the job. Free with dag_job_free. */
struct dag_job dag_job_left(const struct world *w, const struct job *j);

void dag_job_free(struct dag_job *d);

/* The number of tasks of the phase that have not started. */
uint32_t dag_job_waiting(const struct phase *p);
