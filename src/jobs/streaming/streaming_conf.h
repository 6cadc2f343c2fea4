/* streaming_conf.h - a file of Hadoop's settings, as -conf has it: each is a <property> with <name>
 * and <value>. */
#ifndef JOBS_STREAMING_STREAMING_CONF_H
#define JOBS_STREAMING_STREAMING_CONF_H

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* Adds its settings to those of FROM_FILE. -1: it cannot be read, or is not such a file. */
int streaming_conf_read(struct streaming_args *a, const char *path, struct err *err);

#endif
