/* key_order.h - orders of keys other than that of their bytes, written as for sort(1) and Hadoop's
 * KeyFieldBased classes: -k POS1[,POS2], with n for numbers and r for the reverse.
 *
 * Sorting and merging do not know it: a key is rewritten so that the order of its new bytes is the
 * order wanted, and the record has the rewritten key. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A range of bytes of a key. Fields and their bytes count from 1; a last byte of 0 is the last. */
struct key_order_term {
    uint32_t field, byte, last_field, last_byte; /* last_field 0: the last one */
    bool number, reverse;
};

/* Zero-initialise; free with vec_free(&o.terms). */
struct key_order {
    VEC(struct key_order_term) terms; /* the first matters most */
    const char *separator;            /* between fields; a character or more */
    bool as_hadoop;                   /* how numbers are compared; else as by sort(1) */
};

/* Parses `-k2,2nr -k1` and the like; without any -k the whole key counts. Borrows the separator.
 * Returns -1 with *err. */
int key_order_parse(struct key_order *o, const char *text, const char *separator, struct err *err);

/* A rewritten key. */
struct key_order_text {
    VEC(char) at;
};

/* Rewrites the key into *to, over its earlier contents. */
void key_order_write(const struct key_order *o, const char *key, uint32_t length,
                     struct key_order_text *to);
