/* cmd_replay.h - the commands `replay`, `whatif` and `advise`. Each takes its arguments, argv[0]
 * being its name, and returns an exit status. */
#pragma once

int cmd_replay(int argc, char **argv);
int cmd_whatif(int argc, char **argv);
int cmd_advise(int argc, char **argv);
