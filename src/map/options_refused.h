/* options_refused.h - what GNU parallel has and dolly map does not, with the reason. */
#ifndef MAP_OPTIONS_REFUSED_H
#define MAP_OPTIONS_REFUSED_H

#include <stdint.h>

/* Why the option of this name (without dashes) is refused; NULL when GNU parallel has none. */
const char *options_refused(const char *name);

/* The i-th group: its names, separated by blanks, and the reason; false past the last. */
struct options_group {
    const char *names, *why;
};
const struct options_group *options_refused_groups(uint32_t *count);

#endif
