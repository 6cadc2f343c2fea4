/* fit_tree.h - finds the next node with room for any demand, known before or not.
 *
 * Eight nodes each, and eight of those, and so on, have a bound: no node below has more free of any
 * resource. Bounds are raised at once and lowered late, by the search that finds nothing below.
 * With several resources a bound may promise what no single node keeps; then the search goes on
 * behind it. */
#ifndef FIT_FIT_TREE_H
#define FIT_FIT_TREE_H

#include <stdint.h>

#include "model/res.h"

enum { FIT_TREE_FAN = 8, FIT_TREE_LEVELS = 11 }; /* 8^11 nodes */

struct fit_tree {
    struct res *bound[FIT_TREE_LEVELS]; /* level 0: over eight nodes; the last is a single one */
    uint32_t counts[FIT_TREE_LEVELS];
    int levels; /* 0: it was not built */
};

void fit_tree_fini(struct fit_tree *t);

/* Builds it anew, with room for `cap` nodes, of which there are `count` with this much free. */
void fit_tree_build(struct fit_tree *t, uint32_t cap, const struct res *free, uint32_t count);

/* Node `i` has this much free. */
static inline void fit_tree_raise(struct fit_tree *t, uint32_t i, const struct res *free)
{
    for (int l = 0; l < t->levels; l++) {
        struct res *bound = &t->bound[l][i /= FIT_TREE_FAN];
        if (res_fits(free, bound))
            return;
        for (int k = 0; k < RES_COUNT; k++)
            bound->v[k] = free->v[k] > bound->v[k] ? free->v[k] : bound->v[k];
    }
}

/* The first of `count` nodes, at or after `from`, that has room for `need`; or FIT_TREE_END. */
uint32_t fit_tree_next(const struct fit_tree *t, const struct res *free, uint32_t count,
                       const struct res *need, uint32_t from);

#define FIT_TREE_END UINT32_MAX

#endif
