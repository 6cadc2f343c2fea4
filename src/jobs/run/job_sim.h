/* job_sim.h - a data-parallel job as a workload for the simulator
 * (docs/reference/workload-file.md).
 *
 * Bytes are those of its inputs; what a phase leaves is as much as it reads, unless `output` says
 * otherwise. How long tasks take, people know or a journal of an earlier run. */
#ifndef JOBS_RUN_JOB_SIM_H
#define JOBS_RUN_JOB_SIM_H

#include "base/err.h"
#include "base/text.h"
#include "jobs/run/datajob.h"

/* Takes a value of `sim`: time=DIST, journal=FILE or output=SIZE. -1 with *err. */
int job_sim_take(struct datajob_sim *s, const char *pair, struct err *err);

/* Appends the workload to *to. Looks at the inputs, not into them. -1: a phase has no times, or the
 * inputs or a journal cannot be read. */
int job_sim_workload(struct datajob *j, struct str *to, struct err *err);

#endif
