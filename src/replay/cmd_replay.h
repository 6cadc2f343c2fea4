/* cmd_replay.h - the command `replay`: takes its arguments, argv[0] being its name, and returns an
 * exit status. */
#ifndef REPLAY_CMD_REPLAY_H
#define REPLAY_CMD_REPLAY_H

int cmd_replay(int argc, char **argv);

#endif
