/* match_list.c - the method is in match_list.h.
 *
 * A server that has room compares it with many demands to find one. So the demands of a block are
 * stored in vectors, resource by resource, and compared four at a time. Scores are computed in
 * single precision, and only those near the largest are computed again by match_score, which
 * decides. Within a rank the largest demands come first: an upper limit of a demand's score follows
 * from its size, as if all of it were of the resource that counts least, plus what the others count
 * more, of which no demand takes more than is free nor than the largest of the block. Those behind
 * need not be inspected. A block is best of one rank: those of several are taken apart where they
 * have to be.
 *
 * Rejected: computing the scores of all, and then the largest of them, which is twice the work; a
 * heap for each rank, since every placement changes all scores of the server; a table of demands
 * shared by the entries that have them, which pays only where many are equal, while in traces they
 * differ. */
#include "core/match/match_list.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "core/match/match_score.h"

/* ---- a block: up to MATCH_BLOCK entries in order ---- */

enum { MATCH_TOGETHER = 4, MATCH_BLOCK = 64, MATCH_VECTORS = MATCH_BLOCK / MATCH_TOGETHER };

typedef float match_floats __attribute__((vector_size(4 * MATCH_TOGETHER)));
typedef int32_t match_ints __attribute__((vector_size(4 * MATCH_TOGETHER)));

/* The order of entries. The size of a demand is the sum of its shares of the largest server. */
struct match_order {
    int64_t key;  /* entries of equal key are one rank */
    float size;   /* within a rank, larger ones first, ... */
    uint64_t tie; /* ... and of equal ones the least tie */
};

struct match_slot {
    struct match_order order;
    void *what;
};

struct match_block {
    match_ints demand[RES_COUNT][MATCH_VECTORS]; /* after the last: larger than any server */
    struct match_slot at[MATCH_BLOCK];           /* in order */
    struct res most;                             /* maximum of each resource over the entries */
    uint32_t count;
};

/* A server in the form in which blocks are compared with it. */
struct match_look {
    struct res free;
    int resources; /* number of the resources that some entry asks for */
    int r[RES_COUNT];
    float share[RES_COUNT];  /* free share of the largest server's capacity ... */
    float least;             /* ... and the least of these shares */
    float unit[RES_COUNT];   /* a unit's share of the largest server's */
    float weight[RES_COUNT]; /* of a unit of demand */
};

/* Returns true if `a` precedes `b`. */
static bool is_before(const struct match_order *a, const struct match_order *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->size != b->size ? a->size > b->size : a->tie < b->tie;
}

/* Returns true if all entries are of one rank. */
static bool block_is_even(const struct match_block *b)
{
    return b->at[0].order.key == b->at[b->count - 1].order.key;
}

static int32_t *amount_at(struct match_block *b, int r, uint32_t i)
{
    return (int32_t *)b->demand[r] + i;
}

static void demand_set(struct match_block *b, uint32_t i, const struct res *d)
{
    for (int r = 0; r < RES_COUNT; r++)
        *amount_at(b, r, i) = d->v[r];
}

/* The demand of entry `i`. */
static struct res block_demand(const struct match_block *b, uint32_t i)
{
    struct res d;
    for (int r = 0; r < RES_COUNT; r++)
        d.v[r] = b->demand[r][i / MATCH_TOGETHER][i % MATCH_TOGETHER];
    return d;
}

