/* commands.h - the small commands. Each takes its arguments, argv[0] being its name, and returns an
 * exit status. */
#pragma once

int cmd_policies(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_journal(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_agents(int argc, char **argv);
int cmd_go_on(int argc, char **argv);
int cmd_keeper(int argc, char **argv);
int cmd_sim_job(int argc, char **argv); /* `sim`, with a job file if one is given */
