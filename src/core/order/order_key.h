/* order_key.h - keys of the seam `order` from numbers of any size. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "core/brain/seam.h"

/* Converts `x` >= 0 to a whole number below 2^bits that rises with it: the first bits of a double
 * are ordered like their numbers, exponents first. With 60 bits the keys of two numbers differ if
 * these differ by 2^-48 of themselves. */
static inline int64_t order_key(double x, int bits)
{
    uint64_t whole;
    memcpy(&whole, &x, sizeof whole);
    return x > 0 ? (int64_t)(whole >> (63 - bits)) : 0; /* not a number: 0 */
}
