/* cmd_reproduce.h - the command `reproduce`. Takes its arguments, argv[0] being its name, and
 * returns an exit status. */
#ifndef COMMANDS_REPRODUCE_CMD_REPRODUCE_H
#define COMMANDS_REPRODUCE_CMD_REPRODUCE_H

int cmd_reproduce(int argc, char **argv);

#endif
