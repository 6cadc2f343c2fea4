/* fit_bound.h - what the best of several nodes have free, in a few words.
 *
 * One resource is cut into columns. Of each other resource a bound knows, column by column, the
 * most that any of the nodes has which has that much of the first. So it does not promise the cpu
 * of one node and the memory of another, and costs a few vectors to make and a byte to ask. Amounts
 * are rounded, so it may promise a little more than there is, and never less. */
#ifndef FIT_FIT_BOUND_H
#define FIT_FIT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "model/res.h"

enum { FIT_COLUMNS = 64 };

/* Amounts as bounds know them, for the eight doublings (columns) or sixteen (rows) below the top;
 * less is as good as nothing. */
struct fit_scale {
    struct res top;   /* nothing has more than this */
    int r[RES_COUNT]; /* the resource of the columns, then one for each row of a bound */
    uint32_t rows;
    uint32_t base[RES_COUNT]; /* of each of these: steps that are left out */
};

/* What is free or needed, rounded. */
struct fit_point {
    uint8_t column;
    uint8_t level[RES_COUNT - 1]; /* of each row */
};

/* Bytes of a bound. Zeroes: there is no node. */
static inline uint32_t fit_bound_size(const struct fit_scale *s)
{
    return s->rows * FIT_COLUMNS;
}

/* For nodes that have no more than this of anything. */
struct fit_scale fit_bound_scale(const struct res *most);

/* Level 0 is that of nodes that take nothing. */
struct fit_point fit_bound_point(const struct fit_scale *s, const struct res *v);

/* Whether a demand may fit on some node. A node's own point: whether the bound knows of as much. */
static inline bool fit_bound_has(const struct fit_scale *s, const uint8_t *bound,
                                 const struct fit_point *p)
{
    for (uint32_t i = 0; i < s->rows; i++)
        if (bound[i * FIT_COLUMNS + p->column] < p->level[i])
            return false;
    return true;
}

/* One more node. */
void fit_bound_add(const struct fit_scale *s, uint8_t *bound, const struct fit_point *p);

/* ... or those of another bound. */
void fit_bound_join(const struct fit_scale *s, uint8_t *bound, const uint8_t *other);

#endif
