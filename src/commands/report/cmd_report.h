/* cmd_report.h - the command `report`. Takes its arguments, argv[0] being its name, and returns an
 * exit status. */
#pragma once

int cmd_report(int argc, char **argv);
