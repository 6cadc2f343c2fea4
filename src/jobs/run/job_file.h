/* job_file.h - a data-parallel job as people write it (docs/reference/job-file.md). */
#ifndef JOBS_RUN_JOB_FILE_H
#define JOBS_RUN_JOB_FILE_H

#include "base/err.h"
#include "jobs/run/datajob.h"
#include "jobs/run/job_lines.h"

/* Fills a zeroed job, which points into *l; so *l is freed behind it, in both cases. -1 with *err
 * as "file:line: what is wrong, and what would be right". */
int job_file_read(struct datajob *j, struct job_lines *l, const char *path, struct err *err);

#endif
