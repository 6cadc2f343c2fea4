/* match_list.c - the method is in match_list.h.
 *
 * Scores are computed in single precision, and only those near the largest are computed again by
 * match_score, which decides. A block is best of one rank: those of several are taken apart where
 * they have to be. Rejected: a heap for each rank, since every placement changes all scores of the
 * server; a table of demands shared by the entries that have them, which pays only where many are
 * equal, while in traces they differ; and a note of the blocks in which nothing fitted, for a
 * server that asks again with less free, which saved less than one instruction in a hundred. */
#include "core/match/match_list.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "core/match/match_score.h"

void match_list_fini(struct match_list *l)
{
    for (uint32_t i = 0; i < l->blocks.count; i++)
        mem_free(l->blocks.at[i]);
    vec_free(&l->blocks);
    vec_free(&l->edges);
    *l = (struct match_list){0};
}

/* ---- the blocks ---- */

static struct match_order order_of(const struct match_list *l, const struct match_entry *e)
{
    struct match_order o = {e->key, 0, e->tie};
    for (int r = 0; r < RES_COUNT && !l->by_tie; r++)
        o.size += (float)e->demand.v[r] * l->unit[r];
    return o;
}

/* The last block that does not begin behind this place, or the first one. */
static uint32_t find_block(const struct match_list *l, const struct match_order *o)
{
    uint32_t from = 0, to = l->blocks.count;
    while (to - from > 1) {
        uint32_t mid = (from + to) / 2;
        if (match_is_before(o, &l->blocks.at[mid]->at[0].order))
            to = mid;
        else
            from = mid;
    }
    return from;
}

static void add_block(struct match_list *l, uint32_t at, struct match_block *b)
{
    vec_push(&l->blocks, b);
    (void)vec_add(&l->edges);
    uint32_t behind = l->blocks.count - 1 - at;
    memmove(&l->blocks.at[at + 1], &l->blocks.at[at], behind * sizeof *l->blocks.at);
    memmove(&l->edges.at[at + 1], &l->edges.at[at], behind * sizeof *l->edges.at);
    l->blocks.at[at] = b;
    l->edges.at[at] = (struct match_edge){match_block_edge(b), 0};
}

static void drop_block(struct match_list *l, uint32_t at)
{
    uint32_t behind = --l->blocks.count - at;
    l->edges.count--;
    mem_free(l->blocks.at[at]);
    memmove(&l->blocks.at[at], &l->blocks.at[at + 1], behind * sizeof *l->blocks.at);
    memmove(&l->edges.at[at], &l->edges.at[at + 1], behind * sizeof *l->edges.at);
}

/* Where to split a full block: between two ranks if possible, since a block of one rank is compared
 * as a whole, and there near the middle. */
static uint32_t split_point(const struct match_block *b)
{
    for (uint32_t off = 0; off < MATCH_BLOCK / 2; off++) {
        uint32_t below = MATCH_BLOCK / 2 - off, above = MATCH_BLOCK / 2 + off;
        if (b->at[below - 1].order.key != b->at[below].order.key)
            return below;
        if (b->at[above - 1].order.key != b->at[above].order.key)
            return above;
    }
    return MATCH_BLOCK / 2;
}

static void split_block(struct match_list *l, uint32_t at)
{
    struct match_block *b = l->blocks.at[at], *rest = match_block_create();
    match_block_split(b, split_point(b), rest);
    l->edges.at[at] = (struct match_edge){match_block_edge(b), 0};
    add_block(l, at + 1, rest);
}

/* Where an entry belongs: not at the end of a block if the next one is of its own rank. */
static uint32_t block_for(const struct match_list *l, const struct match_order *o)
{
    uint32_t at = find_block(l, o);
    const struct match_block *b = l->blocks.at[at];
    return at + 1 < l->blocks.count && b->at[b->count - 1].order.key != o->key &&
                   l->blocks.at[at + 1]->at[0].order.key == o->key
               ? at + 1
               : at;
}

