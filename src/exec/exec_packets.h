/* exec_packets.h - reports of runners: checks each, and passes it to the file that it concerns. */
#pragma once

#include "exec/exec_runner.h"

/* Takes the reports of all runners. */
extern const struct runner_options exec_packets;
