/* record.h - a key and a value, bytes of any kind, and the order of keys.
 *
 * Keys are ordered by their bytes, a key before those that it begins. Comparisons look at the first
 * eight bytes as one number first (the prefix), and at the rest only where these are equal. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Borrowed bytes. */
struct data_record {
    const char *key, *value;
    uint32_t key_length, value_length;
};

enum { RECORD_PREFIX_BYTES = 8 };

/* The first bytes of a key as a number, the first byte highest; shorter keys are padded with
 * zeros. */
static inline uint64_t record_prefix(const char *key, uint32_t length)
{
    uint64_t prefix = 0;

    memcpy(&prefix, key, length < RECORD_PREFIX_BYTES ? length : RECORD_PREFIX_BYTES);
    return __builtin_bswap64(prefix);
}

/* Compares two keys: less than, equal to or greater than 0. */
static inline int record_compare(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    uint32_t common = a_length < b_length ? a_length : b_length;
    int order = common ? memcmp(a, b, common) : 0;

    return order ? order : (a_length > b_length) - (a_length < b_length);
}
