/* cmd_sim.h - the commands `sim` and `workload`. Each takes its arguments, argv[0] being its name,
 * and returns an exit status. */
#pragma once

int cmd_sim(int argc, char **argv);
struct sim_given;
/* Simulates a workload that was made from a file of another kind; options override `given`. */
int cmd_sim_of(const struct sim_given *given, int argc, char **argv);
int cmd_workload(int argc, char **argv);
