/* split.h - pieces of an input, cut between lines. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* The offset of the first line that begins at or after `from`; 0 and `size` count as beginnings.
 * Pieces whose bounds are moved to such offsets have every line once, whole. Returns -1 with *err
 * if the file cannot be read. */
int64_t split_line_start(int fd, const char *path, uint64_t size, uint64_t from, struct err *err);
