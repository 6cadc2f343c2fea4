/* sort.h - one stable sort, in memory of base/mem.h. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts `count` elements of `size` bytes; those of which neither is before the other keep their
 * order. `before` gets `ctx` as its last argument. */
void sort_stable(void *at, uint32_t count, size_t size,
                 bool (*before)(const void *a, const void *b, const void *ctx), const void *ctx);

#endif
