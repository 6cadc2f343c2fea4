/* fit_tree.h - finds a node with room without looking at all of them.
 *
 * A tournament tree over the nodes: each inner vertex holds, per dimension, the most that any node
 * below it has free. Updating and finding cost the log of the number of nodes (finding may look
 * into a branch in vain when different nodes hold the maxima of different dimensions). */
#ifndef BRAIN_FIT_TREE_H
#define BRAIN_FIT_TREE_H

#include <stdint.h>

#include "model/res.h"

struct fit_tree {
    struct res *at; /* at[1] is the root, leaves begin at at[width] */
    uint32_t width; /* a power of two, 0: no leaves */
    uint32_t count; /* of nodes */
};

#define FIT_NONE UINT32_MAX

/* Room for nodes 0..count-1; new ones fit nothing until they are set. */
void fit_tree_grow(struct fit_tree *t, uint32_t count);
void fit_tree_fini(struct fit_tree *t);

/* Node `i` has this much free. A negative entry fits no demand, not even zero: so nodes are taken
 * out. */
void fit_tree_set(struct fit_tree *t, uint32_t i, const struct res *free);

/* Whether node `i` has room for `need`. */
static inline bool fit_tree_fits(const struct fit_tree *t, uint32_t i, const struct res *need)
{
    return i < t->count && res_fits(need, &t->at[t->width + i]);
}

/* The first node at or after `from` with room for `need`, going round once; FIT_NONE when there is
 * none. */
uint32_t fit_tree_find(const struct fit_tree *t, uint32_t from, const struct res *need);

#endif
