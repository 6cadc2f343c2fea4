/* names.h - an index from names of nodes, racks or phases to numbers. */
#pragma once

#include <stdint.h>

struct names_entry {
    const char *name; /* NULL: free */
    uint32_t value;
};

/* Zero-initialise; free with names_fini. The names are borrowed. */
struct names {
    struct names_entry *at;
    uint32_t count, cap; /* cap is 0 or a power of two */
};

/* Frees the index and makes it empty. */
void names_fini(struct names *n);

/* Adds a name and returns UINT32_MAX, or returns the value of an equal name that is in the index.
 * The name must keep its address until names_fini; the value is below UINT32_MAX. */
uint32_t names_add(struct names *n, const char *name, uint32_t value);

/* The value of a name, or UINT32_MAX. */
uint32_t names_find(const struct names *n, const char *name);