void match_list_insert(struct match_list *l, const struct match_entry *e)
{
    struct match_place p = {order_of(l, e), e->what};
    if (l->blocks.count == 0)
        add_block(l, 0, match_block_create());
    uint32_t at = block_for(l, &p.order);
    if (l->blocks.at[at]->count == MATCH_BLOCK) {
        split_block(l, at);
        at = block_for(l, &p.order);
    }
    struct match_block *b = l->blocks.at[at];
    match_block_insert(b, match_block_rank(b, &p.order), &p, &e->demand);
    fit_edge_add(&l->edges.at[at].v, &e->demand);
    fit_edge_add(&l->edge.v, &e->demand);
    l->count++;
    for (int r = 0; r < RES_COUNT; r++)
        if (e->demand.v[r] > 0 && !l->used[r]) {
            l->used[r] = true;
            l->r[l->resources++] = r;
        }
}

void match_list_remove(struct match_list *l, const struct match_entry *e)
{
    check(l->count > 0);
    struct match_order o = order_of(l, e);
    uint32_t at = find_block(l, &o);
    struct match_block *b = l->blocks.at[at];
    uint32_t i = match_block_rank(b, &o);
    check(i < b->count && b->at[i].what == e->what);
    match_block_remove(b, i);
    l->count--;
    if (b->count == 0)
        drop_block(l, at);
    else
        l->edges.at[at].left++;
    l->edge.left++;
}

void match_list_measure(struct match_list *l, const struct res *largest)
{
    if (res_equal(&l->largest, largest))
        return;
    struct match_list old = *l;
    *l = (struct match_list){.largest = *largest, .by_tie = old.by_tie};
    for (int r = 0; r < RES_COUNT; r++)
        l->unit[r] = largest->v[r] > 0 ? 1 / (float)largest->v[r] : 0;
    for (uint32_t n = 0; n < old.blocks.count; n++)
        for (uint32_t i = 0; i < old.blocks.at[n]->count; i++) {
            const struct match_place *p = &old.blocks.at[n]->at[i];
            match_list_insert(l, &(struct match_entry){p->order.key, p->order.tie,
                                                       match_block_demand(old.blocks.at[n], i),
                                                       p->what});
        }
    match_list_fini(&old);
}

/* ---- a server looks ---- */

/* False: nothing fits, perhaps because it has less than nothing of some resource, and takes not
 * even what does not need it. */
static bool look_begin(struct match_look *k, const struct match_list *l, const struct res *free)
{
    static const struct res nothing = {{0}};
    if (!match_list_may_fit(l, free) || !res_fits(&nothing, free))
        return false;
    k->free = *free;
    k->resources = l->resources;
    k->least = INFINITY;
    for (int n = 0; n < l->resources; n++) {
        int r = l->r[n];
        k->r[n] = r;
        k->unit[n] = l->unit[r];
        k->share[n] = (float)free->v[r] * k->unit[n];
        k->weight[n] = (float)free->v[r] * (k->unit[n] * k->unit[n]);
        k->least = k->share[n] < k->least ? k->share[n] : k->least;
    }
    return true;
}

/* The best entry so far. */
struct pick {
    const struct match_block *block; /* NULL: none */
    uint32_t i;                      /* ... of its entries */
    float near;                      /* smaller scores need not be looked at */
    int64_t key;
};

/* Takes an entry whose score is near the best one's, if it is better. */
static void compare(struct pick *best, const struct match_list *l, const struct match_block *b,
                    uint32_t i, const struct res *free)
{
    struct res demand = match_block_demand(b, i), other = match_block_demand(best->block, best->i);
    double score = 0, most = 0;
    if (!res_equal(&demand, &other)) {
        score = match_score(&demand, free, &l->largest);
        most = match_score(&other, free, &l->largest);
    }
    if (score > most ||
        (score == most && b->at[i].order.tie < best->block->at[best->i].order.tie)) {
        best->block = b;
        best->i = i;
    }
}

