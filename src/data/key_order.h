/* key_order.h - another order of keys than that of their bytes, told as sort(1) and Hadoop's
 * KeyFieldBased classes have it: -k POS1[,POS2], with n for numbers and r for the reverse.
 *
 * Nothing that sorts or merges knows of it: a key is written down once more, so that the order of
 * the bytes of that is the order wanted, and the record has this for its key. */
#ifndef DATA_KEY_ORDER_H
#define DATA_KEY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Some of the bytes of a key. Fields and their bytes count from 1; a last byte of 0 is the last. */
struct key_order_part {
    uint32_t field, byte, last_field, last_byte; /* last_field 0: the last one */
    bool number, reverse;
};

/* Zero-initialise. */
struct key_order {
    VEC(struct key_order_part) parts; /* the first matters most */
    const char *separator;            /* between fields; a character or more */
    bool as_hadoop;                   /* how numbers are compared; else as by sort(1) */
};

/* Reads `-k2,2nr -k1` and the like; "" and what has no -k are about the whole key. The separator is
 * borrowed. -1 with *err. */
int key_order_parse(struct key_order *o, const char *text, const char *separator, struct err *err);
void key_order_fini(struct key_order *o);

/* A key as it was written down. */
struct key_order_text {
    VEC(char) at;
};

/* Writes the key down, over what was there. */
void key_order_write(const struct key_order *o, const char *key, uint32_t length,
                     struct key_order_text *to);

#endif
