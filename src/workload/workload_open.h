/* workload_open.h - a workload by the name that a user gave it. */
#ifndef WORKLOAD_WORKLOAD_OPEN_H
#define WORKLOAD_WORKLOAD_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cluster/cluster.h"
#include "workload/synth.h"
#include "workload/workload.h"

/* The generated workload of this name, or NULL: there is none, or a file of that name stands before
 * it. */
const struct synth_model *workload_model(const char *name);

/* The file of this name or, where there is none, the built-in generator. `again` says that the same
 * name will be opened more than once, which a pipe cannot bear. NULL with *err. Destroy with
 * w->destroy(w). */
struct workload *workload_open(const char *name, const struct cluster *cluster, uint64_t seed,
                               bool again, struct err *err);

/* Reads what --scale says, `load=F`, into a double: for a struct field. 0, or -1 with *err. */
int workload_take_scale(void *load, const char *text, struct err *err);

/* The model with arrivals `load` times as often, kept in *scaled; the model itself for 1. */
const struct synth_model *workload_scale(const struct synth_model *m, double load,
                                         struct synth_model *scaled);

#endif
