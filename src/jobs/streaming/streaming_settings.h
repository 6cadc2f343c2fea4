/* streaming_settings.h - Hadoop's settings, `-D name=value`: those that mean something here are in
 * a table, and commands find all of them in their environment, as they do under Hadoop. */
#ifndef JOBS_STREAMING_STREAMING_SETTINGS_H
#define JOBS_STREAMING_STREAMING_SETTINGS_H

#include <stdint.h>

#include "jobs/streaming/streaming_args.h"

/* Takes NAME=VALUE, which has to live as long as the arguments. -1 with *err. */
int streaming_settings_take(struct streaming_args *a, const char *text, struct err *err);

/* What `text`, the value of `name`, is as a setting of its kind. -1 with *err. */
int streaming_settings_count(const char *name, const char *text, int64_t min, int64_t max,
                             int64_t *value, struct err *err);
/* Only this class is supported, or `other`, which is what is done without it; *asked: it is the
 * first. */
int streaming_settings_class(const char *name, const char *text, const char *want,
                             const char *other, bool *asked, struct err *err);

/* The name of a class without its package. */
const char *streaming_settings_class_of(const char *text);

#endif
