/* cmd_sim.h - the commands `sim` and `workload`. Each takes its arguments, argv[0] being its name,
 * and returns an exit status. */
#ifndef COMMANDS_SIM_CMD_SIM_H
#define COMMANDS_SIM_CMD_SIM_H

int cmd_sim(int argc, char **argv);
struct sim_given;
/* Simulates a workload that was made from a file of another kind; options override `given`. */
int cmd_sim_of(const struct sim_given *given, int argc, char **argv);
int cmd_workload(int argc, char **argv);

#endif
