/* wait_line.c - the method is in wait_line.h.
 *
 * A block that is full is cut in two; two neighbours that have become small are merged. A member
 * whose rank changes is mostly kept in its block, and then nothing else has to be done.
 *
 * A search reads a byte for each block, so it does grow with the line, but slowly; it is slowest
 * for room that is just too small for the smallest need, which rounded needs cannot show. Rejected:
 * a search tree by demand whose subtrees know their least demands and their first in line. It shows
 * at once whether any member fits, but not which is first: a subtree promises the memory of one
 * member and the rank of another, and with three thousand members a search visited fifty of them.
 * Also rejected: blocks with their members in order. Finding the first of those that fit is less
 * work there, but where ranks change with each launch and each end, as under `fair`, keeping the
 * order is more. */
#include "core/match/wait_line.h"

#include <string.h>

#include "base/sort.h"

enum { BLOCK = FIT_BLOCK, HALF = BLOCK / 2 };

struct wait_block {
    struct fit_block points;      /* what members need */
    struct wait_rank rank[BLOCK]; /* as members have it: theirs is farther away */
    uint32_t member[BLOCK];
    uint32_t count;
    uint32_t at; /* its index in the line */
};

static const struct wait_rank nowhere = {INT64_MAX, UINT64_MAX};

void wait_line_fini(struct wait_line *l)
{
    for (uint32_t i = 0; i < l->blocks.count; i++)
        mem_free(l->blocks.at[i]);
    vec_free(&l->blocks);
    vec_free(&l->from);
    vec_free(&l->at);
    vec_free(&l->unused);
    fit_bounds_fini(&l->bounds);
    *l = (struct wait_line){0};
}

static void put(struct wait_line *l, struct wait_block *b, uint32_t slot, uint32_t member)
{
    struct wait_member *m = &l->at.at[member];
    fit_block_put(&b->points, l->scale.rows, slot, fit_point_of(&l->scale, &m->need));
    b->rank[slot] = m->rank;
    b->member[slot] = member;
    m->block = b;
    m->slot = slot;
}

/* ---- blocks ---- */

/* Makes bounds anew, with room for all blocks and one more. */
static void bounds_make(struct wait_line *l)
{
    uint32_t cap = l->bounds.cap ? l->bounds.cap : BLOCK;
    while (cap <= l->blocks.count)
        cap *= 2;
    fit_bounds_make(&l->bounds, l->scale.rows, cap);
    for (uint32_t i = 0; i < l->blocks.count; i++)
        fit_bounds_renew(&l->bounds, i, &l->blocks.at[i]->points);
}

/* Nobody has asked for as much of something. */
static void scale_grow(struct wait_line *l, const struct res *need)
{
    struct res most = l->scale.top;
    for (int r = 0; r < RES_COUNT; r++)
        most.v[r] = need->v[r] > most.v[r] ? need->v[r] : most.v[r];
    l->scale = fit_point_scale(&most);
    for (uint32_t i = 0; i < l->blocks.count; i++)
        for (uint32_t k = 0; k < l->blocks.at[i]->count; k++)
            put(l, l->blocks.at[i], k, l->blocks.at[i]->member[k]);
    bounds_make(l);
}

/* The last block that does not begin behind this rank, or the first one. */
static uint32_t find_block(const struct wait_line *l, struct wait_rank rank)
{
    uint32_t at = 0;
    for (uint32_t count = l->blocks.count, half; count > 1; count -= half) {
        half = count / 2;
        at += wait_rank_before(rank, l->from.at[at + half]) ? 0 : half;
    }
    return at;
}

static void number_from(struct wait_line *l, uint32_t i)
{
    for (; i < l->blocks.count; i++)
        l->blocks.at[i]->at = i;
}

/* An empty block before those from number `i` on. */
static struct wait_block *block_add(struct wait_line *l, uint32_t i, struct wait_rank from)
{
    if (l->blocks.count == l->bounds.cap)
        bounds_make(l);
    fit_bounds_shift(&l->bounds, i, 1);
    struct wait_block *b = mem_zalloc(1, sizeof *b);
    memset(b->points.column, FIT_NOWHERE, sizeof b->points.column);
    vec_push(&l->blocks, b);
    vec_push(&l->from, from);
    uint32_t behind = l->blocks.count - 1 - i;
    memmove(&l->blocks.at[i + 1], &l->blocks.at[i], behind * sizeof *l->blocks.at);
    memmove(&l->from.at[i + 1], &l->from.at[i], behind * sizeof *l->from.at);
    l->blocks.at[i] = b;
    l->from.at[i] = from;
    number_from(l, i);
    fit_bounds_renew(&l->bounds, i, &b->points);
    return b;
}

static void block_drop(struct wait_line *l, uint32_t i)
{
    uint32_t behind = --l->blocks.count - i;
    l->from.count--;
    mem_free(l->blocks.at[i]);
    memmove(&l->blocks.at[i], &l->blocks.at[i + 1], behind * sizeof *l->blocks.at);
    memmove(&l->from.at[i], &l->from.at[i + 1], behind * sizeof *l->from.at);
    number_from(l, i);
    fit_bounds_shift(&l->bounds, i + 1, -1);
}

static bool member_before(const void *a, const void *b, const void *line)
{
    const struct wait_line *l = line;
    return wait_rank_before(l->at.at[*(const uint32_t *)a].rank,
                            l->at.at[*(const uint32_t *)b].rank);
}

