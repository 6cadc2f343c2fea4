/* job_end.h - runs a data-parallel job for a command, and prints its result. */
#pragma once

#include "jobs/run/datajob.h"

/* Runs the job, prints the result, and returns an exit status. */
int job_end_run(struct datajob *j);

/* Resumes a job in the folder of its results, in any stage except DATAJOB_NONE. `json`: prints the
 * result as an object on standard output. */
int job_end_resume(const char *output, bool json);
