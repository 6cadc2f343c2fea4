/* sim_run.h - runs one simulation: one policy, one seed. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"
#include "ui/bar.h"

/* Simulates policy `p` with the k-th seed (beyond the last policy: the baseline in the world of a
 * yardstick, without a journal) and fills *run, except its relative fields. Returns 0, or -1 with
 * *err if the workload or journal cannot be opened (input), or the run was broken off (system),
 * also by an interrupt. */
int sim_run_once(const struct sim_args *a, uint32_t p, uint32_t k, struct bar *bar,
                 struct sim_run *run, struct err *err);