/* Takes the best of the entries with these bits, if it is better. */
static void consider(struct pick *best, const struct match_list *l, const struct match_block *b,
                     uint64_t bits, const struct res *free)
{
    if (!best->block && bits) {
        best->block = b;
        best->i = (uint32_t)__builtin_ctzll(bits);
        bits &= bits - 1;
    }
    for (; bits; bits &= bits - 1)
        compare(best, l, b, (uint32_t)__builtin_ctzll(bits), free);
}

/* Of the entries with these bits, which is not 0, those of the first one's rank. */
static uint64_t rank_of_first(const struct match_block *b, uint64_t bits)
{
    int64_t key = b->at[__builtin_ctzll(bits)].order.key;
    uint64_t others = bits;
    while (others && b->at[__builtin_ctzll(others)].order.key == key)
        others &= others - 1;
    return bits ^ others;
}

/* Considers what a block has of the first rank that fits. Of one with several ranks mostly that is
 * little. */
static void consider_block(struct pick *best, const struct match_list *l,
                           const struct match_block *b, const struct match_look *k)
{
    if (match_block_is_even(b)) {
        best->key = b->at[0].order.key;
        consider(best, l, b, match_block_best(b, k, &best->near), &k->free);
        return;
    }
    uint64_t bits = match_block_fitting(b, k);
    if (!bits || (best->block && b->at[__builtin_ctzll(bits)].order.key != best->key))
        return;
    best->key = b->at[__builtin_ctzll(bits)].order.key;
    consider(best, l, b, rank_of_first(b, bits), &k->free);
}

/* A block has promised something in vain. */
static void renew_edge_of(struct match_list *l, uint32_t n)
{
    if (l->edges.at[n].left > 0)
        l->edges.at[n] = (struct match_edge){match_block_edge(l->blocks.at[n]), 0};
}

/* The list has. When as many have left as there are blocks, they pay for looking at all. */
static void renew_edge(struct match_list *l)
{
    if (l->edge.left < l->blocks.count)
        return;
    l->edge = (struct match_edge){.left = 0};
    for (uint32_t n = 0; n < l->edges.count; n++)
        for (uint32_t k = 0; k < l->edges.at[n].v.count; k++)
            fit_edge_add(&l->edge.v, &l->edges.at[n].v.least[k]);
}

void *match_list_best(struct match_list *l, const struct res *free)
{
    struct match_look k;
    struct pick best = {0};
    check(!l->by_tie);
    if (!look_begin(&k, l, free))
        return NULL;
    for (uint32_t n = 0; n < l->blocks.count; n++) {
        const struct match_block *b = l->blocks.at[n];
        if (best.block && b->at[0].order.key != best.key)
            break;
        if (fit_edge_fits(&l->edges.at[n].v, free)) {
            consider_block(&best, l, b, &k);
            if (!best.block)
                renew_edge_of(l, n);
        }
    }
    if (best.block)
        return best.block->at[best.i].what;
    renew_edge(l);
    return NULL;
}

void match_list_fitting(struct match_list *l, const struct res *free, struct match_fits *out)
{
    struct match_look k;
    int64_t key = 0;
    vec_clear(&out->what);
    check(l->by_tie);
    if (!look_begin(&k, l, free))
        return;
    for (uint32_t n = 0; n < l->blocks.count; n++) {
        const struct match_block *b = l->blocks.at[n];
        if (out->what.count > 0 && b->at[0].order.key != key)
            return;
        bool promised = fit_edge_fits(&l->edges.at[n].v, free);
        uint64_t bits = promised ? match_block_fitting(b, &k) : 0;
        if (promised && !bits)
            renew_edge_of(l, n);
        if (!bits || (out->what.count > 0 && b->at[__builtin_ctzll(bits)].order.key != key))
            continue;
        key = b->at[__builtin_ctzll(bits)].order.key;
        vec_reserve(&out->what, out->what.count + MATCH_BLOCK);
        for (bits = rank_of_first(b, bits); bits; bits &= bits - 1)
            out->what.at[out->what.count++] = b->at[__builtin_ctzll(bits)].what;
    }
    if (out->what.count == 0)
        renew_edge(l);
}
