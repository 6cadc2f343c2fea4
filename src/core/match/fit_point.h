/* fit_point.h - amounts of resources, rounded to a byte each: sixteen are compared at once.
 *
 * One resource gives a point its column, each of the others a level. A demand that fits has no
 * higher column and no higher level than the free resources, but the converse does not hold. */
#ifndef CORE_MATCH_FIT_POINT_H
#define CORE_MATCH_FIT_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/res.h"

enum {
    FIT_COLUMNS = 128,
    FIT_ROWS = RES_COUNT - 1, /* levels of a point, at most */
    FIT_NOWHERE = UINT8_MAX,  /* no point has this column, ... */
    FIT_NO_LEVEL = UINT8_MAX, /* ... nor this level */
};

/* Amounts are rounded to steps: sixteen to a doubling for the sixteen doublings below the top, and
 * eight for the eight of columns; smaller amounts count as zero. */
struct fit_scale {
    struct res top;   /* no amount exceeds this */
    struct res base;  /* steps that are subtracted */
    int r[RES_COUNT]; /* the resource of the columns, then one for each row of levels */
    uint32_t rows;
};

/* The column and then a level for each row, a byte each. */
struct fit_point {
    uint32_t bytes;
};

/* The column of a point. */
static inline uint8_t fit_point_column(struct fit_point p)
{
    return (uint8_t)p.bytes;
}

/* The level of a point in a row. */
static inline uint8_t fit_point_level(struct fit_point p, uint32_t row)
{
    return (uint8_t)(p.bytes >> (8 * row + 8));
}

/* The scale for amounts up to these. */
struct fit_scale fit_point_scale(const struct res *most);

/* The step of each amount: the exponent of a float and the first four bits after it. It matters
 * only that steps grow with the amount. */
static inline res_vector fit_steps(res_vector v)
{
    typedef float floats __attribute__((vector_size(sizeof v)));
    return (res_vector) __builtin_convertvector(v, floats) >> 19;
}

/* The point of an amount; more than the top counts as the top. Level 0: an amount is negative. */
static inline struct fit_point fit_point_of(const struct fit_scale *s, const struct res *amount)
{
    struct fit_point p = {0};
    res_vector v, top, base;
    memcpy(&v, amount, sizeof v);
    memcpy(&top, &s->top, sizeof top);
    memcpy(&base, &s->base, sizeof base);
    if (res_vector_bits(v < 0))
        return p;
    v ^= (v ^ top) & (v > top); /* the lesser */
    v = fit_steps(v) - base;
    v &= v > 0;
    typedef uint8_t steps __attribute__((vector_size(RES_COUNT)));
    steps bytes = __builtin_convertvector(v, steps);
    uint32_t all;
    memcpy(&all, &bytes, sizeof all);
    p.bytes = (uint8_t)(all >> 8 * s->r[0]);
    for (uint32_t i = 1; i <= s->rows; i++)
        p.bytes |= (uint32_t)(1 + (uint8_t)(all >> 8 * s->r[i])) << 8 * i;
    return p;
}

/* The inverted point: larger amounts become smaller. Level 0 becomes FIT_NO_LEVEL. */
static inline struct fit_point fit_point_turned(struct fit_point p)
{
    return (struct fit_point){(UINT32_MAX << 8 | (FIT_COLUMNS - 1)) - p.bytes};
}

#endif
