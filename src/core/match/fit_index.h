/* fit_index.h - finds a node with room without looking at all of them.
 *
 * Jobs mostly ask for one core and not for 1.013: the first few demands get a set of the nodes with
 * room for them. A node whose free resources changed is compared with each of those, and a search
 * reads a few words. In a workload in which every phase has a demand of its own, the others have no
 * set: nodes for them are found among all by rounded amounts (fit_nodes.h) and, on a busy cluster,
 * among the nodes that grew, because a demand that fitted nowhere can fit only where resources were
 * freed since. Every way gives the same answer.
 *
 * A set outlives the last phase with its demand until another demand needs its memory: jobs that
 * arrive one at a time are mostly alike. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/demand.h"
#include "core/match/fit_nodes.h"
#include "core/match/node_set.h"
#include "core/model/res.h"

enum { FIT_SETS = 16 };

#define FIT_NONE UINT32_MAX

/* The nodes that have room for a demand. */
struct fit_set {
    struct node_set nodes;
    uint32_t count; /* of nodes in it */
    uint32_t last;  /* the node that was added last */
};

/* The state of a demand. */
struct fit_known {
    uint32_t set;     /* index in fit_index.sets; FIT_NONE: no set */
    uint32_t some;    /* where it fitted last, if it has no set */
    uint64_t none_at; /* value of `growths` when the last search failed */
};

/* Zero-initialise; free with fit_index_fini. */
struct fit_index {
    struct demand_table demands;
    VEC(struct fit_known) known;   /* by number of the demand */
    struct fit_set sets[FIT_SETS]; /* the first set_count are in use ... */
    uint32_t set_demand[FIT_SETS]; /* ... by these */
    struct res set_need[FIT_SETS]; /* ... whose needs are these */
    uint32_t set_count;
    /* nodes inspected to make sets, less the share that changes have paid for */
    uint64_t set_cost;
    struct res *free;       /* by node; negative: the node accepts no task */
    uint32_t count, cap;    /* of nodes */
    struct fit_nodes nodes; /* built with the first demand that has no set */
    VEC(uint32_t) grown;    /* nodes that have had more of a resource free since then ... */
    uint64_t grown_from;    /* ... except the oldest, whose number this is: they were forgotten */
    uint64_t applied;       /* number of growths that `nodes` have: most are undone soon */
};

void fit_index_fini(struct fit_index *x);

/* Reserves memory for nodes 0..count-1; a new node fits no demand until it is set. */
void fit_index_grow(struct fit_index *x, uint32_t count);

/* Returns the number of this demand for fit_index_find and adds a hold, as demand_hold does. */
uint32_t fit_index_hold(struct fit_index *x, const struct res *need);
/* Removes a hold, as demand_drop does. */
void fit_index_drop(struct fit_index *x, uint32_t demand);

/* Sets the free resources of node `i`. A negative entry fits no demand, not even zero: it takes the
 * node out. */
void fit_index_set(struct fit_index *x, uint32_t i, const struct res *free);

/* Returns true if node `i` has room for `need`, which need not be a known demand. */
static inline bool fit_index_fits(const struct fit_index *x, uint32_t i, const struct res *need)
{
    return i < x->count && res_fits(need, &x->free[i]);
}

/* The first node at or after `from` with room for the demand, wrapping round once; FIT_NONE if
 * there is none. */
uint32_t fit_index_find(const struct fit_index *x, uint32_t demand, uint32_t from);

/* The first node at or after `from` with room for the demand, without wrapping round; FIT_NONE if
 * there is none. */
uint32_t fit_index_next(const struct fit_index *x, uint32_t demand, uint32_t from);

/* All nodes on which the demand may fit, in any order, if they are known to be few: the demand has
 * no set and fitted nowhere before these nodes grew. NULL: there are none, or they are not known.
 * Valid until the next growth. */
const uint32_t *fit_index_few(const struct fit_index *x, uint32_t demand, uint32_t *count);

/* Returns true if any node has room for a demand that has no set. */
bool fit_index_any_by_search(const struct fit_index *x, uint32_t demand);

/* Returns true if the demand has a set. */
static inline bool fit_index_has_set(const struct fit_index *x, uint32_t demand)
{
    return x->known.at[demand].set != FIT_NONE;
}

/* The node with room for the demand if it is known to be the only one, as mostly on a busy cluster:
 * the one that has just become free. FIT_NONE: there are others, or none, or it is not known. */
static inline uint32_t fit_index_only(const struct fit_index *x, uint32_t demand)
{
    if (!fit_index_has_set(x, demand))
        return FIT_NONE;
    const struct fit_set *s = &x->sets[x->known.at[demand].set];
    return s->count == 1 && node_set_has(&s->nodes, s->last) ? s->last : FIT_NONE;
}

/* Returns true if any node has room for the demand. */
static inline bool fit_index_any(const struct fit_index *x, uint32_t demand)
{
    return fit_index_has_set(x, demand) ? x->sets[x->known.at[demand].set].count != 0
                                        : fit_index_any_by_search(x, demand);
}

/* ---- growths: noted once there are demands without a set, for phases that wait for room ---- */

/* The number of growths noted so far. */
static inline uint64_t fit_index_growths(const struct fit_index *x)
{
    return x->grown_from + x->grown.count;
}

/* Forgets the growths before this one. */
void fit_index_forget_growths(struct fit_index *x, uint64_t before);

/* Records that the demand fitted nowhere when this number of growths had been noted. */
void fit_index_tell_none(struct fit_index *x, uint32_t demand, uint64_t growths);

/* Records that the demand fits on this node. */
static inline void fit_index_tell_some(struct fit_index *x, uint32_t demand, uint32_t node)
{
    x->known.at[demand].some = node;
}
