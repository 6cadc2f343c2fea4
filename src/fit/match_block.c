/* match_block.c - the method is in match_block.h.
 *
 * Bits of floating point numbers that are not negative stand in the order of the numbers, and -1
 * below all of them: it marks what does not fit. Mostly two resources are asked for; that loop is
 * made twice, so that the compiler knows their number. */
#include "fit/match_block.h"

#include <string.h>

#include "base/mem.h"

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

uint32_t match_block_rank(const struct match_block *b, int64_t key, uint64_t tie)
{
    uint32_t from = 0, to = b->count;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        const struct match_place *p = &b->at[mid];
        if (p->key != key ? p->key < key : p->tie < tie)
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

void match_block_insert(struct match_block *b, uint32_t i, const struct match_entry *e)
{
    entries_move(b, i + 1, i, b->count++ - i);
    demand_set(b, i, &e->demand);
    b->at[i] = (struct match_place){e->key, e->tie, e->what};
}

void match_block_remove(struct match_block *b, uint32_t i)
{
    entries_move(b, i, i + 1, --b->count - i);
    demand_clear(b, b->count);
}

void match_block_split(struct match_block *b, uint32_t from, struct match_block *rest)
{
    for (uint32_t i = from; i < b->count; i++) {
        struct res d = match_block_demand(b, i);
        demand_set(rest, rest->count, &d);
        rest->at[rest->count++] = b->at[i];
        demand_clear(b, i);
    }
    b->count = from;
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

/* A bit for each that is -1; the others are 0. */
static inline uint32_t bits_of(match_ints mask)
{
#ifdef __SSE2__
    return (uint32_t)__builtin_ia32_movmskps((match_floats)mask);
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < MATCH_LANES; i++)
        bits |= (uint32_t)(mask[i] != 0) << i;
    return bits;
#endif
}

/* -1 for each of a vector that does not fit. */
static inline match_ints not_fitting(const struct match_block *b, uint32_t v,
                                     const struct match_look *k, int resources)
{
    match_ints not = {0};
    for (int n = 0; n < resources; n++)
        not |= b->demand[k->r[n]][v] > k->free.v[k->r[n]];
    return not ;
}

static inline uint64_t fitting_of(const struct match_block *b, const struct match_look *k,
                                  int resources)
{
    uint64_t not = 0;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++)
        not |= (uint64_t)bits_of(not_fitting(b, v, k, resources)) << (v * MATCH_LANES);
    return ~not &~UINT64_C(0) >> (MATCH_BLOCK - b->count);
}

uint64_t match_block_fitting(const struct match_block *b, const struct match_look *k)
{
    return k->resources == 2 ? fitting_of(b, k, 2) : fitting_of(b, k, k->resources);
}

static inline match_ints larger(match_ints a, match_ints b)
{
    match_ints more = a > b;
    return (a & more) | (b & ~more);
}

static inline int32_t scores_of(const struct match_block *b, const struct match_look *k,
                                int resources, struct match_scores *out)
{
    match_ints most = {-1, -1, -1, -1};
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++) {
        match_floats sum = {0};
        for (int n = 0; n < resources; n++)
            sum += __builtin_convertvector(b->demand[k->r[n]][v], match_floats) * k->weight[n];
        out->at[v] = (match_ints)sum | not_fitting(b, v, k, resources);
        most = larger(most, out->at[v]);
    }
    int32_t x = most[0] > most[1] ? most[0] : most[1], y = most[2] > most[3] ? most[2] : most[3];
    return x > y ? x : y;
}

int32_t match_block_score(const struct match_block *b, const struct match_look *k,
                          struct match_scores *out)
{
    return k->resources == 2 ? scores_of(b, k, 2, out) : scores_of(b, k, k->resources, out);
}

uint64_t match_block_above(const struct match_block *b, const struct match_scores *s, int32_t score)
{
    uint64_t above = 0;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++)
        above |= (uint64_t)bits_of(s->at[v] >= score) << (v * MATCH_LANES);
    return above;
}
