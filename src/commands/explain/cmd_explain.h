/* cmd_explain.h - the command `explain`. Takes its arguments, argv[0] being its name, and returns
 * an exit status. */
#ifndef COMMANDS_EXPLAIN_CMD_EXPLAIN_H
#define COMMANDS_EXPLAIN_CMD_EXPLAIN_H

int cmd_explain(int argc, char **argv);

#endif
