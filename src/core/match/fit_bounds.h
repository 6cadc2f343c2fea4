/* fit_bounds.h - bounds of many blocks of points, which show the blocks that may hold a point below
 * another one.
 *
 * A bound has, for each column, the least level of the points in that column or before it. So it
 * does not promise the cpu of one member and the memory of another. The bounds of all blocks are
 * stored side by side for each column: a search compares sixteen blocks at once and inspects few.
 *
 * Bounds take in new points at once, and removed points late: when a column has promised a point in
 * vain, and then for that column alone. */
#ifndef CORE_MATCH_FIT_BOUNDS_H
#define CORE_MATCH_FIT_BOUNDS_H

#include <stdint.h>

#include "core/match/fit_block.h"

/* Start with fit_bounds_make; free with fit_bounds_fini. */
struct fit_bounds {
    uint8_t *bytes; /* row by row, column by column, one for each block */
    uint32_t rows;
    uint32_t cap; /* capacity in blocks, a multiple of 64 */
};

/* The bytes of all blocks for a column of a row. */
static inline uint8_t *fit_bounds_at(const struct fit_bounds *s, uint32_t row, uint32_t column)
{
    return s->bytes + ((size_t)row * FIT_COLUMNS + column) * s->cap;
}

/* Makes room for this number of blocks, all of them empty. */
void fit_bounds_make(struct fit_bounds *s, uint32_t rows, uint32_t blocks);
void fit_bounds_fini(struct fit_bounds *s);

/* Takes a new point of block `i` into its bounds. */
void fit_bounds_add(struct fit_bounds *s, uint32_t i, struct fit_point p);

/* Computes the bounds of block `i` from its points. */
void fit_bounds_renew(struct fit_bounds *s, uint32_t i, const struct fit_block *b);

/* Tightens the bounds of block `i` up to this column from its points. Call after the bound promised
 * a point of this column in vain. */
void fit_bounds_mend(const struct fit_bounds *s, uint32_t i, const struct fit_block *b,
                     uint8_t column);

/* Moves the bounds of the blocks from `i` on by one, to the end (`by` 1) or to the beginning
 * (-1). */
void fit_bounds_shift(struct fit_bounds *s, uint32_t i, int by);

/* Returns a bit for each of the 64 blocks from number `i` on whose bounds allow a point within
 * `most`; `i` is a multiple of 64. Bits after the last block are undefined. */
static inline uint64_t fit_bounds_within(const struct fit_bounds *s, struct fit_point most,
                                         uint32_t i)
{
    uint64_t bits = ~UINT64_C(0);
    for (uint32_t row = 0; row < s->rows; row++)
        bits &= fit_row_within(fit_bounds_at(s, row, fit_point_column(most)) + i,
                               fit_point_level(most, row));
    return bits;
}

#endif
