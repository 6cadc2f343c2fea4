/* cmd_watch.h - the commands that follow a run while it is running. Each takes its arguments,
 * argv[0] being its name, and returns an exit status. */
#ifndef COMMANDS_WATCH_CMD_WATCH_H
#define COMMANDS_WATCH_CMD_WATCH_H

int cmd_top(int argc, char **argv);
int cmd_watch(int argc, char **argv);

#endif
