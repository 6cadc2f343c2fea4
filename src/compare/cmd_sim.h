/* cmd_sim.h - the commands `sim` and `workload`. Each takes its
 * arguments, argv[0] being its name, and returns an exit status. */
#ifndef COMPARE_CMD_SIM_H
#define COMPARE_CMD_SIM_H

int cmd_sim(int argc, char **argv);
int cmd_workload(int argc, char **argv);

#endif
