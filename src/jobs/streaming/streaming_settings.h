/* streaming_settings.h - Hadoop's settings, `-D name=value`: those that apply here are in a table,
 * and commands find all of them in their environment, as with Hadoop. */
#pragma once

#include <stdint.h>

#include "jobs/streaming/streaming_args.h"

/* Takes NAME=VALUE, which must live as long as the arguments. Returns 0, or -1 with *err. */
int streaming_settings_take(struct streaming_args *a, const char *text, struct err *err);

/* Parses `text`, the value of `name`, as a number. Returns 0, or -1 with *err. */
int streaming_settings_count(const char *name, const char *text, int64_t min, int64_t max,
                             int64_t *value, struct err *err);
/* Sets *asked to true if `text` is the class `want`, false if it is `other`, which is the behaviour
 * without it. Returns 0, or -1 with *err for any other class. */
int streaming_settings_class(const char *name, const char *text, const char *want,
                             const char *other, bool *asked, struct err *err);

/* Returns the name of a class without its package. */
const char *streaming_settings_class_of(const char *text);
