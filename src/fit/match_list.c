/* match_list.c - the method is in match_list.h.
 *
 * Scores are worked out in single precision for a whole block at once, and only those that come
 * near the largest are worked out as match_score does, which decides. A block is best of one rank:
 * those of several are taken apart where they have to be. A server that has taken something has
 * less free than before, so that blocks of which nothing fitted need not be asked again: the list
 * remembers how many they were. Rejected: a heap for each rank, since every placement changes all
 * scores of the server; and a table of demands shared by the entries that have them, which pays
 * only where many are equal, while in traces they differ. */
#include "fit/match_list.h"

#include <string.h>

#include "base/check.h"
#include "fit/match_score.h"

void match_list_fini(struct match_list *l)
{
    for (uint32_t i = 0; i < l->blocks.count; i++)
        mem_free(l->blocks.at[i]);
    vec_free(&l->blocks);
    vec_free(&l->edges);
    *l = (struct match_list){0};
}

void match_list_measure(struct match_list *l, const struct res *largest)
{
    l->largest = *largest;
    for (int r = 0; r < RES_COUNT; r++) {
        double most = largest->v[r];
        l->weight[r] = most > 0 ? (float)(1 / most / most) : 0;
    }
}

/* ---- the blocks ---- */

/* The last block that does not begin behind (key, tie), or the first one. */
static uint32_t find_block(const struct match_list *l, int64_t key, uint64_t tie)
{
    uint32_t from = 0, to = l->blocks.count;
    while (to - from > 1) {
        uint32_t mid = (from + to) / 2;
        if (match_is_before(key, tie, &l->blocks.at[mid]->at[0]))
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
    l->edges.at[at] = match_block_edge(b);
}

static void drop_block(struct match_list *l, uint32_t at)
{
    uint32_t behind = --l->blocks.count - at;
    l->edges.count--;
    l->passed_blocks -= at < l->passed_blocks;
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
        if (b->at[below - 1].key != b->at[below].key)
            return below;
        if (b->at[above - 1].key != b->at[above].key)
            return above;
    }
    return MATCH_BLOCK / 2;
}

static void split_block(struct match_list *l, uint32_t at)
{
    struct match_block *b = l->blocks.at[at], *rest = match_block_create();
    match_block_split(b, split_point(b), rest);
    l->edges.at[at] = match_block_edge(b);
    add_block(l, at + 1, rest);
}

/* Where the entry belongs: not at the end of a block if the next one is of its own rank. */
static uint32_t block_for(const struct match_list *l, const struct match_entry *e)
{
    uint32_t at = find_block(l, e->key, e->tie);
    const struct match_block *b = l->blocks.at[at];
    return at + 1 < l->blocks.count && b->at[b->count - 1].key != e->key &&
                   l->blocks.at[at + 1]->at[0].key == e->key
               ? at + 1
               : at;
}

void match_list_insert(struct match_list *l, const struct match_entry *e)
{
    if (l->blocks.count == 0)
        add_block(l, 0, match_block_create());
    uint32_t at = block_for(l, e);
    if (l->blocks.at[at]->count == MATCH_BLOCK) {
        split_block(l, at);
        at = block_for(l, e);
    }
    struct match_block *b = l->blocks.at[at];
    match_block_insert(b, match_block_rank(b, e->key, e->tie), e);
    fit_edge_add(&l->edges.at[at], &e->demand);
    fit_edge_add(&l->edge, &e->demand);
    l->count++;
    l->passed_blocks = at < l->passed_blocks ? at : l->passed_blocks;
    for (int r = 0; r < RES_COUNT; r++)
        if (e->demand.v[r] > 0 && !l->used[r]) {
            l->used[r] = true;
            l->r[l->resources++] = r;
        }
}

/* As many entries left as there are blocks: they pay for looking at all. */
static void renew_edge(struct match_list *l)
{
    l->removed = 0;
    l->edge = (struct fit_edge){.count = 0};
    for (uint32_t i = 0; i < l->edges.count; i++)
        for (uint32_t k = 0; k < l->edges.at[i].count; k++)
            fit_edge_add(&l->edge, &l->edges.at[i].least[k]);
}

void match_list_remove(struct match_list *l, int64_t key, uint64_t tie)
{
    check(l->count > 0);
    uint32_t at = find_block(l, key, tie);
    struct match_block *b = l->blocks.at[at];
    uint32_t i = match_block_rank(b, key, tie);
    check(i < b->count && b->at[i].key == key && b->at[i].tie == tie);
    struct res demand = match_block_demand(b, i);
    match_block_remove(b, i);
    l->count--;
    if (b->count == 0)
        drop_block(l, at);
    else if (fit_edge_has(&l->edges.at[at], &demand))
        l->edges.at[at] = match_block_edge(b);
    if (++l->removed >= l->blocks.count)
        renew_edge(l);
}

/* ---- a server looks ---- */

/* False: it has less than nothing of a resource, and takes not even what does not need it. */
static bool look_begin(struct match_look *k, const struct match_list *l, const struct res *free)
{
    static const struct res nothing = {{0}};
    k->free = *free;
    k->resources = l->resources;
    for (int n = 0; n < l->resources; n++) {
        k->r[n] = l->r[n];
        k->weight[n] = (float)free->v[l->r[n]] * l->weight[l->r[n]];
    }
    return res_fits(&nothing, free);
}

