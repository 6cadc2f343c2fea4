/* streaming_known.h - settings of Hadoop that dolly does not honour: those that would change
 * results are refused, those that are hints are named once, and those that nobody knows as well. */
#ifndef JOBS_STREAMING_STREAMING_KNOWN_H
#define JOBS_STREAMING_STREAMING_KNOWN_H

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* Takes a setting that is not honoured; `near` is the name of one that is and looks like it, or
 * NULL. Returns -1 with *err if this value would change results. */
int streaming_known_take(struct streaming_args *a, const char *name, const char *value,
                         const char *near, struct err *err);

/* Adds lines about what was taken. */
void streaming_known_tell(struct streaming_args *a);

#endif
