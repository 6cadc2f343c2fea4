/* job_end.h - a data-parallel job as a command runs it: to its end, and what is said then. */
#ifndef DATAJOB_JOB_END_H
#define DATAJOB_JOB_END_H

#include "datajob/datajob.h"

/* Runs the job, prints what came of it, and returns an exit status. */
int job_end_run(struct datajob *j, void (*note)(void *ctx, const char *text));

#endif