/* The best entry so far. */
struct pick {
    const struct match_block *block; /* NULL: none */
    uint32_t i;                      /* ... of its entries */
    int32_t near;                    /* smaller scores need not be looked at */
    int64_t key;
    double score; /* below 0: not worked out, since there was nothing to compare it with */
};

/* Takes an entry whose score is near the best one's, if it is larger. */
static void compare(struct pick *best, const struct match_list *l, const struct match_block *b,
                    uint32_t i, const struct res *free)
{
    struct res demand = match_block_demand(b, i), other = match_block_demand(best->block, best->i);
    if (res_equal(&demand, &other))
        return;
    double score = match_score(&demand, free, &l->largest);
    if (best->score < 0)
        best->score = match_score(&other, free, &l->largest);
    if (score > best->score)
        *best = (struct pick){b, i, best->near, best->key, score};
}

/* Takes the best of the entries with these bits, if it is better. */
static void consider(struct pick *best, const struct match_list *l, const struct match_block *b,
                     uint64_t bits, const struct res *free)
{
    if (!best->block && bits) {
        *best = (struct pick){b, (uint32_t)__builtin_ctzll(bits), best->near, best->key, -1};
        bits &= bits - 1;
    }
    for (; bits; bits &= bits - 1)
        compare(best, l, b, (uint32_t)__builtin_ctzll(bits), free);
}

/* Scores from this one on may be as large as one with these bits. */
static int32_t near_to(int32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    f *= 1 - MATCH_SCORE_ERROR;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Considers a block of one rank. */
static void consider_even(struct pick *best, const struct match_list *l,
                          const struct match_block *b, const struct match_look *k)
{
    struct match_scores s;
    int32_t most = match_block_score(b, k, &s);
    if (most < best->near)
        return;
    int32_t near = near_to(most);
    best->near = near > best->near ? near : best->near;
    consider(best, l, b, match_block_above(b, &s, best->near), &k->free);
}

/* Of the entries with these bits, which is not 0, those of the first one's rank. */
static uint64_t rank_of_first(const struct match_block *b, uint64_t bits)
{
    int64_t key = b->at[__builtin_ctzll(bits)].key;
    uint64_t others = bits;
    while (others && b->at[__builtin_ctzll(others)].key == key)
        others &= others - 1;
    return bits ^ others;
}

/* Considers what a block of several ranks has of the first that fits. Mostly that is little. */
static void consider_mixed(struct pick *best, const struct match_list *l,
                           const struct match_block *b, const struct match_look *k)
{
    uint64_t bits = match_block_fitting(b, k);
    if (!bits || (best->block && b->at[__builtin_ctzll(bits)].key != best->key))
        return;
    best->key = b->at[__builtin_ctzll(bits)].key;
    consider(best, l, b, rank_of_first(b, bits), &k->free);
}

/* Blocks that had nothing for more need not be asked. */
static uint32_t first_block(const struct match_list *l, const struct res *free)
{
    return res_fits(free, &l->passed) ? l->passed_blocks : 0;
}

void *match_list_best(struct match_list *l, const struct res *free)
{
    struct match_look k;
    struct pick best = {0};
    if (!match_list_may_fit(l, free) || !look_begin(&k, l, free))
        return NULL;
    uint32_t n = first_block(l, free), passed = n;
    for (; n < l->blocks.count; n++) {
        if (!fit_edge_fits(&l->edges.at[n], free)) {
            passed += passed == n;
            continue;
        }
        const struct match_block *b = l->blocks.at[n];
        if (best.block && b->at[0].key != best.key)
            break;
        if (match_block_is_even(b)) {
            best.key = b->at[0].key;
            consider_even(&best, l, b, &k);
        } else {
            consider_mixed(&best, l, b, &k);
        }
    }
    l->passed = *free;
    l->passed_blocks = passed;
    return best.block ? best.block->at[best.i].what : NULL;
}

void match_list_fitting(const struct match_list *l, const struct res *free, struct match_fits *out)
{
    struct match_look k;
    int64_t key = 0;
    vec_clear(&out->what);
    if (!match_list_may_fit(l, free) || !look_begin(&k, l, free))
        return;
    for (uint32_t n = first_block(l, free); n < l->blocks.count; n++) {
        const struct match_block *b = l->blocks.at[n];
        if (out->what.count > 0 && b->at[0].key != key)
            return;
        uint64_t bits = fit_edge_fits(&l->edges.at[n], free) ? match_block_fitting(b, &k) : 0;
        if (!bits || (out->what.count > 0 && b->at[__builtin_ctzll(bits)].key != key))
            continue;
        key = b->at[__builtin_ctzll(bits)].key;
        vec_reserve(&out->what, out->what.count + MATCH_BLOCK);
        for (bits = rank_of_first(b, bits); bits; bits &= bits - 1)
            out->what.at[out->what.count++] = b->at[__builtin_ctzll(bits)].what;
    }
}
