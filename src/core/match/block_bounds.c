/* block_bounds.c - the method is in block_bounds.h.
 *
 * Bounds of a block fall from column to column. So a new point changes those from its own column
 * on, up to the first that is low enough, and a bound that promised in vain is raised together with
 * those before it, down to the first that is high enough. */
#include "core/match/block_bounds.h"

#include "base/mem.h"

/* ---- points ---- */

/* Steps from nothing to the top. */
enum { COLUMN_STEPS = FIT_COLUMNS - 1, LEVEL_STEPS = FIT_NO_LEVEL - 2 };

/* The next power of two, less one. */
static int32_t rounded_up(int32_t v)
{
    return v <= 0 ? 0 : (int32_t)(UINT32_MAX >> __builtin_clz((uint32_t)v));
}

struct fit_scale block_bounds_scale(const struct res *most)
{
    struct fit_scale s = {.rows = 0};
    uint32_t count = 0;
    for (int r = 0; r < RES_COUNT; r++) {
        s.top.v[r] = rounded_up(most->v[r]);
        if (s.top.v[r] > 0)
            s.r[count++] = r;
    }
    for (int r = RES_COUNT - 1; count < 2; r--) /* a row at least */
        if (s.top.v[r] == 0)
            s.r[count++] = r;
    s.rows = count - 1;
    res_vector top;
    memcpy(&top, &s.top, sizeof top);
    top = fit_steps(top);
    for (uint32_t i = 0; i < count; i++) {
        int32_t base = top[s.r[i]] - (i > 0 ? LEVEL_STEPS : COLUMN_STEPS);
        s.base.v[s.r[i]] = base > 0 ? base : 0;
    }
    return s;
}

/* ---- bounds ---- */

void block_bounds_make(struct block_bounds *s, uint32_t rows, uint32_t blocks)
{
    block_bounds_fini(s);
    s->rows = rows;
    s->cap = (blocks + FIT_BLOCK - 1) / FIT_BLOCK * FIT_BLOCK;
    s->bytes = mem_zalloc(s->cap, (size_t)rows * FIT_COLUMNS);
    memset(s->bytes, FIT_NO_LEVEL, (size_t)s->cap * rows * FIT_COLUMNS);
}

void block_bounds_fini(struct block_bounds *s)
{
    mem_free(s->bytes);
    *s = (struct block_bounds){0};
}

/* Bounds fall from column to column: behind one that is low enough all are. */
void block_bounds_add(struct block_bounds *s, uint32_t i, struct fit_point p)
{
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = fit_point_column(p); c < FIT_COLUMNS; c++) {
            uint8_t *least = block_bounds_at(s, row, c) + i;
            if (*least <= fit_point_level(p, row))
                break;
            *least = fit_point_level(p, row);
        }
}

void block_bounds_renew(struct block_bounds *s, uint32_t i, const struct fit_block *b)
{
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++)
            block_bounds_at(s, row, c)[i] = FIT_NO_LEVEL;
    for (uint32_t k = 0; k < FIT_BLOCK; k++)
        block_bounds_add(s, i, fit_block_at(b, s->rows, k));
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
void block_bounds_mend(const struct block_bounds *s, uint32_t i, const struct fit_block *b,
                       uint8_t column)
{
    for (uint32_t row = 0; row < s->rows; row++) {
        uint8_t least = least_level(b, row, column);
        for (uint32_t c = column + 1u; c-- > 0 && block_bounds_at(s, row, c)[i] < least;)
            block_bounds_at(s, row, c)[i] = least;
    }
}

void block_bounds_shift(struct block_bounds *s, uint32_t i, int by)
{
    uint32_t first = by < 0 ? i - 1 : i;
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++) {
            uint8_t *at = block_bounds_at(s, row, c) + i;
            memmove(at + by, at, s->cap - 1 - first);
        }
}
