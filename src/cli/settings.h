/* settings.h - `--set key=value` for several policies at once. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <stdint.h>

#include "base/err.h"

struct policy;

/* Applies "key=value" to every policy that has the key. -1 with *err when the text has no such
 * form, when no part of any policy knows the key (the nearest one is suggested), when none of the
 * chosen policies has it, or when the value is bad. */
int settings_apply(const char *text, struct policy *const *policies, uint32_t count,
                   struct err *err);

#endif
