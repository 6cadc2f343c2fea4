/* sort.h - stable sorts, in memory of base/mem.h: of elements of any type, and of whole numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts `count` elements of `size` bytes. Two elements of which neither is before the other keep
 * their order. `before` gets `ctx` as its last argument. */
void sort_stable(void *at, uint32_t count, size_t size,
                 bool (*before)(const void *a, const void *b, const void *ctx), const void *ctx);

struct sort_key {
    uint64_t key;
    uint32_t item; /* the element that has this key */
};

/* Sorts by key in ascending order; equal keys keep their order. Many times as fast as sort_stable
 * for large counts. */
void sort_keys(struct sort_key *at, uint32_t count);
