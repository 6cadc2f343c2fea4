/* job_pack.h - jobs as bytes, for the spool. */
#pragma once

#include "inputs/trace/job_fill.h"
#include "inputs/trace/row.h"
#include "inputs/workload/workload.h"

/* Appends the job: its spec (except spec.id, replicas, past runs and expected times), its truth
 * (except commands), and the hosts of each phase's inputs (NULL: none are known). */
void job_pack(const struct workload_job *job, const struct job_hosts *hosts, struct row_bytes *to);

/* Reads the job of such bytes, which must be complete and may be freed afterwards; applies `fill`
 * to it. Free with workload_job_free. */
struct workload_job *job_pack_read(const char *at, size_t length, const struct job_fill *fill);
