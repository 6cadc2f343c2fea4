/* job_sim.h - a data-parallel job as a workload for the simulator
 * (docs/reference/workload-file.md).
 *
 * Bytes are those of its inputs; the output of a phase is as large as its input, unless `output` is
 * set. The durations of tasks are given by the user or by a journal of an earlier run. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "jobs/run/datajob.h"

/* Takes a value of `sim`: time=DIST, journal=FILE or output=SIZE. Returns 0, or -1 with *err. */
int job_sim_take(struct datajob_sim *s, const char *pair, struct err *err);

/* Appends the workload to *to. Reads the sizes of the inputs, not their contents. Returns 0, or -1
 * with *err if a phase has no durations, or the inputs or a journal cannot be read. */
int job_sim_workload(struct datajob *j, struct str *to, struct err *err);