/* There is nothing at number `i`. */
static void demand_clear(struct match_block *b, uint32_t i)
{
    static const struct res nothing = {{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};
    demand_set(b, i, &nothing);
}

/* Creates an empty block; free with mem_free. */
static struct match_block *block_create(void)
{
    struct match_block *b = mem_zalloc(1, sizeof *b);
    for (uint32_t i = 0; i < MATCH_BLOCK; i++)
        demand_clear(b, i);
    return b;
}

/* The number of entries of the block that come before `o`. */
static uint32_t block_rank(const struct match_block *b, const struct match_order *o)
{
    uint32_t from = 0, to = b->count;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (is_before(&b->at[mid].order, o))
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* Moves `count` entries. */
static void entries_move(struct match_block *b, uint32_t to, uint32_t from, uint32_t count)
{
    for (int r = 0; r < RES_COUNT; r++)
        memmove(amount_at(b, r, to), amount_at(b, r, from), count * sizeof(int32_t));
    memmove(&b->at[to], &b->at[from], count * sizeof *b->at);
}

static void raise_most(struct match_block *b, const struct res *d)
{
    for (int r = 0; r < RES_COUNT; r++)
        b->most.v[r] = d->v[r] > b->most.v[r] ? d->v[r] : b->most.v[r];
}

static void renew_most(struct match_block *b)
{
    b->most = (struct res){{0}};
    for (uint32_t i = 0; i < b->count; i++) {
        struct res d = block_demand(b, i);
        raise_most(b, &d);
    }
}

/* Inserts an entry as number `i`; the block must have room. */
static void block_insert(struct match_block *b, uint32_t i, const struct match_slot *p,
                         const struct res *demand)
{
    entries_move(b, i + 1, i, b->count++ - i);
    demand_set(b, i, demand);
    b->at[i] = *p;
    raise_most(b, demand);
}

/* Removes entry `i`. */
static void block_remove(struct match_block *b, uint32_t i)
{
    struct res gone = block_demand(b, i);
    entries_move(b, i, i + 1, --b->count - i);
    demand_clear(b, b->count);
    for (int r = 0; r < RES_COUNT; r++)
        if (gone.v[r] > 0 && gone.v[r] == b->most.v[r]) {
            renew_most(b);
            return;
        }
}

/* Moves the entries from number `from` on into `rest`, which is empty. */
static void block_split(struct match_block *b, uint32_t from, struct match_block *rest)
{
    for (uint32_t i = from; i < b->count; i++) {
        struct res d = block_demand(b, i);
        block_insert(rest, rest->count, &b->at[i], &d);
        demand_clear(b, i);
    }
    b->count = from;
    renew_most(b);
}

/* The smallest demands of the block. */
static struct smallest_demands block_smallest(const struct match_block *b)
{
    struct smallest_demands e = {.count = 0};
    for (uint32_t i = 0; i < b->count; i++) {
        struct res d = block_demand(b, i);
        smallest_demands_add(&e, &d);
    }
    return e;
}

/* ---- a server looks at a block ---- */

static uint32_t vectors_of(const struct match_block *b)
{
    return (b->count + MATCH_TOGETHER - 1) / MATCH_TOGETHER;
}

/* -1 for each of a vector that does not fit. */
static match_ints not_fitting(const struct match_block *b, uint32_t v, const struct match_look *k)
{
    match_ints not = {0};
    for (int n = 0; n < k->resources; n++)
        not |= b->demand[k->r[n]][v] > k->free.v[k->r[n]];
    return not ;
}

/* Returns a bit for each entry that fits. */
static uint64_t block_fitting(const struct match_block *b, const struct match_look *k)
{
    uint64_t not = 0;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++)
        not |= (uint64_t)res_vector_bits(not_fitting(b, v, k)) << (v * MATCH_TOGETHER);
    return ~not &~UINT64_C(0) >> (MATCH_BLOCK - b->count);
}

/* How much more a demand of the block scores at most than its size times the least share. */
static float excess_of(const struct match_block *b, const struct match_look *k)
{
    float sum = 0;
    for (int n = 0; n < k->resources; n++) {
        int32_t most = b->most.v[k->r[n]], free = k->free.v[k->r[n]];
        sum += (float)(most < free ? most : free) * k->unit[n] * (k->share[n] - k->least);
    }
    return sum;
}

/* Scores of a vector of demands; below 0 of those that do not fit. */
static match_floats scores_of(const struct match_block *b, uint32_t v, const struct match_look *k)
{
    const match_floats less = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    match_floats sum = (match_floats)((match_ints)less & not_fitting(b, v, k));
    for (int n = 0; n < k->resources; n++)
        sum += __builtin_convertvector(b->demand[k->r[n]][v], match_floats) * k->weight[n];
    return sum;
}

static match_floats larger(match_floats a, match_floats b)
{
#ifdef __SSE2__
    return __builtin_ia32_maxps(a, b);
#else
    match_ints more = a > b;
    return (match_floats)(((match_ints)a & more) | ((match_ints)b & ~more));
#endif
}

static float largest_of(match_floats a)
{
    a = larger(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return a[0] > a[1] ? a[0] : a[1];
}

/* Returns a bit for each entry of a block of one rank that fits and may have the largest score.
 * Scores below *near cannot be the largest; raises *near according to this block. Two vectors at a
 * time: mostly that is all that has to be looked at. Behind the last entry nothing fits. */
static uint64_t block_best(const struct match_block *b, const struct match_look *k, float *near)
{
    uint64_t best = 0;
    float most = -1, least = *near, excess = excess_of(b, k);
    for (uint32_t v = 0; v * MATCH_TOGETHER < b->count; v += 2) {
        float size = b->at[v * MATCH_TOGETHER].order.size;
        if ((size * k->least + excess) * (1 + MATCH_SCORE_ERROR) < least)
            break; /* nor do those behind score enough */
        match_floats x = scores_of(b, v, k), y = scores_of(b, v + 1, k);
        float here = largest_of(larger(x, y)), near_here = here * (1 - MATCH_SCORE_ERROR);
        best = near_here > most ? 0 : best;
        most = here > most ? here : most;
        least = near_here > least ? near_here : least;
        uint64_t bits = res_vector_bits(x >= least) | res_vector_bits(y >= least) << MATCH_TOGETHER;
        best |= bits << (v * MATCH_TOGETHER);
    }
    *near = least;
    return best;
}

void match_list_fini(struct match_list *l)
{
    for (uint32_t i = 0; i < l->blocks.count; i++)
        mem_free(l->blocks.at[i]);
    vec_free(&l->blocks);
    vec_free(&l->smallest_of);
    *l = (struct match_list){0};
}

/* ---- the list: blocks in order ---- */

static struct match_order order_of(const struct match_list *l, const struct match_entry *e)
{
    struct match_order o = {e->key, 0, e->tie};
    for (int r = 0; r < RES_COUNT && !l->by_tie; r++)
        o.size += (float)e->demand.v[r] * l->unit[r];
    return o;
}

/* The last block that does not begin behind this order, or the first one. */
static uint32_t find_block(const struct match_list *l, const struct match_order *o)
{
    uint32_t from = 0, to = l->blocks.count;
    while (to - from > 1) {
        uint32_t mid = (from + to) / 2;
        if (is_before(o, &l->blocks.at[mid]->at[0].order))
            to = mid;
        else
            from = mid;
    }
    return from;
}

static void add_block(struct match_list *l, uint32_t at, struct match_block *b)
{
    vec_push(&l->blocks, b);
    (void)vec_add(&l->smallest_of);
    uint32_t behind = l->blocks.count - 1 - at;
    memmove(&l->blocks.at[at + 1], &l->blocks.at[at], behind * sizeof *l->blocks.at);
    memmove(&l->smallest_of.at[at + 1], &l->smallest_of.at[at], behind * sizeof *l->smallest_of.at);
    l->blocks.at[at] = b;
    l->smallest_of.at[at] = (struct match_smallest){block_smallest(b), 0};
}

static void drop_block(struct match_list *l, uint32_t at)
{
    uint32_t behind = --l->blocks.count - at;
    l->smallest_of.count--;
    mem_free(l->blocks.at[at]);
    memmove(&l->blocks.at[at], &l->blocks.at[at + 1], behind * sizeof *l->blocks.at);
    memmove(&l->smallest_of.at[at], &l->smallest_of.at[at + 1], behind * sizeof *l->smallest_of.at);
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
    struct match_block *b = l->blocks.at[at], *rest = block_create();
    block_split(b, split_point(b), rest);
    l->smallest_of.at[at] = (struct match_smallest){block_smallest(b), 0};
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
    struct match_slot p = {order_of(l, e), e->what};
    if (l->blocks.count == 0)
        add_block(l, 0, block_create());
    uint32_t at = block_for(l, &p.order);
    if (l->blocks.at[at]->count == MATCH_BLOCK) {
        split_block(l, at);
        at = block_for(l, &p.order);
    }
    struct match_block *b = l->blocks.at[at];
    block_insert(b, block_rank(b, &p.order), &p, &e->demand);
    smallest_demands_add(&l->smallest_of.at[at].v, &e->demand);
    smallest_demands_add(&l->smallest.v, &e->demand);
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
    uint32_t i = block_rank(b, &o);
    check(i < b->count && b->at[i].what == e->what);
    block_remove(b, i);
    l->count--;
    if (b->count == 0)
        drop_block(l, at);
    else
        l->smallest_of.at[at].left++;
    l->smallest.left++;
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
            const struct match_slot *p = &old.blocks.at[n]->at[i];
            match_list_insert(l, &(struct match_entry){p->order.key, p->order.tie,
                                                       block_demand(old.blocks.at[n], i), p->what});
        }
    match_list_fini(&old);
}

/* ---- a server looks at the list ---- */

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
    struct res demand = block_demand(b, i), other = block_demand(best->block, best->i);
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
    if (block_is_even(b)) {
        best->key = b->at[0].order.key;
        consider(best, l, b, block_best(b, k, &best->near), &k->free);
        return;
    }
    uint64_t bits = block_fitting(b, k);
    if (!bits || (best->block && b->at[__builtin_ctzll(bits)].order.key != best->key))
        return;
    best->key = b->at[__builtin_ctzll(bits)].order.key;
    consider(best, l, b, rank_of_first(b, bits), &k->free);
}

