/* counters.h - numbers with names that commands count, as Hadoop's counters: a group, a name, a
 * sum.
 *
 * Those of an attempt are a file: lines GROUP TAB NAME TAB NUMBER, with what would break a line
 * written as a space. */
#ifndef JOBS_TASK_COUNTERS_H
#define JOBS_TASK_COUNTERS_H

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct counter {
    char *group, *name;
    int64_t sum; /* stays where it is rather than to overflow */
};

/* In order of group and name. Zero-initialise; free with counters_fini. */
struct counters {
    VEC(struct counter) at;
};

void counters_fini(struct counters *c);

/* Adds to a counter, which begins at 0. Long names are cut. -1: there are too many counters. */
int counters_add(struct counters *c, const char *group, const char *name, int64_t n);

/* Writes them to a new file, which appears whole or not at all. */
int counters_write(const struct counters *c, const char *path, struct err *err);

/* Adds what a file has. -1: it is not there, or not such a file. */
int counters_read(struct counters *c, const char *path, struct err *err);

#endif
