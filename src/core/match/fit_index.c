/* fit_index.c - the method is in fit_index.h.
 *
 * Making a set inspects all nodes. If demands change often, that must not be done for each: except
 * for the first FIT_SETS, sets are paid for by changes of nodes, each of which pays for inspecting
 * PAID nodes. */
#include "core/match/fit_index.h"

#include <string.h>

#include "base/check.h"

enum {
    PAID = 16,
    SETS_WORTH = 4 * FIT_SETS, /* demands for each that has what one with a set has */
    GROWN_MAX = FIT_BLOCK      /* so many nodes are looked at instead of all */
};

static const struct res closed = {{-1, -1, -1, -1}};

void fit_index_fini(struct fit_index *x)
{
    for (uint32_t i = 0; i < x->set_count; i++)
        node_set_fini(&x->sets[i].nodes);
    fit_nodes_fini(&x->nodes);
    demand_fini(&x->demands);
    vec_free(&x->known);
    vec_free(&x->grown);
    mem_free(x->free);
    *x = (struct fit_index){0};
}

static void nodes_build(struct fit_index *x)
{
    fit_nodes_build(&x->nodes, x->cap, x->free, x->count);
    x->grown_from += x->grown_from == 0; /* 0 growths: nothing is known */
    x->applied = fit_index_growths(x);
}

/* Applies the growths before this one to the nodes, with the resources that are free by now. */
static void nodes_apply(struct fit_index *x, uint64_t before)
{
    for (; x->applied < before; x->applied++) {
        uint32_t i = x->grown.at[x->applied - x->grown_from];
        if (!fit_nodes_cover(&x->nodes, &x->free[i])) {
            nodes_build(x);
            return;
        }
        fit_nodes_set(&x->nodes, i, &x->free[i]);
    }
}

void fit_index_grow(struct fit_index *x, uint32_t count)
{
    if (count <= x->count)
        return;
    if (count > x->cap) {
        uint32_t cap = x->cap ? x->cap : 64;
        while (cap < count)
            cap *= 2;
        x->free = mem_resize(x->free, cap, sizeof *x->free);
        for (uint32_t i = 0; i < x->set_count; i++)
            node_set_reach(&x->sets[i].nodes, cap);
        x->cap = cap;
        if (x->nodes.blocks)
            nodes_build(x);
    }
    for (uint32_t i = x->count; i < count; i++)
        x->free[i] = closed;
    x->count = count;
}

/* ---- demands ---- */

/* Removes node `i` from the set or, if it is not there, adds it. */
static void set_flip(struct fit_set *s, uint32_t i)
{
    bool in = node_set_flip(&s->nodes, i);
    s->count += in ? 1 : UINT32_MAX;
    s->last = in ? i : s->last;
}

static bool set_is_paid(const struct fit_index *x)
{
    return x->set_cost <= (uint64_t)(FIT_SETS - 1) * x->count;
}

/* Drops a set. The last set takes its index. */
static void set_drop(struct fit_index *x, uint32_t at)
{
    uint32_t last = --x->set_count;
    node_set_fini(&x->sets[at].nodes);
    x->known.at[x->set_demand[at]].set = FIT_NONE;
    demand_drop(&x->demands, x->set_demand[at]);
    if (at == last)
        return;
    x->sets[at] = x->sets[last];
    x->set_demand[at] = x->set_demand[last];
    x->set_need[at] = x->set_need[last];
    x->known.at[x->set_demand[at]].set = at;
}

/* Where very many demands are about, only one that many have is worth a set. */
static bool set_is_worth(const struct fit_index *x, uint32_t demand)
{
    return x->demands.at.count - x->demands.unused.count <=
           (uint64_t)SETS_WORTH * x->demands.at.at[demand].holders;
}

/* Forgets sets that are not. Whoever uses one goes on without. */
static void sets_shrink(struct fit_index *x)
{
    for (uint32_t i = x->set_count; i-- > 0;)
        if (!set_is_worth(x, x->set_demand[i]))
            set_drop(x, i);
}

