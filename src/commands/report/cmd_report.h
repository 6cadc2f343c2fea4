/* cmd_report.h - the command `report`. Takes its arguments, argv[0] being its name, and returns an
 * exit status. */
#ifndef COMMANDS_REPORT_CMD_REPORT_H
#define COMMANDS_REPORT_CMD_REPORT_H

int cmd_report(int argc, char **argv);

#endif
