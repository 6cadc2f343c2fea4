/* key_table.h - values of one key brought together before records are sorted.
 *
 * A combiner, which makes fewer values of many, would need all records sorted first only to find
 * those of one key. Here they meet in a table, in lines of the processor's cache: a line has a key,
 * and values until it is full; then the combiner is called for these, and its results replace them.
 * A key that finds no room replaces another, which leaves. Values that leave are handed on as
 * records like any other, so no result depends on what meets here. Values of a key leave in the
 * order in which they were added. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/record.h"

/* The values of one key, for iteration with key_table_next. */
struct key_table_values {
    const uint8_t *at, *end;
};

/* Both return -1 with *err. */
struct key_table_calls {
    /* Hands the values that replace these to key_table_add. */
    int (*combine)(void *ctx, const char *key, uint32_t key_length, struct key_table_values values,
                   struct err *err);
    /* Takes a record that leaves. */
    int (*leave)(void *ctx, const struct data_record *r, struct err *err);
    void *ctx;
};

struct key_table;

/* Creates a table that grows up to `memory` bytes. */
struct key_table *key_table_create(uint64_t memory, const struct key_table_calls *calls);
void key_table_destroy(struct key_table *g); /* NULL is fine */

/* Adds a copy of the record. Returns -1 with *err if a callback failed. Within `combine` no
 * callback is called. */
int key_table_add(struct key_table *g, const struct data_record *r, struct err *err);

/* Hands on all records. Returns -1 with *err if a callback failed. */
int key_table_flush(struct key_table *g, struct err *err);

/* Sets *value to the next value; returns false if there are no more. */
bool key_table_next(struct key_table_values *v, const char **value, uint32_t *length);
