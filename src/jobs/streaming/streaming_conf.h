/* streaming_conf.h - reads a file of Hadoop's settings (-conf): each is a <property> with <name>
 * and <value>. */
#pragma once

#include "base/err.h"
#include "jobs/streaming/streaming_args.h"

/* Adds the settings of the file to those of FROM_FILE. Returns 0, or -1 with *err if it cannot be
 * read, or is not such a file. */
int streaming_conf_read(struct streaming_args *a, const char *path, struct err *err);
