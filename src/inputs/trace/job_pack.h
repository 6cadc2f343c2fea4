/* job_pack.h - jobs as bytes, for the spool. */
#ifndef INPUTS_TRACE_JOB_PACK_H
#define INPUTS_TRACE_JOB_PACK_H

#include "inputs/trace/job_fill.h"
#include "inputs/trace/row.h"
#include "inputs/workload/workload.h"

/* Appends the job: its spec (but for spec.id, replicas, past runs and what is expected), its truth
 * (but for commands), and the hosts of each phase's inputs (NULL: none are known). */
void job_pack(const struct workload_job *job, const struct job_hosts *hosts, struct row_bytes *to);

/* The job of such bytes, which must be whole; they may be freed. `fill` adds to it. Free it with
 * workload_job_free. */
struct workload_job *job_pack_read(const char *at, size_t length, const struct job_fill *fill);

#endif