/* Returns true if one more set may be kept, perhaps that of a demand without holders. */
static bool set_may_be_added(struct fit_index *x)
{
    for (uint32_t i = 0; i < FIT_SETS && x->set_count == FIT_SETS; i++)
        if (x->demands.at.at[x->set_demand[i]].holders == 1) /* by the set itself */
            set_drop(x, i);
    return x->set_count < FIT_SETS;
}

static bool set_make(struct fit_index *x, uint32_t demand)
{
    if (!set_is_worth(x, demand) || !set_is_paid(x) || !set_may_be_added(x))
        return false;
    uint32_t at = x->set_count++;
    const struct res *need = &x->demands.at.at[demand].need;
    struct fit_set *s = &x->sets[at];
    *s = (struct fit_set){0};
    node_set_reach(&s->nodes, x->cap);
    for (uint32_t i = 0; i < x->count; i++)
        if (res_fits(need, &x->free[i]))
            set_flip(s, i);
    x->set_cost += x->count;
    x->set_demand[at] = demand;
    x->set_need[at] = *need;
    x->known.at[demand].set = at;
    x->demands.at.at[demand].holders++;
    return true;
}

uint32_t fit_index_hold(struct fit_index *x, const struct res *need)
{
    uint32_t demand = demand_hold(&x->demands, need);
    if (demand == x->known.count)
        (void)vec_add(&x->known);
    if (x->demands.at.at[demand].holders == 1)
        x->known.at[demand] = (struct fit_known){.set = FIT_NONE};
    if (fit_index_has_set(x, demand))
        return demand;
    sets_shrink(x);
    if (!set_make(x, demand) && !x->nodes.blocks)
        nodes_build(x);
    return demand;
}

void fit_index_drop(struct fit_index *x, uint32_t demand)
{
    demand_drop(&x->demands, demand);
}

/* ---- nodes ---- */

static void node_grew(struct fit_index *x, uint32_t i)
{
    vec_push(&x->grown, i);
    if (fit_index_growths(x) - x->applied > GROWN_MAX)
        nodes_apply(x, fit_index_growths(x) - GROWN_MAX / 2);
}

/* A node with a growth that is not applied yet is lowered when it is. */
static void node_shrank(struct fit_index *x, uint32_t i)
{
    bool late = false;
    for (uint32_t k = (uint32_t)(x->applied - x->grown_from); k < x->grown.count; k++)
        late |= x->grown.at[k] == i;
    if (!late)
        fit_nodes_lower(&x->nodes, i, &x->free[i]);
}

/* Notes for demands without a set what node `i` has free, and had before. */
static void node_tell(struct fit_index *x, uint32_t i, const struct res *before)
{
    if (!res_fits(&x->free[i], before))
        node_grew(x, i);
    else if (!res_fits(before, &x->free[i]))
        node_shrank(x, i);
    x->set_cost -= x->set_cost < PAID ? x->set_cost : PAID;
}

void fit_index_set(struct fit_index *x, uint32_t i, const struct res *free)
{
    check(i < x->count);
    struct res before = x->free[i];
    x->free[i] = *free; /* first: nodes may be built anew, of what is free now */
    if (x->nodes.blocks)
        node_tell(x, i, &before);
    for (uint32_t k = 0; k < x->set_count; k++)
        if (res_fits(&x->set_need[k], free) != node_set_has(&x->sets[k].nodes, i))
            set_flip(&x->sets[k], i);
}

void fit_index_forget_growths(struct fit_index *x, uint64_t before)
{
    check(before >= x->grown_from && before <= fit_index_growths(x));
    uint32_t gone = (uint32_t)(before - x->grown_from);
    if (gone == 0)
        return;
    nodes_apply(x, before);
    x->grown.count -= gone;
    memmove(x->grown.at, x->grown.at + gone, x->grown.count * sizeof *x->grown.at);
    x->grown_from = before;
}

void fit_index_tell_none(struct fit_index *x, uint32_t demand, uint64_t growths)
{
    struct fit_known *k = &x->known.at[demand];
    k->none_at = growths > k->none_at ? growths : k->none_at;
}

/* ---- searches ---- */

/* How far it is to node `i` from `from`, going round. */
static uint32_t way_to(const struct fit_index *x, uint32_t i, uint32_t from)
{
    return i >= from ? i - from : i + (x->count - from);
}

