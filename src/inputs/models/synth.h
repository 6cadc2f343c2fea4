/* synth.h - generated workloads: jobs without end whose statistics are those that papers published
 * about clusters whose traces are private. docs/reference/workload-models.md describes them. */
#ifndef INPUTS_MODELS_SYNTH_H
#define INPUTS_MODELS_SYNTH_H

#include <stdint.h>

#include "inputs/cluster/cluster.h"
#include "inputs/models/synth_model.h"
#include "inputs/workload/workload.h"

/* The model of this name, or NULL. The names are those of the table synth_model_table. */
const struct synth_model *synth_find(const char *name);

/* An endless stream of its jobs: it ends only by workload_close. The same
 * seed gives the same jobs. Borrows the model. Destroy with w->destroy(w). */
struct workload *synth_create(const struct synth_model *m, uint64_t seed);

/* The cluster that the model was fitted on, with its luck. NULL with *err where it is a file that
 * cannot be read. Destroy with cluster_destroy. */
struct cluster *synth_cluster(const struct synth_model *m, struct err *err);

/* What the model's file says is published about the statistic `id`, or NULL. */
const struct synth_published *synth_published(const struct synth_model *m, const char *id);

#endif
