/* cmd_trace.h - the command `trace`: argv[0] is its name; returns an exit status. */
#pragma once

int cmd_trace(int argc, char **argv);
