/* array_spec.h - parses index lists as in Slurm: `0-99%10`, `1-7:2`, `1,3,5-9`. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct array_range {
    int64_t from, step;
    uint64_t count;
};

struct array_spec {
    VEC(struct array_range) ranges;
    uint64_t count;       /* number of all indices */
    int64_t min, max;     /* smallest and largest index */
    int64_t step;         /* step of the first range */
    uint32_t running_max; /* the number after `%`; 0: no limit */
};

/* Parses a list. Returns 0, or -1 with *err. Free with vec_free(&a->ranges), also after a
 * failure. */
int array_spec_parse(struct array_spec *a, const char *text, struct err *err);

/* Returns the i-th index; i < count. */
int64_t array_spec_at(const struct array_spec *a, uint64_t i);
