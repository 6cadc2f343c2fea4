/* lookup.h - a hash table from 64-bit keys to 32-bit numbers. It cannot be iterated, so its order
 * does not matter. */
#pragma once

#include <stdint.h>

#define LOOKUP_NONE UINT32_MAX /* not a value that can be stored */

struct lookup_cell {
    uint64_t key;
    uint32_t value; /* LOOKUP_NONE: free */
};

/* Zero-initialise; free with lookup_fini. */
struct lookup {
    struct lookup_cell *cells;
    uint32_t count, cap;
};

/* The value of a key, or LOOKUP_NONE. */
uint32_t lookup_get(const struct lookup *t, uint64_t key);

/* Adds the key or replaces its value. */
void lookup_put(struct lookup *t, uint64_t key, uint32_t value);

/* Removes the key; does nothing if it is not in the table. */
void lookup_remove(struct lookup *t, uint64_t key);

void lookup_fini(struct lookup *t);
