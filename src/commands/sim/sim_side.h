/* sim_side.h - runs simulations side by side, each in a process of its own. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"

/* One simulation: as sim_run_once has it. */
struct sim_side_run {
    uint32_t policy, seed;
    struct sim_run *run; /* to be filled */
};

/* Runs `count` simulations, at most `at_once` of them at the same time, and draws their progress.
 * The results do not depend on at_once. Call only if neither statistics of phases nor details are
 * asked for: they stay in the memory of their process. Returns 0, or -1 with the *err of the first
 * simulation, in the order of `runs`, that failed; or of an interrupt. No process is left behind in
 * either case, nor if this one is killed. */
int sim_side_runs(const struct sim_args *a, const struct sim_side_run *runs, uint32_t count,
                  uint32_t at_once, struct err *err);
