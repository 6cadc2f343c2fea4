/* cmd_trace.h - the command `trace`: argv[0] is its name; returns an exit status. */
#ifndef COMMANDS_TRACE_CMD_TRACE_H
#define COMMANDS_TRACE_CMD_TRACE_H

int cmd_trace(int argc, char **argv);

#endif
