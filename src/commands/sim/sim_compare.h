/* sim_compare.h - every policy with every seed, in every reading of what is not known. */
#ifndef COMMANDS_SIM_SIM_COMPARE_H
#define COMMANDS_SIM_SIM_COMPARE_H

#include "base/err.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"

/* Runs everything, once for each reading (a->trace.readings; where there is none, once), and fills
 * one of n[SIM_TRACE_READINGS] for each. The caller frees all of them, whatever is returned: 0, or
 * -1 with *err. */
int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err);

#endif
