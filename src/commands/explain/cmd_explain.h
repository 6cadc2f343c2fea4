/* cmd_explain.h - the command `explain`. Takes its arguments, argv[0] being its name, and returns
 * an exit status. */
#pragma once

int cmd_explain(int argc, char **argv);
