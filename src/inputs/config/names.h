/* names.h - an index from names to numbers: which node, rack or phase is called so. */
#ifndef INPUTS_CONFIG_NAMES_H
#define INPUTS_CONFIG_NAMES_H

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

void names_fini(struct names *n); /* leaves an empty index that can be used again */

/* Adds a name and returns UINT32_MAX, or returns the value of the one that is there already. The
 * name must stay at its address until names_fini; the value is below UINT32_MAX. */
uint32_t names_add(struct names *n, const char *name, uint32_t value);

/* The value of a name, or UINT32_MAX. */
uint32_t names_find(const struct names *n, const char *name);

#endif
