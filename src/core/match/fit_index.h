/* fit_index.h - finds a node with room without looking at all of them.
 *
 * Jobs mostly ask for one core and not for 1.013: the first few demands get a set of the nodes with
 * room for them (fit_set.h). A node whose free resources changed is compared with each of those,
 * and a search is a few words. The demands of a workload in which every phase has its own do
 * without: nodes for them are found among all by rounded amounts (fit_nodes.h) and, on a busy
 * cluster, where a demand that fitted nowhere can fit only where something has come free since,
 * among the nodes that grew. Whatever is used, the answer is the same.
 *
 * A set outlives the last phase with its demand until another one needs its place: jobs that come
 * one at a time are mostly alike. */
#ifndef CORE_MATCH_FIT_INDEX_H
#define CORE_MATCH_FIT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/demand.h"
#include "core/match/fit_nodes.h"
#include "core/match/fit_set.h"
#include "core/model/res.h"

enum { FIT_SETS = 16 };

#define FIT_NONE UINT32_MAX

/* What is known of a demand. */
struct fit_known {
    uint32_t set;     /* among fit_index.sets; FIT_NONE: it has none */
    uint32_t some;    /* where it fitted last, if it has no set */
    uint64_t none_at; /* it fitted nowhere when so many growths had been noted */
};

/* Zero-initialise; free with fit_index_fini. */
struct fit_index {
    struct demand_table demands;
    VEC(struct fit_known) known;   /* by number of the demand */
    struct fit_set sets[FIT_SETS]; /* the first set_count are in use ... */
    uint32_t set_demand[FIT_SETS]; /* ... by these */
    struct res set_need[FIT_SETS]; /* ... which need this */
    uint32_t set_count;
    uint64_t set_cost;      /* nodes looked at to make sets, less what has paid for it */
    struct res *free;       /* by node; negative: the node takes nothing */
    uint32_t count, cap;    /* of nodes */
    struct fit_nodes nodes; /* built when the first demand comes without a set */
    VEC(uint32_t) grown;    /* since then: nodes that got more of something free ... */
    uint64_t grown_from;    /* ... but for so many, which were forgotten */
    struct fit_block has; /* what the last of them have free, or had, by the number of the growth */
    uint64_t told;        /* so many growths the nodes know of: most are taken back soon */
};

void fit_index_fini(struct fit_index *x);

/* Room for nodes 0..count-1; new ones fit nothing until they are set. */
void fit_index_grow(struct fit_index *x, uint32_t count);

/* The number of this demand, for fit_index_find; as in demand.h. */
uint32_t fit_index_hold(struct fit_index *x, const struct res *need);
void fit_index_drop(struct fit_index *x, uint32_t demand);

/* Once more, of a number that is held. */
static inline void fit_index_hold_again(struct fit_index *x, uint32_t demand)
{
    x->demands.at.at[demand].holders++;
}

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

/* The same, not going round. */
uint32_t fit_index_next(const struct fit_index *x, uint32_t demand, uint32_t from);

/* All nodes on which the demand may fit, in any order, if they are known to be few: it has no set
 * and fitted nowhere before these grew. NULL: there are none, or who knows. They stay where they
 * are until the next growth. */
const uint32_t *fit_index_few(const struct fit_index *x, uint32_t demand, uint32_t *count);

/* Whether any node has room for it, where it has no set. */
bool fit_index_any_by_search(const struct fit_index *x, uint32_t demand);

static inline bool fit_index_has_set(const struct fit_index *x, uint32_t demand)
{
    return x->known.at[demand].set != FIT_NONE;
}

/* The node with room for it if there is exactly one, as mostly on a busy cluster: the one that has
 * just become free. FIT_NONE: there are others, or none, or who knows. */
static inline uint32_t fit_index_only(const struct fit_index *x, uint32_t demand)
{
    if (!fit_index_has_set(x, demand))
        return FIT_NONE;
    const struct fit_set *s = &x->sets[x->known.at[demand].set];
    return s->count == 1 && fit_set_has(s, s->last) ? s->last : FIT_NONE;
}

/* Whether any node has room for it. */
static inline bool fit_index_any(const struct fit_index *x, uint32_t demand)
{
    return fit_index_has_set(x, demand) ? x->sets[x->known.at[demand].set].count != 0
                                        : fit_index_any_by_search(x, demand);
}

/* ---- growths: once there are demands without a set, for whoever waits for room ---- */

/* How many were noted. */
static inline uint64_t fit_index_growths(const struct fit_index *x)
{
    return x->grown_from + x->grown.count;
}

/* Those before this one need not be remembered. */
void fit_index_forget_growths(struct fit_index *x, uint64_t before);

/* Somebody knows that the demand fitted nowhere when so many growths had been noted. */
void fit_index_tell_none(struct fit_index *x, uint32_t demand, uint64_t growths);

/* ... or that it fits on this node. */
static inline void fit_index_tell_some(struct fit_index *x, uint32_t demand, uint32_t node)
{
    x->known.at[demand].some = node;
}

#endif
