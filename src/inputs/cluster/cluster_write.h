/* cluster_write.h - writes a cluster in the format of docs/reference/cluster-file.md. */
#ifndef INPUTS_CLUSTER_CLUSTER_WRITE_H
#define INPUTS_CLUSTER_CLUSTER_WRITE_H

#include "base/text.h"
#include "inputs/cluster/cluster.h"

/* Appends lines from which cluster_file_read makes the same cluster, with the same indices. */
void cluster_write(const struct cluster *c, struct str *to);

#endif
