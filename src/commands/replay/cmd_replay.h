/* cmd_replay.h - the commands `replay`, `whatif` and `advise`. Each takes its arguments, argv[0]
 * being its name, and returns an exit status. */
#ifndef COMMANDS_REPLAY_CMD_REPLAY_H
#define COMMANDS_REPLAY_CMD_REPLAY_H

int cmd_replay(int argc, char **argv);
int cmd_whatif(int argc, char **argv);
int cmd_advise(int argc, char **argv);

#endif
