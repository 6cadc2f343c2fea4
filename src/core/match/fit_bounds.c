#include "core/match/fit_bounds.h"

#include "base/mem.h"

void fit_bounds_make(struct fit_bounds *s, uint32_t rows, uint32_t blocks)
{
    fit_bounds_fini(s);
    s->rows = rows;
    s->cap = (blocks + FIT_BLOCK - 1) / FIT_BLOCK * FIT_BLOCK;
    s->bytes = mem_zalloc(s->cap, (size_t)rows * FIT_COLUMNS);
    memset(s->bytes, FIT_NO_LEVEL, (size_t)s->cap * rows * FIT_COLUMNS);
}

void fit_bounds_fini(struct fit_bounds *s)
{
    mem_free(s->bytes);
    *s = (struct fit_bounds){0};
}

/* Bounds fall from column to column: behind one that is low enough all are. */
void fit_bounds_add(struct fit_bounds *s, uint32_t i, struct fit_point p)
{
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = fit_point_column(p); c < FIT_COLUMNS; c++) {
            uint8_t *least = fit_bounds_at(s, row, c) + i;
            if (*least <= fit_point_level(p, row))
                break;
            *least = fit_point_level(p, row);
        }
}

void fit_bounds_renew(struct fit_bounds *s, uint32_t i, const struct fit_block *b)
{
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++)
            fit_bounds_at(s, row, c)[i] = FIT_NO_LEVEL;
    for (uint32_t k = 0; k < FIT_BLOCK; k++)
        fit_bounds_add(s, i, fit_block_at(b, s->rows, k));
}

/* The least level of those in the column or before. */
static uint8_t least_level(const struct fit_block *b, uint32_t row, uint8_t column)
{
    fit_bytes least = (fit_bytes){0} + FIT_NO_LEVEL, columns, levels;
    for (uint32_t k = 0; k < FIT_BLOCK; k += FIT_BYTES) {
        memcpy(&columns, b->column + k, sizeof columns);
        memcpy(&levels, b->level[row] + k, sizeof levels);
        levels |= (fit_bytes)(columns > column);
        least ^= (least ^ levels) & (fit_bytes)(levels < least);
    }
    uint8_t first = FIT_NO_LEVEL;
    for (uint32_t k = 0; k < FIT_BYTES; k++)
        first = least[k] < first ? least[k] : first;
    return first;
}

/* ... and before one that is high enough all are. */
void fit_bounds_mend(const struct fit_bounds *s, uint32_t i, const struct fit_block *b,
                     uint8_t column)
{
    for (uint32_t row = 0; row < s->rows; row++) {
        uint8_t least = least_level(b, row, column);
        for (uint32_t c = column + 1u; c-- > 0 && fit_bounds_at(s, row, c)[i] < least;)
            fit_bounds_at(s, row, c)[i] = least;
    }
}

void fit_bounds_shift(struct fit_bounds *s, uint32_t i, int by)
{
    uint32_t first = by < 0 ? i - 1 : i;
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++) {
            uint8_t *at = fit_bounds_at(s, row, c) + i;
            memmove(at + by, at, s->cap - 1 - first);
        }
}
