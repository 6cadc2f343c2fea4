/* workload_write.h - a job in the words of docs/reference/workload-file.md. */
#ifndef INPUTS_WORKLOAD_WORKLOAD_WRITE_H
#define INPUTS_WORKLOAD_WORKLOAD_WRITE_H

#include "base/text.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"

/* Appends the lines of the job to *to. Reading them gives the same job, but for spec.id and the
 * line number. `cluster` gives the nodes of replicas their names; it may be NULL where there are
 * none. All edges of a phase have one pattern and one slow start, as in the format. */
void workload_write(const struct workload_job *job, const struct cluster *cluster, struct str *to);

#endif
