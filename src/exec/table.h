/* table.h - a hash table from 64-bit keys to 32-bit numbers. Nobody iterates it, so its order is no
 * one's concern. */
#ifndef EXEC_TABLE_H
#define EXEC_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX /* not a value that can be stored */

struct table_cell {
    uint64_t key;
    uint32_t value; /* TABLE_NONE: free */
};

/* Zero-initialise; free with table_fini. */
struct table {
    struct table_cell *cells;
    uint32_t count, cap;
};

/* The value of a key, or TABLE_NONE. */
uint32_t table_get(const struct table *t, uint64_t key);

/* Adds the key or replaces its value. */
void table_put(struct table *t, uint64_t key, uint32_t value);

/* Takes the key out; no matter if it is not there. */
void table_remove(struct table *t, uint64_t key);

void table_fini(struct table *t);

#endif
