/* commands.h - the commands of dolly. Each takes its arguments, argv[0] being its name, and returns
 * an exit status. */
#pragma once

int cmd_advise(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_agents(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_go_on(int argc, char **argv); /* `resume` */
int cmd_journal(int argc, char **argv);
int cmd_keeper(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_policies(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_whatif(int argc, char **argv);
int cmd_workload(int argc, char **argv);
