/* record_form.h - a record as bytes: the lengths of key and value, then both.
 *
 * Lengths are whole numbers in seven bits a byte, the lowest first; all bytes but the last have the
 * eighth bit set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "data/record.h"

enum {
    RECORD_FORM_NUMBER_MAX = 5, /* bytes of the longest number */
    RECORD_FORM_HEAD_MAX = 2 * RECORD_FORM_NUMBER_MAX,
};

/* Writes a number, RECORD_FORM_NUMBER_MAX bytes at most, and returns how many. */
static inline size_t record_form_put(uint8_t *at, uint32_t value)
{
    size_t n = 0;

    while (value >= 0x80) {
        at[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    at[n++] = (uint8_t)value;
    return n;
}

/* Reads a number. Returns the address after it, or NULL if it does not end before `end` or has more
 * than 32 bits. */
static inline const uint8_t *record_form_get(const uint8_t *at, const uint8_t *end, uint32_t *value)
{
    uint64_t all = 0;

    for (unsigned shift = 0; at < end && shift < 7 * RECORD_FORM_NUMBER_MAX; shift += 7) {
        all |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80) {
            *value = (uint32_t)all;
            return all > UINT32_MAX ? NULL : at;
        }
    }
    return NULL;
}

/* Writes both lengths, RECORD_FORM_HEAD_MAX bytes at most, and returns how many. */
static inline size_t record_form_head(uint8_t *at, uint32_t key_length, uint32_t value_length)
{
    size_t n = record_form_put(at, key_length);

    return n + record_form_put(at + n, value_length);
}

/* Writes the record, RECORD_FORM_HEAD_MAX bytes more than key and value at most, and returns the
 * address after it. */
static inline uint8_t *record_form_write(uint8_t *at, const struct data_record *r)
{
    at += record_form_head(at, r->key_length, r->value_length);
    if (r->key_length > 0)
        memcpy(at, r->key, r->key_length);
    if (r->value_length > 0)
        memcpy(at + r->key_length, r->value, r->value_length);
    return at + r->key_length + r->value_length;
}

/* Reads the record that begins at `at`. Returns the address after it, or NULL if it does not end
 * before `end`. */
static inline const uint8_t *record_form_read(const uint8_t *at, const uint8_t *end,
                                              struct data_record *r)
{
    at = record_form_get(at, end, &r->key_length);
    if (at)
        at = record_form_get(at, end, &r->value_length);
    if (!at || (uint64_t)r->key_length + r->value_length > (uint64_t)(end - at))
        return NULL;
    r->key = (const char *)at;
    r->value = r->key + r->key_length;
    return at + r->key_length + r->value_length;
}
