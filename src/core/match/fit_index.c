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
        fit_set_fini(&x->sets[i]);
    fit_nodes_fini(&x->nodes);
    demand_fini(&x->demands);
    vec_free(&x->known);
    vec_free(&x->grown);
    mem_free(x->free);
    *x = (struct fit_index){0};
}

/* Notes what the node of a growth has free. */
static void note_growth(struct fit_index *x, uint64_t growth)
{
    const struct res *free = &x->free[x->grown.at[growth - x->grown_from]];
    fit_block_put(&x->has, x->nodes.scale.rows, growth % FIT_BLOCK,
                  fit_nodes_point(&x->nodes, free));
}

static void nodes_build(struct fit_index *x)
{
    fit_nodes_build(&x->nodes, x->cap, x->free, x->count);
    x->grown_from += x->grown_from == 0; /* 0 growths: nothing is known */
    x->told = fit_index_growths(x);
    for (uint64_t g = x->grown_from; g < x->told; g++) /* the scale is another */
        note_growth(x, g);
}

/* Tells the nodes of growths up to this number. */
static void nodes_tell(struct fit_index *x, uint64_t growths)
{
    for (; x->told < growths; x->told++) {
        uint32_t i = x->grown.at[x->told - x->grown_from];
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
            fit_set_resize(&x->sets[i], cap);
        x->cap = cap;
        if (x->nodes.blocks)
            nodes_build(x);
    }
    for (uint32_t i = x->count; i < count; i++)
        x->free[i] = closed;
    x->count = count;
}

/* ---- demands ---- */

static bool set_is_paid(const struct fit_index *x)
{
    return x->set_cost <= (uint64_t)(FIT_SETS - 1) * x->count;
}

/* The last set takes its place. */
static void set_drop(struct fit_index *x, uint32_t at)
{
    uint32_t last = --x->set_count;
    fit_set_fini(&x->sets[at]);
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

/* Whether there is a place for one more set, perhaps of a demand that nothing has any more. */
static bool set_has_place(struct fit_index *x)
{
    for (uint32_t i = 0; i < FIT_SETS && x->set_count == FIT_SETS; i++)
        if (x->demands.at.at[x->set_demand[i]].holders == 1) /* by the set itself */
            set_drop(x, i);
    return x->set_count < FIT_SETS;
}

static bool set_make(struct fit_index *x, uint32_t demand)
{
    if (!set_is_worth(x, demand) || !set_is_paid(x) || !set_has_place(x))
        return false;
    uint32_t at = x->set_count++;
    const struct res *need = &x->demands.at.at[demand].need;
    struct fit_set *s = &x->sets[at];
    *s = (struct fit_set){0};
    fit_set_resize(s, x->cap);
    for (uint32_t i = 0; i < x->count; i++)
        if (res_fits(need, &x->free[i]))
            fit_set_flip(s, i);
    x->set_cost += x->count;
    x->set_demand[at] = demand;
    x->set_need[at] = *need;
    x->known.at[demand].set = at;
    fit_index_hold_again(x, demand);
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
    note_growth(x, fit_index_growths(x) - 1);
    if (fit_index_growths(x) - x->told > GROWN_MAX)
        nodes_tell(x, fit_index_growths(x) - GROWN_MAX / 2);
}

/* What grew lately and shrinks again is told of when the growth is. */
static void node_shrank(struct fit_index *x, uint32_t i)
{
    const uint32_t *grown = x->grown.at + (x->told - x->grown_from);
    uint32_t count = (uint32_t)(fit_index_growths(x) - x->told), at = 0;
    for (uint32_t k = 0; k < count; k++)
        at = grown[k] == i ? k + 1 : at;
    if (at > 0)
        note_growth(x, x->told + at - 1);
    else
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
        if (res_fits(&x->set_need[k], free) != fit_set_has(&x->sets[k], i))
            fit_set_flip(&x->sets[k], i);
}

void fit_index_forget_growths(struct fit_index *x, uint64_t before)
{
    check(before >= x->grown_from && before <= fit_index_growths(x));
    uint32_t gone = (uint32_t)(before - x->grown_from);
    if (gone == 0)
        return;
    nodes_tell(x, before);
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

/* A bit for each of those that grew, from this growth on, which may have room: the first is that of
 * the growth itself. They are GROWN_MAX at most. */
static uint64_t grown_within(const struct fit_index *x, const struct res *need, uint64_t growth)
{
    uint64_t count = fit_index_growths(x) - growth, at = growth % FIT_BLOCK;
    if (count == 0)
        return 0;
    struct fit_point p = fit_nodes_point(&x->nodes, need);
    uint64_t bits = fit_block_within(&x->has, x->nodes.scale.rows, p);
    return (bits >> at | bits << (FIT_BLOCK - at) % FIT_BLOCK) &
           ~UINT64_C(0) >> (FIT_BLOCK - count);
}

/* One of them that has room. */
static uint32_t any_grown(const struct fit_index *x, const struct res *need, uint64_t growth)
{
    const uint32_t *grown = x->grown.at + (growth - x->grown_from);
    for (uint64_t bits = grown_within(x, need, growth); bits; bits &= bits - 1) {
        uint32_t i = grown[__builtin_ctzll(bits)];
        if (res_fits(need, &x->free[i]))
            return i;
    }
    return FIT_NONE;
}

/* ... and that is the first at or after `from`, going round. */
static uint32_t find_grown(const struct fit_index *x, const struct res *need, uint64_t growth,
                           uint32_t from)
{
    const uint32_t *grown = x->grown.at + (growth - x->grown_from);
    uint32_t found = FIT_NONE, least = UINT32_MAX;
    for (uint64_t bits = grown_within(x, need, growth); bits; bits &= bits - 1) {
        uint32_t i = grown[__builtin_ctzll(bits)], way = way_to(x, i, from);
        if (way < least && res_fits(need, &x->free[i])) {
            least = way;
            found = i;
        }
    }
    return found;
}

/* Among all, and among those that grew and were not told of, as they are few. */
static uint32_t find_anywhere(const struct fit_index *x, const struct res *need, uint32_t from,
                              bool round)
{
    uint32_t grown = find_grown(x, need, x->told, from);
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

/* Nodes that grew come first: on a full cluster the room is there. */
bool fit_index_any_by_search(const struct fit_index *x, uint32_t demand)
{
    struct fit_known *k = &x->known.at[demand];
    const struct res *need = &x->demands.at.at[demand].need;
    if (fit_index_fits(x, k->some, need))
        return true;
    uint32_t grown = fits_on_few(x, k) ? FIT_NONE : any_grown(x, need, x->told);
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
    uint32_t found = fit_set_next(s, from);
    return found != FIT_SET_END || !round ? found : fit_set_next(s, 0);
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
