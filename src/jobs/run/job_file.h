/* job_file.h - reads a file that describes a data-parallel job (docs/reference/job-file.md). */
#pragma once

#include "base/err.h"
#include "jobs/run/datajob.h"
#include "jobs/run/job_lines.h"

/* Fills a zeroed job, which points into *l; so free *l after it, in both cases. Returns 0, or -1
 * with *err as "file:line: the error, and the expected value". */
int job_file_read(struct datajob *j, struct job_lines *l, const char *path, struct err *err);
