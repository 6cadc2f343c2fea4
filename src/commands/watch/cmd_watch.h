/* cmd_watch.h - the commands that follow a run while it is running. Each takes its arguments,
 * argv[0] being its name, and returns an exit status. */
#pragma once

int cmd_top(int argc, char **argv);
int cmd_watch(int argc, char **argv);
