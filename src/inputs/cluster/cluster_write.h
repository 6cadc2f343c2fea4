/* cluster_write.h - writes a cluster in the format of docs/reference/cluster-file.md. */
#pragma once

#include "base/text.h"
#include "inputs/cluster/cluster.h"

/* Appends lines from which cluster_file_read makes the same cluster, with the same indices. */
void cluster_write(const struct cluster *c, struct str *to);
