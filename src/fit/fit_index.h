/* fit_index.h - finds a node with room without looking at all of them.
 *
 * For each demand that some phase has, one bit per node says whether it fits there now, and words
 * of 64 bits are summed up in levels above: finding the next node that fits, going round, costs
 * three or four words even for a quarter of a million nodes. A node whose free resources changed is
 * compared with every demand; there are few, since jobs ask for one core and not for 1.013. (A tree
 * of maxima over the nodes, which needs no list of demands, was slower: it touches a cache line per
 * level at every change and may search branches in vain.) */
#ifndef FIT_FIT_INDEX_H
#define FIT_FIT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/res.h"

enum { FIT_LEVELS = 4 }; /* 64^4 nodes */

/* The nodes that fit one demand. */
struct fit_set {
    struct res demand;
    uint64_t *level[FIT_LEVELS]; /* level 0: a bit per node; above: a bit per word below */
    uint32_t count;              /* of nodes */
    uint32_t last;               /* the one that was added last */
};

struct fit_index {
    VEC(struct fit_set) sets;
    struct res *free;    /* by node; negative: the node takes nothing */
    uint32_t count, cap; /* of nodes */
    uint32_t words[FIT_LEVELS];
    int levels; /* in use; the last of them is a single word */
};

#define FIT_NONE UINT32_MAX

void fit_index_fini(struct fit_index *x);

/* Room for nodes 0..count-1; new ones fit nothing until they are set. */
void fit_index_grow(struct fit_index *x, uint32_t count);

/* The number of this demand, for fit_index_find. The same demand gets the same number. */
uint32_t fit_index_demand(struct fit_index *x, const struct res *demand);

/* Node `i` has this much free. A negative entry fits no demand, not even zero: so nodes are taken
 * out. */
void fit_index_set(struct fit_index *x, uint32_t i, const struct res *free);

/* Whether node `i` has room for `need`, which need not be a known demand. */
static inline bool fit_index_fits(const struct fit_index *x, uint32_t i, const struct res *need)
{
    return i < x->count && res_fits(need, &x->free[i]);
}

/* The first node at or after `from` with room for the demand of this number, going round once;
 * FIT_NONE when there is none. */
uint32_t fit_index_find(const struct fit_index *x, uint32_t demand, uint32_t from);

/* The node with room for it if there is exactly one, as mostly on a busy cluster: the one that has
 * just become free. FIT_NONE: there are others, or none, or who knows. */
static inline uint32_t fit_index_only(const struct fit_index *x, uint32_t demand)
{
    const struct fit_set *s = &x->sets.at[demand];
    return s->count == 1 && s->level[0][s->last / 64] >> (s->last % 64) & 1 ? s->last : FIT_NONE;
}

/* Whether any node has room for it. */
static inline bool fit_index_any(const struct fit_index *x, uint32_t demand)
{
    return x->sets.at[demand].count != 0;
}

#endif
