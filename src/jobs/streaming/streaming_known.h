/* streaming_known.h - settings of Hadoop that dolly does not honour: those that would change
 * results are refused; hints and unknown ones are each named once. */
#pragma once

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* Takes a setting that is not honoured; `near` is the name of a similar one that is, or NULL.
 * Returns 0, or -1 with *err if this value would change results. */
int streaming_known_take(struct streaming_args *a, const char *name, const char *value,
                         const char *near, struct err *err);

/* Adds notes about the settings that were taken. */
void streaming_known_tell(struct streaming_args *a);
