/* fit_nodes.h - finds the next node with room for any demand, known before or not.
 *
 * The free resources of nodes are in blocks (block_bounds.h), inverted: a node has room for a
 * demand if its point is below that of the demand. A search on a full cluster of a hundred thousand
 * nodes reads some hundred bytes.
 *
 * Rejected: a tree of bounds, eight to one, twice as slow: on its way down it reads memory in a
 * dozen places. The most of each resource as a bound: it promises cpu of one node and memory of
 * another, and a demand that fits nowhere is searched for nearly everywhere. */
#pragma once

#include <stdint.h>

#include "core/match/block_bounds.h"
#include "core/model/res.h"

/* Zero-initialise; free with fit_nodes_fini. */
struct fit_nodes {
    struct fit_scale scale;
    struct fit_block *blocks; /* by node / FIT_BLOCK; NULL: not built */
    struct block_bounds bounds;
};

void fit_nodes_fini(struct fit_nodes *s);

/* Builds the blocks anew, with room for `cap` nodes; the first `count` have this much free. */
void fit_nodes_build(struct fit_nodes *s, uint32_t cap, const struct res *free, uint32_t count);

/* Returns true if the scale covers this amount of free resources. If not, call fit_nodes_build. */
static inline bool fit_nodes_cover(const struct fit_nodes *s, const struct res *free)
{
    return res_fits(free, &s->scale.top);
}

/* The inverted point of a node's free resources or of a demand. */
static inline struct fit_point fit_nodes_point(const struct fit_nodes *s, const struct res *amount)
{
    return fit_point_turned(fit_point_of(&s->scale, amount));
}

/* Sets the free resources of node `i`, which must be covered. */
void fit_nodes_set(struct fit_nodes *s, uint32_t i, const struct res *free);

/* Does the same if the node has no more of any resource than before, which costs less. */
void fit_nodes_lower(struct fit_nodes *s, uint32_t i, const struct res *free);

/* The first of `count` nodes, at or after `from`, that has room for `need`; or FIT_NODES_END. May
 * miss nodes that have more of a resource than was set. */
uint32_t fit_nodes_next(const struct fit_nodes *s, const struct res *free, uint32_t count,
                        const struct res *need, uint32_t from);

#define FIT_NODES_END UINT32_MAX
