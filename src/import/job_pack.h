/* job_pack.h - jobs as bytes, for the spool. */
#ifndef IMPORT_JOB_PACK_H
#define IMPORT_JOB_PACK_H

#include "import/job_fill.h"
#include "import/row.h"
#include "workload/workload.h"

/* Appends the job: its spec (but for spec.id, replicas, past runs and what is expected), its truth
 * (but for commands), and the hosts of each phase's inputs (NULL: none are known). */
void job_pack(const struct workload_job *job, const struct job_hosts *hosts, struct row_bytes *to);

/* The job of such bytes, which must be whole; they may be freed. `fill` adds to it. Free it with
 * workload_job_free. */
struct workload_job *job_pack_read(const char *at, size_t length, const struct job_fill *fill);

#endif
