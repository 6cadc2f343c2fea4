/* match_block.c - the method is in match_block.h.
 *
 * An upper limit of a demand's score follows from its size, as if all of it were of the resource
 * that counts least, plus what the others count more, of which no demand takes more than is free
 * nor than the largest of the block. Rejected: computing the scores of all, and then the largest of
 * them, which is twice the work. */
#include "core/match/match_block.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "core/match/match_score.h"

static int32_t *lane(struct match_block *b, int r, uint32_t i)
{
    return (int32_t *)b->demand[r] + i;
}

static void demand_set(struct match_block *b, uint32_t i, const struct res *d)
{
    for (int r = 0; r < RES_COUNT; r++)
        *lane(b, r, i) = d->v[r];
}

struct res match_block_demand(const struct match_block *b, uint32_t i)
{
    struct res d;
    for (int r = 0; r < RES_COUNT; r++)
        d.v[r] = b->demand[r][i / MATCH_LANES][i % MATCH_LANES];
    return d;
}

/* There is nothing at number `i`. */
static void demand_clear(struct match_block *b, uint32_t i)
{
    static const struct res nothing = {{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};
    demand_set(b, i, &nothing);
}

struct match_block *match_block_create(void)
{
    struct match_block *b = mem_zalloc(1, sizeof *b);
    for (uint32_t i = 0; i < MATCH_BLOCK; i++)
        demand_clear(b, i);
    return b;
}

/* ---- entries come and go ---- */

uint32_t match_block_rank(const struct match_block *b, const struct match_order *o)
{
    uint32_t from = 0, to = b->count;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (match_is_before(&b->at[mid].order, o))
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
        memmove(lane(b, r, to), lane(b, r, from), count * sizeof(int32_t));
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
        struct res d = match_block_demand(b, i);
        raise_most(b, &d);
    }
}

void match_block_insert(struct match_block *b, uint32_t i, const struct match_place *p,
                        const struct res *demand)
{
    entries_move(b, i + 1, i, b->count++ - i);
    demand_set(b, i, demand);
    b->at[i] = *p;
    raise_most(b, demand);
}

void match_block_remove(struct match_block *b, uint32_t i)
{
    struct res gone = match_block_demand(b, i);
    entries_move(b, i, i + 1, --b->count - i);
    demand_clear(b, b->count);
    for (int r = 0; r < RES_COUNT; r++)
        if (gone.v[r] > 0 && gone.v[r] == b->most.v[r]) {
            renew_most(b);
            return;
        }
}

void match_block_split(struct match_block *b, uint32_t from, struct match_block *rest)
{
    for (uint32_t i = from; i < b->count; i++) {
        struct res d = match_block_demand(b, i);
        match_block_insert(rest, rest->count, &b->at[i], &d);
        demand_clear(b, i);
    }
    b->count = from;
    renew_most(b);
}

struct fit_edge match_block_edge(const struct match_block *b)
{
    struct fit_edge e = {.count = 0};
    for (uint32_t i = 0; i < b->count; i++) {
        struct res d = match_block_demand(b, i);
        fit_edge_add(&e, &d);
    }
    return e;
}

/* ---- a server looks ---- */

static uint32_t vectors_of(const struct match_block *b)
{
    return (b->count + MATCH_LANES - 1) / MATCH_LANES;
}

/* -1 for each of a vector that does not fit. */
static inline match_ints not_fitting(const struct match_block *b, uint32_t v,
                                     const struct match_look *k)
{
    match_ints not = {0};
    for (int n = 0; n < k->resources; n++)
        not |= b->demand[k->r[n]][v] > k->free.v[k->r[n]];
    return not ;
}

uint64_t match_block_fitting(const struct match_block *b, const struct match_look *k)
{
    uint64_t not = 0;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++)
        not |= (uint64_t)res_vector_bits(not_fitting(b, v, k)) << (v * MATCH_LANES);
    return ~not &~UINT64_C(0) >> (MATCH_BLOCK - b->count);
}

/* How much more a demand of the block scores at most than its size times the least share. */
static inline float excess_of(const struct match_block *b, const struct match_look *k)
{
    float sum = 0;
    for (int n = 0; n < k->resources; n++) {
        int32_t most = b->most.v[k->r[n]], free = k->free.v[k->r[n]];
        sum += (float)(most < free ? most : free) * k->unit[n] * (k->share[n] - k->least);
    }
    return sum;
}

/* Scores of a vector of demands; below 0 of those that do not fit. */
static inline match_floats scores_of(const struct match_block *b, uint32_t v,
                                     const struct match_look *k)
{
    const match_floats less = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    match_floats sum = (match_floats)((match_ints)less & not_fitting(b, v, k));
    for (int n = 0; n < k->resources; n++)
        sum += __builtin_convertvector(b->demand[k->r[n]][v], match_floats) * k->weight[n];
    return sum;
}

static inline match_floats larger(match_floats a, match_floats b)
{
#ifdef __SSE2__
    return __builtin_ia32_maxps(a, b);
#else
    match_ints more = a > b;
    return (match_floats)(((match_ints)a & more) | ((match_ints)b & ~more));
#endif
}

static inline float largest_of(match_floats a)
{
    a = larger(a, __builtin_shufflevector(a, a, 2, 3, 0, 1));
    return a[0] > a[1] ? a[0] : a[1];
}

/* Two vectors at a time: mostly that is all that has to be looked at. Behind the last entry nothing
 * fits. */
uint64_t match_block_best(const struct match_block *b, const struct match_look *k, float *near)
{
    uint64_t best = 0;
    float most = -1, least = *near, excess = excess_of(b, k);
    for (uint32_t v = 0; v * MATCH_LANES < b->count; v += 2) {
        float size = b->at[v * MATCH_LANES].order.size;
        if ((size * k->least + excess) * (1 + MATCH_SCORE_ERROR) < least)
            break; /* nor do those behind score enough */
        match_floats x = scores_of(b, v, k), y = scores_of(b, v + 1, k);
        float here = largest_of(larger(x, y)), near_here = here * (1 - MATCH_SCORE_ERROR);
        best = near_here > most ? 0 : best;
        most = here > most ? here : most;
        least = near_here > least ? near_here : least;
        uint64_t bits = res_vector_bits(x >= least) | res_vector_bits(y >= least) << MATCH_LANES;
        best |= bits << (v * MATCH_LANES);
    }
    *near = least;
    return best;
}
