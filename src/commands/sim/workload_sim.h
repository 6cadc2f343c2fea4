/* workload_sim.h - the statistics of a generated workload that need a simulation. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "inputs/models/profile.h"

/* Number of jobs measured after 90 min, unless the model sets it. */
enum { WORKLOAD_SIM_JOBS = 3000 };

/* Simulates the rows for which the model has published values: under LATE with blacklisting, with
 * and without stalls, and without mitigation. Appends them. Returns 0, or -1 with *err, also if a
 * published value is not measured (`to` has the values that need no simulation). */
int workload_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                      struct err *err);

/* Appends the rows that such simulations fill, with the published values and no measured ones. */
void workload_sim_published(const struct synth_model *m, struct profile_table *to);
