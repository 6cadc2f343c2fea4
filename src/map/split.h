/* split.h - cutting a stream into blocks of whole lines, for --pipe and --pipepart. */
#ifndef MAP_SPLIT_H
#define MAP_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long the first block of these bytes is. A block has `records` lines, or where that is 0, at
 * most `block` bytes, more only if its first line alone is longer. 0 when more bytes are needed to
 * tell, never if `last` says that there are no more and length > 0. */
size_t split_first(const char *at, size_t length, size_t block, uint64_t records, bool last);

#endif
