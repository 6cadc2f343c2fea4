/* sort.h - stable sorts, in memory of base/mem.h: of anything, and of whole numbers. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts `count` elements of `size` bytes; those of which neither is before the other keep their
 * order. `before` gets `ctx` as its last argument. */
void sort_stable(void *at, uint32_t count, size_t size,
                 bool (*before)(const void *a, const void *b, const void *ctx), const void *ctx);

struct sort_key {
    uint64_t key;
    uint32_t item; /* what it stands for */
};

/* Sorts by key, the least first; equal ones keep their order. Many times as fast as sort_stable
 * where there are many. */
void sort_keys(struct sort_key *at, uint32_t count);

#endif
