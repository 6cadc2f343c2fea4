/* fit_bounds.h - bounds of many blocks of points: where may one be that is below another?
 *
 * A bound knows, column by column, the least level of those in that column or before it. So it does
 * not promise the cpu of one member and the memory of another. The bounds of all blocks lie side by
 * side for each column: a search compares sixteen blocks at once and looks into few.
 *
 * Bounds learn at once of what comes, and late of what leaves: when a column has promised something
 * in vain, and then of that column alone. */
#ifndef CORE_MATCH_FIT_BOUNDS_H
#define CORE_MATCH_FIT_BOUNDS_H

#include <stdint.h>

#include "core/match/fit_block.h"

/* Start with fit_bounds_make; free with fit_bounds_fini. */
struct fit_bounds {
    uint8_t *bytes; /* row by row, column by column, one for each block */
    uint32_t rows;
    uint32_t cap; /* blocks that there is room for, a multiple of 64 */
};

/* The bytes of all blocks for a column of a row. */
static inline uint8_t *fit_bounds_at(const struct fit_bounds *s, uint32_t row, uint32_t column)
{
    return s->bytes + ((size_t)row * FIT_COLUMNS + column) * s->cap;
}

/* Makes room for so many blocks, all of which are empty. */
void fit_bounds_make(struct fit_bounds *s, uint32_t rows, uint32_t blocks);
void fit_bounds_fini(struct fit_bounds *s);

/* There is one more point in block `i`. */
void fit_bounds_add(struct fit_bounds *s, uint32_t i, struct fit_point p);

/* Block `i` is another. */
void fit_bounds_renew(struct fit_bounds *s, uint32_t i, const struct fit_block *b);

/* Block `i` has nobody within a point of this column, whatever its bound says. */
void fit_bounds_mend(const struct fit_bounds *s, uint32_t i, const struct fit_block *b,
                     uint8_t column);

/* Blocks from `i` on move by one, to the end or to the beginning. */
void fit_bounds_shift(struct fit_bounds *s, uint32_t i, int by);

/* A bit for each of 64 blocks, from number `i` on, that promises somebody within `most`; `i` can be
 * divided by 64. Behind the last block bits may say anything. */
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
