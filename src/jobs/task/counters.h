/* counters.h - named numbers that commands count, like Hadoop's counters: a group, a name, a sum.
 *
 * Those of an attempt are a file: lines GROUP TAB NAME TAB NUMBER, with spaces for characters that
 * would break a line. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct counter {
    char *group, *name;
    int64_t sum; /* saturates instead of overflowing */
};

/* The group of dolly's own counters, in Hadoop's words. */
#define COUNTERS_OWN "Map-Reduce Framework"

/* Sorted by group and name. Zero-initialise; free with counters_fini. */
struct counters {
    VEC(struct counter) at;
    uint32_t own; /* number of those in COUNTERS_OWN, which have room of their own */
};

void counters_fini(struct counters *c);

/* Adds to a counter, which begins at 0. Long names are cut. Returns 0, or -1 if there are too many
 * counters. */
int counters_add(struct counters *c, const char *group, const char *name, int64_t n);

/* Writes the counters to a new file, which appears whole or not at all. Returns 0, or -1 with *err.
 */
int counters_write(const struct counters *c, const char *path, struct err *err);

/* Adds the counters of a file. Returns 0, or -1 with *err if it does not exist or is not such a
 * file. */
int counters_read(struct counters *c, const char *path, struct err *err);
