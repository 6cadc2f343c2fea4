/* fit_nodes.h - finds the next node with room for any demand, known before or not.
 *
 * What nodes have free stands in blocks (fit_bounds.h), turned round: a node with room for a demand
 * is one whose point is below that of the demand. A search on a full cluster of a hundred thousand
 * nodes looks at some hundred bytes.
 *
 * Rejected: a tree of bounds, eight to one, twice as slow: on its way down it looks at memory in a
 * dozen places. The most of each resource as a bound: it promises cpu of one node and memory of
 * another, and whoever fits nowhere is looked for nearly everywhere. */
#ifndef CORE_MATCH_FIT_NODES_H
#define CORE_MATCH_FIT_NODES_H

#include <stdint.h>

#include "core/match/fit_bounds.h"
#include "core/model/res.h"

/* Zero-initialise; free with fit_nodes_fini. */
struct fit_nodes {
    struct fit_scale scale;
    struct fit_block *blocks; /* of nodes, by their numbers; NULL: nothing was built */
    struct fit_bounds bounds;
};

void fit_nodes_fini(struct fit_nodes *s);

/* Builds it anew, with room for `cap` nodes, of which there are `count` with this much free. */
void fit_nodes_build(struct fit_nodes *s, uint32_t cap, const struct res *free, uint32_t count);

/* Whether it can be told that a node has this much free. Else it has to be built anew. */
static inline bool fit_nodes_cover(const struct fit_nodes *s, const struct res *free)
{
    return res_fits(free, &s->scale.top);
}

/* What a node has free or a demand needs, turned round. */
static inline struct fit_point fit_nodes_point(const struct fit_nodes *s, const struct res *amount)
{
    return fit_point_turned(fit_point_of(&s->scale, amount));
}

/* Node `i` has this much free, which is covered. */
void fit_nodes_set(struct fit_nodes *s, uint32_t i, const struct res *free);

/* ... and no more of anything than was told before, which costs less. */
void fit_nodes_lower(struct fit_nodes *s, uint32_t i, const struct res *free);

/* The first of `count` nodes, at or after `from`, that has room for `need`; or FIT_NODES_END. Nodes
 * that have more of something than was told may be missed. */
uint32_t fit_nodes_next(const struct fit_nodes *s, const struct res *free, uint32_t count,
                        const struct res *need, uint32_t from);

#define FIT_NODES_END UINT32_MAX

#endif
