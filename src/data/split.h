/* split.h - pieces of an input, cut between lines. */
#ifndef DATA_SPLIT_H
#define DATA_SPLIT_H

#include <stdint.h>

#include "base/err.h"

/* Where the first line begins that begins at `from` or behind it: 0 and `size` are such places.
 * So pieces whose bounds are moved there have every line once, whole. -1: it cannot be read. */
int64_t split_line_start(int fd, const char *path, uint64_t size, uint64_t from, struct err *err);

#endif