/* A block has promised something in vain. */
static void renew_smallest_of(struct match_list *l, uint32_t n)
{
    if (l->smallest_of.at[n].left > 0)
        l->smallest_of.at[n] = (struct match_smallest){block_smallest(l->blocks.at[n]), 0};
}

/* The list has. When as many have left as there are blocks, they pay for looking at all. */
static void renew_smallest(struct match_list *l)
{
    if (l->smallest.left < l->blocks.count)
        return;
    l->smallest = (struct match_smallest){.left = 0};
    for (uint32_t n = 0; n < l->smallest_of.count; n++)
        for (uint32_t k = 0; k < l->smallest_of.at[n].v.count; k++)
            smallest_demands_add(&l->smallest.v, &l->smallest_of.at[n].v.least[k]);
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
        if (smallest_demands_fit(&l->smallest_of.at[n].v, free)) {
            consider_block(&best, l, b, &k);
            if (!best.block)
                renew_smallest_of(l, n);
        }
    }
    if (best.block)
        return best.block->at[best.i].what;
    renew_smallest(l);
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
        bool promised = smallest_demands_fit(&l->smallest_of.at[n].v, free);
        uint64_t bits = promised ? block_fitting(b, &k) : 0;
        if (promised && !bits)
            renew_smallest_of(l, n);
        if (!bits || (out->what.count > 0 && b->at[__builtin_ctzll(bits)].order.key != key))
            continue;
        key = b->at[__builtin_ctzll(bits)].order.key;
        vec_reserve(&out->what, out->what.count + MATCH_BLOCK);
        for (bits = rank_of_first(b, bits); bits; bits &= bits - 1)
            out->what.at[out->what.count++] = b->at[__builtin_ctzll(bits)].what;
    }
    if (out->what.count == 0)
        renew_smallest(l);
}
