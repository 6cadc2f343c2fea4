/* options_refused.h - what GNU parallel has and dolly map does not, and the way to do it. */
#ifndef ARGS_OPTIONS_REFUSED_H
#define ARGS_OPTIONS_REFUSED_H

#include <stdint.h>

#include "base/text.h"

/* Why the option of this name (without dashes) is refused, and what to do instead; NULL when it is
 * not one of these. */
const char *options_refused(const char *name);

/* How many refused options begin like this. The name of the first goes to `found`, what is printed
 * of it to *why, and all the names are appended to `names`. */
uint32_t options_refused_complete(const char *name, struct str *found, const char **why,
                                  struct str *names);

#endif
