/* match_list.c - the method is in match_list.h.
 *
 * A server that has room compares it with thousands of demands to find one. So demands lie in
 * vectors, scores are worked out in single precision for a whole block at once, and only those that
 * come near the largest are worked out as match_score does, which decides. Bits of floating point
 * numbers that are not negative stand in the order of the numbers, and -1 below all of them: it
 * marks what does not fit. Rejected: a heap for each rank, since every placement changes all scores
 * of the server; and a table of demands shared by the entries that have them, which pays only where
 * many are equal, while in traces they differ. */
#include "fit/match_list.h"

#include <string.h>

#include "base/check.h"
#include "fit/match_score.h"

typedef float floats __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(16)));

enum { LANES = 4, BLOCK = 64, VECTORS = BLOCK / LANES };

struct match_block {
    ints demand[RES_COUNT][VECTORS]; /* behind the last entry: more than any server has */
    int64_t key[BLOCK];
    uint64_t tie[BLOCK];
    void *what[BLOCK];
    uint32_t count;
};

static const struct res nothing = {{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}};

void match_list_fini(struct match_list *l)
{
    for (uint32_t i = 0; i < l->blocks.count; i++)
        mem_free(l->blocks.at[i]);
    vec_free(&l->blocks);
    vec_free(&l->least);
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

/* ---- one block ---- */

static struct res demand_at(const struct match_block *b, uint32_t i)
{
    struct res d;
    for (int r = 0; r < RES_COUNT; r++)
        d.v[r] = b->demand[r][i / LANES][i % LANES];
    return d;
}

static void demand_set(struct match_block *b, uint32_t i, const struct res *d)
{
    for (int r = 0; r < RES_COUNT; r++)
        b->demand[r][i / LANES][i % LANES] = d->v[r];
}

static void entry_copy(struct match_block *to, uint32_t i, const struct match_block *from,
                       uint32_t k)
{
    struct res d = demand_at(from, k);
    demand_set(to, i, &d);
    to->key[i] = from->key[k];
    to->tie[i] = from->tie[k];
    to->what[i] = from->what[k];
}

static struct match_block *block_create(void)
{
    struct match_block *b = mem_zalloc(1, sizeof *b);
    for (uint32_t i = 0; i < BLOCK; i++)
        demand_set(b, i, &nothing);
    return b;
}

static void res_lower(struct res *least, const struct res *d)
{
    for (int r = 0; r < RES_COUNT; r++)
        least->v[r] = d->v[r] < least->v[r] ? d->v[r] : least->v[r];
}

static struct res block_least(const struct match_block *b)
{
    struct res least = nothing;
    for (uint32_t i = 0; i < b->count; i++) {
        struct res d = demand_at(b, i);
        res_lower(&least, &d);
    }
    return least;
}

static bool is_before(int64_t key, uint64_t tie, int64_t other_key, uint64_t other_tie)
{
    return key != other_key ? key < other_key : tie < other_tie;
}

/* How many entries of the block stand before (key, tie). */
static uint32_t block_rank(const struct match_block *b, int64_t key, uint64_t tie)
{
    uint32_t from = 0, to = b->count;
    while (from < to) {
        uint32_t mid = (from + to) / 2;
        if (is_before(b->key[mid], b->tie[mid], key, tie))
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

/* ---- the blocks ---- */

/* The last block that does not begin behind (key, tie), or the first one. */
static uint32_t find_block(const struct match_list *l, int64_t key, uint64_t tie)
{
    uint32_t from = 0, to = l->blocks.count;
    while (to - from > 1) {
        uint32_t mid = (from + to) / 2;
        const struct match_block *b = l->blocks.at[mid];
        if (is_before(key, tie, b->key[0], b->tie[0]))
            to = mid;
        else
            from = mid;
    }
    return from;
}

static void add_block(struct match_list *l, uint32_t at, struct match_block *b)
{
    vec_push(&l->blocks, b);
    vec_push(&l->least, nothing);
    uint32_t behind = l->blocks.count - 1 - at;
    memmove(&l->blocks.at[at + 1], &l->blocks.at[at], behind * sizeof *l->blocks.at);
    memmove(&l->least.at[at + 1], &l->least.at[at], behind * sizeof *l->least.at);
    l->blocks.at[at] = b;
    l->least.at[at] = block_least(b);
}

static void drop_block(struct match_list *l, uint32_t at)
{
    uint32_t behind = --l->blocks.count - at;
    l->least.count--;
    mem_free(l->blocks.at[at]);
    memmove(&l->blocks.at[at], &l->blocks.at[at + 1], behind * sizeof *l->blocks.at);
    memmove(&l->least.at[at], &l->least.at[at + 1], behind * sizeof *l->least.at);
}

/* Where to split a full block: between two ranks if possible, since a block of one rank is compared
 * as a whole, and there near the middle. */
static uint32_t split_point(const struct match_block *b)
{
    for (uint32_t off = 0; off < BLOCK / 2; off++) {
        uint32_t below = BLOCK / 2 - off, above = BLOCK / 2 + off;
        if (b->key[below - 1] != b->key[below])
            return below;
        if (b->key[above - 1] != b->key[above])
            return above;
    }
    return BLOCK / 2;
}

static void split_block(struct match_list *l, uint32_t at)
{
    struct match_block *b = l->blocks.at[at], *rest = block_create();
    uint32_t from = split_point(b);
    for (uint32_t i = from; i < BLOCK; i++) {
        entry_copy(rest, rest->count++, b, i);
        demand_set(b, i, &nothing);
    }
    b->count = from;
    l->least.at[at] = block_least(b);
    add_block(l, at + 1, rest);
}

void match_list_insert(struct match_list *l, const struct match_entry *e)
{
    if (l->blocks.count == 0)
        add_block(l, 0, block_create());
    if (l->count == 0)
        l->floor = e->demand;
    uint32_t at = find_block(l, e->key, e->tie);
    if (l->blocks.at[at]->count == BLOCK) {
        split_block(l, at);
        at = find_block(l, e->key, e->tie);
    }
    struct match_block *b = l->blocks.at[at];
    uint32_t i = block_rank(b, e->key, e->tie);
    for (uint32_t k = b->count++; k > i; k--)
        entry_copy(b, k, b, k - 1);
    demand_set(b, i, &e->demand);
    b->key[i] = e->key;
    b->tie[i] = e->tie;
    b->what[i] = e->what;
    l->count++;
    res_lower(&l->least.at[at], &e->demand);
    res_lower(&l->floor, &e->demand);
    for (int r = 0; r < RES_COUNT; r++)
        l->used[r] |= e->demand.v[r] > 0;
}

/* As many entries left as there are blocks: they pay for looking at all. */
static void raise_floor(struct match_list *l)
{
    l->removed = 0;
    l->floor = nothing;
    for (uint32_t i = 0; i < l->least.count; i++)
        res_lower(&l->floor, &l->least.at[i]);
}

void match_list_remove(struct match_list *l, int64_t key, uint64_t tie)
{
    check(l->count > 0);
    uint32_t at = find_block(l, key, tie);
    struct match_block *b = l->blocks.at[at];
    uint32_t i = block_rank(b, key, tie);
    check(i < b->count && b->key[i] == key && b->tie[i] == tie);
    for (b->count--; i < b->count; i++)
        entry_copy(b, i, b, i + 1);
    demand_set(b, b->count, &nothing);
    l->count--;
    if (b->count == 0)
        drop_block(l, at);
    else
        l->least.at[at] = block_least(b);
    if (++l->removed >= l->blocks.count)
        raise_floor(l);
}

/* ---- a server looks ---- */

/* A server in the form in which blocks are compared with it: only resources that are asked for. */
struct look {
    struct res all;
    int resources;
    int r[RES_COUNT];
    int32_t free[RES_COUNT];
    float weight[RES_COUNT]; /* of a unit of demand */
};

/* False: it has less than nothing of a resource, and takes not even what does not need it. */
static bool look_begin(struct look *k, const struct match_list *l, const struct res *free)
{
    k->all = *free;
    k->resources = 0;
    for (int r = 0; r < RES_COUNT; r++) {
        if (free->v[r] < 0)
            return false;
        if (!l->used[r])
            continue;
        k->r[k->resources] = r;
        k->free[k->resources] = free->v[r];
        k->weight[k->resources++] = (float)free->v[r] * l->weight[r];
    }
    return true;
}

/* Scores of a block, as bits; those of what does not fit are -1. */
struct scores {
    ints at[VECTORS];
};

static uint32_t vectors_of(const struct match_block *b)
{
    return (b->count + LANES - 1) / LANES;
}

static ints larger(ints a, ints b)
{
    ints more = a > b;
    return (a & more) | (b & ~more);
}

static bool any(ints mask)
{
    int64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Works all scores of a block out. The largest, or -1 when nothing fits. */
static int32_t block_scores(const struct match_block *b, const struct look *k, struct scores *out)
{
    ints most = {-1, -1, -1, -1};
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++) {
        floats sum = {0};
        ints not = {0};
        for (int n = 0; n < k->resources; n++) {
            ints d = b->demand[k->r[n]][v];
            not |= d > k->free[n];
            sum += __builtin_convertvector(d, floats) * k->weight[n];
        }
        out->at[v] = (ints)sum | not ;
        most = larger(most, out->at[v]);
    }
    int32_t x = most[0] > most[1] ? most[0] : most[1], y = most[2] > most[3] ? most[2] : most[3];
    return x > y ? x : y;
}

static int32_t score_at(const struct scores *s, uint32_t i)
{
    return s->at[i / LANES][i % LANES];
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

/* The best entry so far. */
struct pick {
    void *what; /* NULL: none */
    int64_t key;
    int32_t near; /* smaller scores need not be looked at */
    double score; /* below 0: not worked out, since there was nothing to compare it with */
    struct res demand;
};

/* The rank of a block's first entry that fits, of which there is one: leaves only its scores. The
 * largest of them. */
static int32_t block_first_rank(const struct match_block *b, struct scores *s, int64_t *key)
{
    uint32_t i = 0;
    int32_t most = -1;
    while (score_at(s, i) < 0)
        i++;
    *key = b->key[i];
    for (; i < b->count && b->key[i] == *key; i++)
        most = score_at(s, i) > most ? score_at(s, i) : most;
    for (; i < BLOCK; i++)
        s->at[i / LANES][i % LANES] = -1;
    return most;
}

/* Takes an entry whose score is near the best one's, if it is larger. */
static void consider(struct pick *best, const struct match_list *l, const struct match_block *b,
                     uint32_t i, const struct look *k)
{
    struct res demand = demand_at(b, i);
    double score = -1;
    if (best->what) {
        if (res_equal(&demand, &best->demand))
            return;
        if (best->score < 0)
            best->score = match_score(&best->demand, &k->all, &l->largest);
        score = match_score(&demand, &k->all, &l->largest);
        if (score <= best->score)
            return;
    }
    best->what = b->what[i];
    best->score = score;
    best->demand = demand;
}

/* Considers what the block has of the best rank. */
static void block_consider(struct pick *best, const struct match_list *l,
                           const struct match_block *b, const struct look *k)
{
    struct scores s;
    int32_t most = block_scores(b, k, &s);
    int64_t key = b->key[0];
    if (most >= 0 && key != b->key[b->count - 1])
        most = block_first_rank(b, &s, &key);
    if (most < best->near || (best->what && key != best->key))
        return;
    int32_t near = near_to(most);
    best->key = key;
    best->near = near > best->near ? near : best->near;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++)
        if (any(s.at[v] >= best->near))
            for (uint32_t i = v * LANES; i < (v + 1) * LANES && i < b->count; i++)
                if (score_at(&s, i) >= best->near)
                    consider(best, l, b, i, k);
}

void *match_list_best(const struct match_list *l, const struct res *free)
{
    struct look k;
    struct pick best = {0};
    if (!match_list_may_fit(l, free) || !look_begin(&k, l, free))
        return NULL;
    for (uint32_t n = 0; n < l->blocks.count; n++) {
        if (!res_fits(&l->least.at[n], free))
            continue;
        const struct match_block *b = l->blocks.at[n];
        if (best.what && b->key[0] != best.key)
            break;
        block_consider(&best, l, b, &k);
    }
    return best.what;
}

/* Adds what fits of a block that is of one rank. There is room for all of it. */
static void add_fitting(const struct match_block *b, const struct look *k, struct match_fits *out)
{
    uint32_t count = out->what.count;
    for (uint32_t v = 0, end = vectors_of(b); v < end; v++) {
        ints not = {0};
        for (int n = 0; n < k->resources; n++)
            not |= b->demand[k->r[n]][v] > k->free[n];
        for (uint32_t i = 0; i < LANES && v * LANES + i < b->count; i++) {
            out->what.at[count] = b->what[v * LANES + i];
            count += not [i] == 0;
        }
    }
    out->what.count = count;
}

/* The same of one with several, as far as it is of the rank of those that are there. False: it has
 * others. */
static bool add_fitting_of_rank(const struct match_block *b, const struct res *free, int64_t *key,
                                struct match_fits *out)
{
    for (uint32_t i = 0; i < b->count; i++) {
        struct res demand = demand_at(b, i);
        if (out->what.count > 0 && b->key[i] != *key)
            return false;
        if (!res_fits(&demand, free))
            continue;
        *key = b->key[i];
        out->what.at[out->what.count++] = b->what[i];
    }
    return true;
}

void match_list_fitting(const struct match_list *l, const struct res *free, struct match_fits *out)
{
    struct look k;
    int64_t key = 0;
    vec_clear(&out->what);
    if (!match_list_may_fit(l, free) || !look_begin(&k, l, free))
        return;
    vec_reserve(&out->what, l->count + 1); /* one is written before it is known to fit */
    for (uint32_t n = 0; n < l->blocks.count; n++) {
        const struct match_block *b = l->blocks.at[n];
        if (out->what.count > 0 && b->key[0] != key)
            return;
        if (!res_fits(&l->least.at[n], free))
            continue;
        if (b->key[0] != b->key[b->count - 1]) {
            if (!add_fitting_of_rank(b, free, &key, out))
                return;
            continue;
        }
        key = b->key[0];
        add_fitting(b, &k, out);
    }
}
