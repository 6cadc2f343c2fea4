/* synth.h - generated workloads: jobs without end whose statistics are those that papers published
 * about clusters whose traces are private. docs/reference/workload-models.md describes them. */
#pragma once

#include <stdint.h>

#include "inputs/cluster/cluster.h"
#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* The model of this name in synth_model_table, or NULL. */
const struct synth_model *synth_find(const char *name);

/* Creates an endless stream of the model's jobs: it ends only by workload_close. The same seed
 * gives the same jobs. Borrows the model. Destroy with w->destroy(w). */
struct workload *synth_create(const struct synth_model *m, uint64_t seed);

/* Creates the cluster on which the model was fitted, with its luck. Returns NULL with *err if its
 * file cannot be read. Destroy with cluster_destroy. */
struct cluster *synth_cluster(const struct synth_model *m, struct err *err);

/* The published value of the statistic `id` in the model's file, or NULL. */
const struct synth_published *synth_published(const struct synth_model *m, const char *id);
