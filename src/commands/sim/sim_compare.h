/* sim_compare.h - runs every policy with every seed, in every reading of unknown durations. */
#pragma once

#include "base/err.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"

/* Runs everything, once for each reading (a->trace.readings; without any, once), and fills one of
 * n[SIM_TRACE_READINGS] for each. Returns 0, or -1 with *err. The caller frees all of them in both
 * cases. */
int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err);
