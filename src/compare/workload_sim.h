/* workload_sim.h - the statistics of a generated workload that need a simulation. */
#ifndef COMPARE_WORKLOAD_SIM_H
#define COMPARE_WORKLOAD_SIM_H

#include <stdint.h>

#include "base/err.h"
#include "workload/profile.h"

enum { WORKLOAD_SIM_JOBS = 3000 }; /* that are measured, after the usual warm-up */

/* Runs the workload under LATE with blacklisting, with and without stalls, and appends the rows. -1
 * with *err. */
int workload_sim_rows(const struct synth_model *m, uint64_t seed, struct profile_table *to,
                      struct err *err);

#endif
