/* sim_run.h - runs simulations: one, several side by side, and all that a comparison needs. */
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

/* Runs everything, once for each reading (a->trace.readings; without any, once), and fills one of
 * n[SIM_TRACE_READINGS] for each. Returns 0, or -1 with *err. The caller frees all of them in both
 * cases. */
int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err);
