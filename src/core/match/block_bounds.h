/* block_bounds.h - amounts of resources rounded to points, points in blocks of 64, and bounds of
 * blocks: a search for the points below another one that reads few of them.
 *
 * Points. Amounts are rounded to a byte each, and sixteen are compared at once. One resource gives
 * a point its column, each of the others a level. A demand that fits has no higher column and no
 * higher level than the free resources, but the converse does not hold.
 *
 * Bounds. A bound of a block has, for each column, the least level of the points in that column or
 * before it. So it does not promise the cpu of one member and the memory of another. The bounds of
 * all blocks are stored side by side for each column: a search compares sixteen blocks at once and
 * inspects few. Bounds take in new points at once, and removed points late: when a column has
 * promised a point in vain, and then for that column alone. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "core/model/res.h"

/* ---- points ---- */

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
struct fit_scale block_bounds_scale(const struct res *most);

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

/* ---- blocks ---- */

enum { FIT_BLOCK = 64, FIT_BYTES = 16 /* compared at once */ };

/* Slots without a point are FIT_NOWHERE. */
struct fit_block {
    uint8_t column[FIT_BLOCK];
    uint8_t level[FIT_ROWS][FIT_BLOCK];
};

/* Sets the point of a slot. */
static inline void fit_block_put(struct fit_block *b, uint32_t rows, uint32_t slot,
                                 struct fit_point p)
{
    b->column[slot] = fit_point_column(p);
    for (uint32_t row = 0; row < rows && row < FIT_ROWS; row++)
        b->level[row][slot] = fit_point_level(p, row);
}

/* The point of a slot. */
static inline struct fit_point fit_block_at(const struct fit_block *b, uint32_t rows, uint32_t slot)
{
    struct fit_point p = {b->column[slot]};
    for (uint32_t row = 0; row < rows; row++)
        p.bytes |= (uint32_t)b->level[row][slot] << (8 * row + 8);
    return p;
}

typedef uint8_t fit_bytes __attribute__((vector_size(FIT_BYTES)));

/* Returns a bit for each byte that is at most `most`. */
static inline uint32_t fit_bytes_within(const uint8_t *bytes, uint8_t most)
{
    fit_bytes v;
    memcpy(&v, bytes, sizeof v);
    v = (fit_bytes)(v <= most);
#ifdef __SSE2__
    typedef char chars __attribute__((vector_size(FIT_BYTES)));
    return (uint32_t)__builtin_ia32_pmovmskb128((chars)v);
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < FIT_BYTES; i++)
        bits |= (uint32_t)(v[i] != 0) << i;
    return bits;
#endif
}

/* Returns a bit for each of the FIT_BLOCK bytes of a row that is at most `most`. */
static inline uint64_t fit_row_within(const uint8_t *row, uint8_t most)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < FIT_BLOCK; i += FIT_BYTES)
        bits |= (uint64_t)fit_bytes_within(row + i, most) << i;
    return bits;
}

/* Returns a bit for each slot whose point has no higher column and no higher level than `most`. */
static inline uint64_t fit_block_within(const struct fit_block *b, uint32_t rows,
                                        struct fit_point most)
{
    uint64_t bits = fit_row_within(b->column, fit_point_column(most));
    for (uint32_t row = 0; row < rows; row++)
        bits &= fit_row_within(b->level[row], fit_point_level(most, row));
    return bits;
}

/* ---- bounds ---- */

/* Start with block_bounds_make; free with block_bounds_fini. */
struct block_bounds {
    uint8_t *bytes; /* row by row, column by column, one for each block */
    uint32_t rows;
    uint32_t cap; /* capacity in blocks, a multiple of 64 */
};

/* The bytes of all blocks for a column of a row. */
static inline uint8_t *block_bounds_at(const struct block_bounds *s, uint32_t row, uint32_t column)
{
    return s->bytes + ((size_t)row * FIT_COLUMNS + column) * s->cap;
}

/* Reserves memory for this number of blocks, all of them empty. */
void block_bounds_make(struct block_bounds *s, uint32_t rows, uint32_t blocks);
void block_bounds_fini(struct block_bounds *s);

/* Takes a new point of block `i` into its bounds. */
void block_bounds_add(struct block_bounds *s, uint32_t i, struct fit_point p);

/* Computes the bounds of block `i` from its points. */
void block_bounds_renew(struct block_bounds *s, uint32_t i, const struct fit_block *b);

/* Tightens the bounds of block `i` up to this column from its points. Call after the bound promised
 * a point of this column in vain. */
void block_bounds_mend(const struct block_bounds *s, uint32_t i, const struct fit_block *b,
                       uint8_t column);

/* Moves the bounds of the blocks from `i` on by one, to the end (`by` 1) or to the beginning
 * (-1). */
void block_bounds_shift(struct block_bounds *s, uint32_t i, int by);

/* Returns a bit for each of the 64 blocks from number `i` on whose bounds allow a point within
 * `most`; `i` is a multiple of 64. Bits after the last block are undefined. */
static inline uint64_t block_bounds_within(const struct block_bounds *s, struct fit_point most,
                                           uint32_t i)
{
    uint64_t bits = ~UINT64_C(0);
    for (uint32_t row = 0; row < s->rows; row++)
        bits &= fit_row_within(block_bounds_at(s, row, fit_point_column(most)) + i,
                               fit_point_level(most, row));
    return bits;
}
