/* workload_sim.h - the statistics of a generated workload that need a simulation. */
#ifndef COMMANDS_SIM_WORKLOAD_SIM_H
#define COMMANDS_SIM_WORKLOAD_SIM_H

#include <stdint.h>

#include "base/err.h"
#include "inputs/models/profile.h"

enum { WORKLOAD_SIM_JOBS = 3000 }; /* that are measured after 90 min, if the model has no say */

/* Simulates what the rows need of which something is published about the model: under LATE with
 * blacklisting, with and without stalls, and without mitigation. Appends them. -1 with *err, also
 * for what is published and not measured (`to` has what needs no simulation). */
int workload_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                      struct err *err);

#endif
