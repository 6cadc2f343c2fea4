/* cmd_reproduce.h - the command `reproduce`. Takes its arguments, argv[0] being its name, and
 * returns an exit status. */
#pragma once

int cmd_reproduce(int argc, char **argv);
