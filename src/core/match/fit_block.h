/* fit_block.h - 64 points, and a search for those that are below another point. */
#ifndef CORE_MATCH_FIT_BLOCK_H
#define CORE_MATCH_FIT_BLOCK_H

#include <stdint.h>
#include <string.h>

#include "core/match/fit_point.h"

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

#endif
