/* cmd_sim.h - the commands `sim` and `workload`. Each takes its
 * arguments, argv[0] being its name, and returns an exit status. */
#ifndef COMMANDS_SIM_CMD_SIM_H
#define COMMANDS_SIM_CMD_SIM_H

int cmd_sim(int argc, char **argv);
/* The same of a workload that was made from a file of another kind, which has this name. */
int cmd_sim_of(const char *name, int argc, char **argv);
int cmd_workload(int argc, char **argv);

#endif
