/* fit_tree.h - finds the next node with room for any demand, known before or not.
 *
 * Eight nodes each, and eight of those, and so on, have a bound of what the best of them have free
 * (fit_bound.h). Bounds are raised when somebody says so and lowered late, by the search that finds
 * nothing below, if anything there has become less. */
#ifndef FIT_FIT_TREE_H
#define FIT_FIT_TREE_H

#include <stdint.h>

#include "fit/fit_bound.h"
#include "model/res.h"

enum { FIT_TREE_FAN = 8, FIT_TREE_LEVELS = 11 }; /* 8^11 nodes */

struct fit_tree {
    struct fit_scale scale;
    uint8_t *bounds[FIT_TREE_LEVELS]; /* level 0: over eight nodes; the last: a single one */
    bool *less[FIT_TREE_LEVELS];      /* of each: something below has less than it knows */
    uint32_t counts[FIT_TREE_LEVELS];
    int levels; /* 0: it was not built */
};

void fit_tree_fini(struct fit_tree *t);

/* Builds it anew, with room for `cap` nodes, of which there are `count` with this much free. */
void fit_tree_build(struct fit_tree *t, uint32_t cap, const struct res *free, uint32_t count);

/* Node `i` has less free than before. */
static inline void fit_tree_lower(struct fit_tree *t, uint32_t i)
{
    t->less[0][i / FIT_TREE_FAN] = true;
}

/* Whether the tree can learn that a node has this much free. Else it has to be built anew. */
static inline bool fit_tree_covers(const struct fit_tree *t, const struct res *free)
{
    return res_fits(free, &t->scale.top);
}

/* Node `i` has this much free, more than before of something; the tree covers it. */
void fit_tree_raise(struct fit_tree *t, uint32_t i, const struct res *free);

/* The first of `count` nodes, at or after `from`, that has room for `need`; or FIT_TREE_END. Nodes
 * that have more of something than the tree was told may be missed. */
uint32_t fit_tree_next(const struct fit_tree *t, const struct res *free, uint32_t count,
                       const struct res *need, uint32_t from);

#define FIT_TREE_END UINT32_MAX

#endif
