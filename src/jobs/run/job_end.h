/* job_end.h - a data-parallel job as a command runs it: to its end, and what is said then. */
#ifndef JOBS_RUN_JOB_END_H
#define JOBS_RUN_JOB_END_H

#include "jobs/run/datajob.h"

/* Runs the job, prints what came of it, and returns an exit status. */
int job_end_run(struct datajob *j);

/* The same of one in the folder of its results, whatever stage it is in but DATAJOB_NONE. `json`:
 * what came of it is an object on standard output. */
int job_end_resume(const char *output, bool json);

#endif
