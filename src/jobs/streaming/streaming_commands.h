/* streaming_commands.h - what -mapper, -combiner and -reducer name: commands, and classes of Hadoop
 * that are as good as one. */
#ifndef JOBS_STREAMING_STREAMING_COMMANDS_H
#define JOBS_STREAMING_STREAMING_COMMANDS_H

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* The command for what `option` names; NULL with *err: it is a class that cannot be run, or no
 * text. */
const char *streaming_commands_of(const char *option, const char *text, struct err *err);

/* Has commands find their program, once all files are known: one that is shipped goes by its name
 * there, and one that is not, but lies where dolly was started, is shipped, which is noted. -1 with
 * *err. */
int streaming_commands_ship(struct streaming_args *a, struct err *err);

#endif
