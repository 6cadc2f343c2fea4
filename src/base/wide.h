/* wide.h - products and sums that 64 bits do not hold, also on machines without integers of 128
 * bits. */
#pragma once

#include <stdint.h>

/* A signed number of 128 bits: high * 2^64 + low. */
struct wide {
    uint64_t low;
    int64_t high;
};

#if defined __SIZEOF_INT128__ && !defined WIDE_BY_HALVES
__extension__ typedef unsigned __int128 wide_whole;

/* Returns the low half of a * b, and sets the high one. */
static inline uint64_t wide_product(uint64_t a, uint64_t b, uint64_t *high)
{
    wide_whole product = (wide_whole)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

/* Returns (high * 2^64 + low) / by, for high < by. */
static inline uint64_t wide_quotient(uint64_t high, uint64_t low, uint64_t by)
{
    return (uint64_t)(((wide_whole)high << 64 | low) / by);
}

static inline struct wide wide_times(int64_t a, int64_t b)
{
    wide_whole product = (wide_whole)a * (wide_whole)b;
    return (struct wide){(uint64_t)product, (int64_t)(product >> 64)};
}
#else
static inline uint64_t wide_product(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (uint32_t)middle;
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return a * b;
}

static inline uint64_t wide_quotient(uint64_t high, uint64_t low, uint64_t by)
{
    for (int i = 0; i < 64; i++) {
        int carry = (int)(high >> 63);
        high = high << 1 | low >> 63;
        low <<= 1;
        if (carry || high >= by) {
            high -= by;
            low |= 1;
        }
    }
    return low;
}

static inline struct wide wide_times(int64_t a, int64_t b)
{
    uint64_t high, low = wide_product((uint64_t)a, (uint64_t)b, &high);
    high -= (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return (struct wide){low, (int64_t)high};
}
#endif

static inline void wide_add(struct wide *sum, struct wide more)
{
    uint64_t carry = __builtin_add_overflow(sum->low, more.low, &sum->low);
    sum->high = (int64_t)((uint64_t)sum->high + (uint64_t)more.high + carry);
}

static inline struct wide wide_minus(struct wide a)
{
    uint64_t carry = a.low == 0;
    return (struct wide){-a.low, (int64_t)(~(uint64_t)a.high + carry)};
}

static inline struct wide wide_scale(struct wide a, uint32_t by)
{
    uint64_t high, low = wide_product(a.low, by, &high);
    return (struct wide){low, (int64_t)(high + (uint64_t)a.high * by)};
}

/* Adds a * b. */
static inline void wide_charge(struct wide *sum, int64_t a, int64_t b)
{
    wide_add(sum, wide_times(a, b));
}

/* Returns the nearest double. */
double wide_double(struct wide a);