/* Members from a slot on go to the end of another block. */
static void block_hand_over(struct wait_line *l, struct wait_block *b, uint32_t slot,
                            struct wait_block *to)
{
    for (uint32_t k = slot; k < b->count; k++)
        put(l, to, to->count++, b->member[k]);
    memset(b->points.column + slot, FIT_NOWHERE, BLOCK - slot);
    b->count = slot;
    fit_bounds_renew(&l->bounds, to->at, &to->points);
    fit_bounds_renew(&l->bounds, b->at, &b->points);
}

/* The second half of a full block becomes one of its own. */
static void block_split(struct wait_line *l, struct wait_block *b)
{
    sort_stable(b->member, BLOCK, sizeof *b->member, member_before, l);
    for (uint32_t k = 0; k < HALF; k++)
        put(l, b, k, b->member[k]);
    struct wait_rank from = l->at.at[b->member[HALF]].rank;
    block_hand_over(l, b, HALF, block_add(l, b->at + 1, from));
}

/* Puts a block and the next one together, if there is such and both are small. */
static void block_merge(struct wait_line *l, uint32_t i)
{
    if (i + 1 >= l->blocks.count || l->blocks.at[i]->count + l->blocks.at[i + 1]->count > HALF)
        return;
    block_hand_over(l, l->blocks.at[i + 1], 0, l->blocks.at[i]);
    block_drop(l, i + 1);
}

/* ---- members ---- */

static void enter(struct wait_line *l, uint32_t member)
{
    struct wait_rank rank = l->at.at[member].rank;
    if (l->blocks.count == 0)
        (void)block_add(l, 0, nowhere);
    struct wait_block *b = l->blocks.at[find_block(l, rank)];
    if (b->count == BLOCK) {
        block_split(l, b);
        b = l->blocks.at[find_block(l, rank)];
    }
    put(l, b, b->count++, member);
    fit_bounds_add(&l->bounds, b->at, fit_block_at(&b->points, l->scale.rows, b->count - 1));
}

static void leave(struct wait_line *l, uint32_t member)
{
    struct wait_block *b = l->at.at[member].block;
    uint32_t slot = l->at.at[member].slot, last = --b->count;
    fit_block_put(&b->points, l->scale.rows, slot, fit_block_at(&b->points, l->scale.rows, last));
    b->points.column[last] = FIT_NOWHERE;
    b->rank[slot] = b->rank[last];
    b->member[slot] = b->member[last];
    l->at.at[b->member[last]].slot = slot;
    block_merge(l, b->at);
    if (b->at > 0)
        block_merge(l, b->at - 1);
}

uint32_t wait_line_add(struct wait_line *l, const struct res *need, int64_t key, uint64_t tie,
                       void *owner)
{
    if (l->bounds.cap == 0 || !res_fits(need, &l->scale.top))
        scale_grow(l, need);
    uint32_t member = vec_take(&l->at, &l->unused);
    l->at.at[member] = (struct wait_member){.need = *need, .rank = {key, tie}, .owner = owner};
    enter(l, member);
    return member;
}

void wait_line_remove(struct wait_line *l, uint32_t member)
{
    leave(l, member);
    vec_push(&l->unused, member);
    l->at.at[member].rank = nowhere;
}

/* Whether the rank is one of block `i`. */
static bool is_within(const struct wait_line *l, uint32_t i, struct wait_rank rank)
{
    return (i == 0 || !wait_rank_before(rank, l->from.at[i])) &&
           (i + 1 == l->blocks.count || wait_rank_before(rank, l->from.at[i + 1]));
}

void wait_line_rekey(struct wait_line *l, uint32_t member, int64_t key, uint64_t tie)
{
    struct wait_member *m = &l->at.at[member];
    struct wait_block *b = m->block;
    m->rank = (struct wait_rank){key, tie};
    if (is_within(l, b->at, m->rank)) {
        b->rank[m->slot] = m->rank;
    } else {
        leave(l, member);
        enter(l, member);
    }
}

/* ---- searching ---- */

/* The first in block `i` that fits, or WAIT_NONE. */
static uint32_t first_in(const struct wait_line *l, uint32_t i, struct fit_point point,
                         const struct res *room)
{
    const struct wait_block *b = l->blocks.at[i];
    uint64_t bits = fit_block_within(&b->points, l->scale.rows, point);
    if (!bits)
        fit_bounds_mend(&l->bounds, i, &b->points, fit_point_column(point));
    uint32_t first = WAIT_NONE;
    struct wait_rank rank = nowhere;
    for (; bits; bits &= bits - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(bits);
        if (wait_rank_before(b->rank[slot], rank) &&
            res_fits(&l->at.at[b->member[slot]].need, room)) {
            first = b->member[slot];
            rank = b->rank[slot];
        }
    }
    return first;
}

uint32_t wait_line_first(const struct wait_line *l, const struct res *room)
{
    struct fit_point p = fit_point_of(&l->scale, room);
    uint32_t first = WAIT_NONE, end = l->blocks.count;
    for (uint32_t i = 0; i < end && first == WAIT_NONE; i += 64) {
        uint64_t bits = fit_bounds_within(&l->bounds, p, i);
        bits &= end - i < 64 ? ~(~UINT64_C(0) << (end - i)) : ~UINT64_C(0);
        for (; bits && first == WAIT_NONE; bits &= bits - 1)
            first = first_in(l, i + (uint32_t)__builtin_ctzll(bits), p, room);
    }
    return first;
}
