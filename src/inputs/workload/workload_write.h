/* workload_write.h - writes a job in the format of docs/reference/workload-file.md. */
#pragma once

#include "base/text.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

/* Appends the lines of the job to *to. Reading them gives the same job, except for spec.id and the
 * line number. `cluster` gives the nodes of replicas their names; it may be NULL if there are none.
 * All edges of a phase must have one pattern and one slow start, as in the format. */
void workload_write(const struct workload_job *job, const struct cluster *cluster, struct str *to);
