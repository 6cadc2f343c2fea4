/* cluster_write.h - a cluster in the words of docs/reference/cluster-file.md. */
#ifndef INPUTS_CLUSTER_CLUSTER_WRITE_H
#define INPUTS_CLUSTER_CLUSTER_WRITE_H

#include "base/text.h"
#include "inputs/cluster/cluster.h"

/* Appends lines that cluster_file_read makes the same cluster of, with the same indices. */
void cluster_write(const struct cluster *c, struct str *to);

#endif
