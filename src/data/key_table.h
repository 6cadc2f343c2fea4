/* key_table.h - values of one key brought together before records are sorted.
 *
 * Who has a function that makes fewer values of many (a combiner) would sort all of them first only
 * to find those of one key. Here they meet in a table, in lines of the processor's cache: a line
 * has a key, and values until it is full; then the function is called for these, and what it gives
 * takes their place. A key that finds no room takes that of another, which leaves. What leaves is
 * handed on as records like any other, so no result depends on what meets here. Values of a key
 * leave in the order in which they came. */
#ifndef DATA_KEY_TABLE_H
#define DATA_KEY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/record.h"

/* Values of one key, to be asked for with key_table_next. */
struct key_table_values {
    const uint8_t *at, *end;
};

/* Both return -1 with *err. */
struct key_table_calls {
    /* Hands what is to take the place of the values to key_table_add. */
    int (*combine)(void *ctx, const char *key, uint32_t key_length, struct key_table_values values,
                   struct err *err);
    /* Takes a record that leaves. */
    int (*leave)(void *ctx, const struct data_record *r, struct err *err);
    void *ctx;
};

struct key_table;

/* A table that grows up to `memory` bytes. */
struct key_table *key_table_create(uint64_t memory, const struct key_table_calls *calls);
void key_table_destroy(struct key_table *g); /* NULL is fine */

/* Copies the record. -1: a call has said so. Within `combine` nothing is called. */
int key_table_add(struct key_table *g, const struct data_record *r, struct err *err);

/* All that is there leaves. */
int key_table_flush(struct key_table *g, struct err *err);

/* False: there are no more. */
bool key_table_next(struct key_table_values *v, const char **value, uint32_t *length);

#endif