/* The first node at or after `from`, wrapping round, that has room and grew from this growth on. */
static uint32_t find_grown(const struct fit_index *x, const struct res *need, uint64_t growth,
                           uint32_t from)
{
    uint32_t found = FIT_NONE, least = UINT32_MAX;
    for (uint32_t k = (uint32_t)(growth - x->grown_from); k < x->grown.count; k++) {
        uint32_t i = x->grown.at[k], way = way_to(x, i, from);
        if (way < least && res_fits(need, &x->free[i])) {
            least = way;
            found = i;
        }
    }
    return found;
}

/* Searches all nodes, and the growths that are not applied yet. */
static uint32_t find_anywhere(const struct fit_index *x, const struct res *need, uint32_t from,
                              bool round)
{
    uint32_t grown = find_grown(x, need, x->applied, from);
    uint32_t found = fit_nodes_next(&x->nodes, x->free, x->count, need, from);
    if (found == FIT_NODES_END && from > 0 && round)
        found = fit_nodes_next(&x->nodes, x->free, x->count, need, 0);
    if (found == FIT_NODES_END)
        return grown;
    return grown != FIT_NONE && way_to(x, grown, from) < way_to(x, found, from) ? grown : found;
}

/* Whether it fits on few nodes at most: those that grew since it fitted nowhere. */
static bool fits_on_few(const struct fit_index *x, const struct fit_known *k)
{
    return k->none_at > 0 && k->none_at >= x->grown_from &&
           fit_index_growths(x) - k->none_at <= GROWN_MAX;
}

const uint32_t *fit_index_few(const struct fit_index *x, uint32_t demand, uint32_t *count)
{
    const struct fit_known *k = &x->known.at[demand];
    if (fit_index_has_set(x, demand) || !fits_on_few(x, k))
        return NULL;
    *count = (uint32_t)(fit_index_growths(x) - k->none_at);
    return *count > 0 ? x->grown.at + (k->none_at - x->grown_from) : NULL;
}

static uint32_t find_by_search(const struct fit_index *x, uint32_t demand, uint32_t from,
                               bool round)
{
    struct fit_known *k = &x->known.at[demand];
    const struct res *need = &x->demands.at.at[demand].need;
    uint32_t found = fits_on_few(x, k) ? find_grown(x, need, k->none_at, from)
                                       : find_anywhere(x, need, from, round);
    if (found != FIT_NONE)
        k->some = found;
    else if (round || from == 0)
        k->none_at = fit_index_growths(x);
    return found;
}

/* Growths that are not applied yet come first: on a full cluster the room is there. */
bool fit_index_any_by_search(const struct fit_index *x, uint32_t demand)
{
    struct fit_known *k = &x->known.at[demand];
    const struct res *need = &x->demands.at.at[demand].need;
    if (fit_index_fits(x, k->some, need))
        return true;
    uint32_t grown = fits_on_few(x, k) ? FIT_NONE : find_grown(x, need, x->applied, 0);
    if (grown == FIT_NONE)
        return find_by_search(x, demand, 0, true) != FIT_NONE;
    k->some = grown;
    return true;
}

static uint32_t find(const struct fit_index *x, uint32_t demand, uint32_t from, bool round)
{
    if (!fit_index_has_set(x, demand))
        return find_by_search(x, demand, from, round);
    const struct fit_set *s = &x->sets[x->known.at[demand].set];
    if (s->count == 0)
        return FIT_NONE;
    uint32_t found = node_set_next(&s->nodes, from);
    return found != NODE_SET_END || !round ? found : node_set_next(&s->nodes, 0);
}

uint32_t fit_index_find(const struct fit_index *x, uint32_t demand, uint32_t from)
{
    if (x->count == 0)
        return FIT_NONE;
    return find(x, demand, from < x->count ? from : 0, true);
}

uint32_t fit_index_next(const struct fit_index *x, uint32_t demand, uint32_t from)
{
    uint32_t found = from < x->count ? find(x, demand, from, false) : FIT_NONE;
    return found != FIT_NONE && found >= from ? found : FIT_NONE;
}
