/* streaming_commands.h - the values of -mapper, -combiner and -reducer: commands, and classes of
 * Hadoop that correspond to a command. */
#pragma once

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* Returns the command for the value of `option`; NULL with *err if it is a class that cannot be
 * run, or empty. */
const char *streaming_commands_of(const char *option, const char *text, struct err *err);

/* Makes the programs of the commands available in tasks: one that is shipped is called by its name
 * there; one that is not, but is in the current folder, is shipped, with a note. Call once all
 * files are known. Returns 0, or -1 with *err. */
int streaming_commands_ship(struct streaming_args *a, struct err *err);
