/* wait_queue.c - the method is in wait_queue.h.
 *
 * A block that is full is cut in two; two neighbours that have become small are merged. A member
 * whose rank changes is mostly kept in its block, and then nothing else has to be done.
 *
 * A search reads a byte for each block, so it does grow with the queue, but slowly; it is slowest
 * for room that is just too small for the smallest need, which rounded needs cannot show. Rejected:
 * a search tree by demand whose subtrees know their least demands and their first member. It shows
 * at once whether any member fits, but not which is first: a subtree promises the memory of one
 * member and the rank of another, and with three thousand members a search visited fifty of them.
 * Also rejected: blocks with their members in order. Finding the first of those that fit is less
 * work there, but where ranks change with each launch and each end, as under `fair`, keeping the
 * order is more. */
#include "core/match/wait_queue.h"

#include <string.h>

#include "base/sort.h"

enum { BLOCK = FIT_BLOCK, HALF = BLOCK / 2 };

struct wait_block {
    struct fit_block points;      /* what members need */
    struct wait_rank rank[BLOCK]; /* as members have it: theirs is farther away */
    uint32_t member[BLOCK];
    uint32_t count;
    uint32_t at; /* its index in the queue */
};

static const struct wait_rank nowhere = {INT64_MAX, UINT64_MAX};

void wait_queue_fini(struct wait_queue *q)
{
    for (uint32_t i = 0; i < q->blocks.count; i++)
        mem_free(q->blocks.at[i]);
    vec_free(&q->blocks);
    vec_free(&q->from);
    vec_free(&q->at);
    vec_free(&q->unused);
    block_bounds_fini(&q->bounds);
    *q = (struct wait_queue){0};
}

static void put(struct wait_queue *q, struct wait_block *b, uint32_t slot, uint32_t member)
{
    struct wait_member *m = &q->at.at[member];
    fit_block_put(&b->points, q->scale.rows, slot, fit_point_of(&q->scale, &m->need));
    b->rank[slot] = m->rank;
    b->member[slot] = member;
    m->block = b;
    m->slot = slot;
}

/* ---- blocks ---- */

/* Makes bounds anew, with room for all blocks and one more. */
static void bounds_make(struct wait_queue *q)
{
    uint32_t cap = q->bounds.cap ? q->bounds.cap : BLOCK;
    while (cap <= q->blocks.count)
        cap *= 2;
    block_bounds_make(&q->bounds, q->scale.rows, cap);
    for (uint32_t i = 0; i < q->blocks.count; i++)
        block_bounds_renew(&q->bounds, i, &q->blocks.at[i]->points);
}

/* Nobody has asked for as much of something. */
static void scale_grow(struct wait_queue *q, const struct res *need)
{
    struct res most = q->scale.top;
    for (int r = 0; r < RES_COUNT; r++)
        most.v[r] = need->v[r] > most.v[r] ? need->v[r] : most.v[r];
    q->scale = block_bounds_scale(&most);
    for (uint32_t i = 0; i < q->blocks.count; i++)
        for (uint32_t k = 0; k < q->blocks.at[i]->count; k++)
            put(q, q->blocks.at[i], k, q->blocks.at[i]->member[k]);
    bounds_make(q);
}

/* The last block that does not begin behind this rank, or the first one. */
static uint32_t find_block(const struct wait_queue *q, struct wait_rank rank)
{
    uint32_t at = 0;
    for (uint32_t count = q->blocks.count, half; count > 1; count -= half) {
        half = count / 2;
        at += wait_rank_before(rank, q->from.at[at + half]) ? 0 : half;
    }
    return at;
}

static void number_from(struct wait_queue *q, uint32_t i)
{
    for (; i < q->blocks.count; i++)
        q->blocks.at[i]->at = i;
}

/* An empty block before those from number `i` on. */
static struct wait_block *block_add(struct wait_queue *q, uint32_t i, struct wait_rank from)
{
    if (q->blocks.count == q->bounds.cap)
        bounds_make(q);
    block_bounds_shift(&q->bounds, i, 1);
    struct wait_block *b = mem_zalloc(1, sizeof *b);
    memset(b->points.column, FIT_NOWHERE, sizeof b->points.column);
    vec_push(&q->blocks, b);
    vec_push(&q->from, from);
    uint32_t behind = q->blocks.count - 1 - i;
    memmove(&q->blocks.at[i + 1], &q->blocks.at[i], behind * sizeof *q->blocks.at);
    memmove(&q->from.at[i + 1], &q->from.at[i], behind * sizeof *q->from.at);
    q->blocks.at[i] = b;
    q->from.at[i] = from;
    number_from(q, i);
    block_bounds_renew(&q->bounds, i, &b->points);
    return b;
}

static void block_drop(struct wait_queue *q, uint32_t i)
{
    uint32_t behind = --q->blocks.count - i;
    q->from.count--;
    mem_free(q->blocks.at[i]);
    memmove(&q->blocks.at[i], &q->blocks.at[i + 1], behind * sizeof *q->blocks.at);
    memmove(&q->from.at[i], &q->from.at[i + 1], behind * sizeof *q->from.at);
    number_from(q, i);
    block_bounds_shift(&q->bounds, i + 1, -1);
}

static bool member_before(const void *a, const void *b, const void *queue)
{
    const struct wait_queue *q = queue;
    return wait_rank_before(q->at.at[*(const uint32_t *)a].rank,
                            q->at.at[*(const uint32_t *)b].rank);
}

/* Members from a slot on go to the end of another block. */
static void block_hand_over(struct wait_queue *q, struct wait_block *b, uint32_t slot,
                            struct wait_block *to)
{
    for (uint32_t k = slot; k < b->count; k++)
        put(q, to, to->count++, b->member[k]);
    memset(b->points.column + slot, FIT_NOWHERE, BLOCK - slot);
    b->count = slot;
    block_bounds_renew(&q->bounds, to->at, &to->points);
    block_bounds_renew(&q->bounds, b->at, &b->points);
}

/* The second half of a full block becomes one of its own. */
static void block_split(struct wait_queue *q, struct wait_block *b)
{
    sort_stable(b->member, BLOCK, sizeof *b->member, member_before, q);
    for (uint32_t k = 0; k < HALF; k++)
        put(q, b, k, b->member[k]);
    struct wait_rank from = q->at.at[b->member[HALF]].rank;
    block_hand_over(q, b, HALF, block_add(q, b->at + 1, from));
}

/* Puts a block and the next one together, if there is such and both are small. */
static void block_merge(struct wait_queue *q, uint32_t i)
{
    if (i + 1 >= q->blocks.count || q->blocks.at[i]->count + q->blocks.at[i + 1]->count > HALF)
        return;
    block_hand_over(q, q->blocks.at[i + 1], 0, q->blocks.at[i]);
    block_drop(q, i + 1);
}

/* ---- members ---- */

static void enter(struct wait_queue *q, uint32_t member)
{
    struct wait_rank rank = q->at.at[member].rank;
    if (q->blocks.count == 0)
        (void)block_add(q, 0, nowhere);
    struct wait_block *b = q->blocks.at[find_block(q, rank)];
    if (b->count == BLOCK) {
        block_split(q, b);
        b = q->blocks.at[find_block(q, rank)];
    }
    put(q, b, b->count++, member);
    block_bounds_add(&q->bounds, b->at, fit_block_at(&b->points, q->scale.rows, b->count - 1));
}

static void leave(struct wait_queue *q, uint32_t member)
{
    struct wait_block *b = q->at.at[member].block;
    uint32_t slot = q->at.at[member].slot, last = --b->count;
    fit_block_put(&b->points, q->scale.rows, slot, fit_block_at(&b->points, q->scale.rows, last));
    b->points.column[last] = FIT_NOWHERE;
    b->rank[slot] = b->rank[last];
    b->member[slot] = b->member[last];
    q->at.at[b->member[last]].slot = slot;
    block_merge(q, b->at);
    if (b->at > 0)
        block_merge(q, b->at - 1);
}

uint32_t wait_queue_add(struct wait_queue *q, const struct res *need, int64_t key, uint64_t tie,
                        void *owner)
{
    if (q->bounds.cap == 0 || !res_fits(need, &q->scale.top))
        scale_grow(q, need);
    uint32_t member = vec_take(&q->at, &q->unused);
    q->at.at[member] = (struct wait_member){.need = *need, .rank = {key, tie}, .owner = owner};
    enter(q, member);
    return member;
}

void wait_queue_remove(struct wait_queue *q, uint32_t member)
{
    leave(q, member);
    vec_push(&q->unused, member);
    q->at.at[member].rank = nowhere;
}

/* Whether the rank is one of block `i`. */
static bool is_within(const struct wait_queue *q, uint32_t i, struct wait_rank rank)
{
    return (i == 0 || !wait_rank_before(rank, q->from.at[i])) &&
           (i + 1 == q->blocks.count || wait_rank_before(rank, q->from.at[i + 1]));
}

void wait_queue_rekey(struct wait_queue *q, uint32_t member, int64_t key, uint64_t tie)
{
    struct wait_member *m = &q->at.at[member];
    struct wait_block *b = m->block;
    m->rank = (struct wait_rank){key, tie};
    if (is_within(q, b->at, m->rank)) {
        b->rank[m->slot] = m->rank;
    } else {
        leave(q, member);
        enter(q, member);
    }
}

/* ---- searching ---- */

/* The first in block `i` that fits, or WAIT_NONE. */
static uint32_t first_in(const struct wait_queue *q, uint32_t i, struct fit_point point,
                         const struct res *room)
{
    const struct wait_block *b = q->blocks.at[i];
    uint64_t bits = fit_block_within(&b->points, q->scale.rows, point);
    if (!bits)
        block_bounds_mend(&q->bounds, i, &b->points, fit_point_column(point));
    uint32_t first = WAIT_NONE;
    struct wait_rank rank = nowhere;
    for (; bits; bits &= bits - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(bits);
        if (wait_rank_before(b->rank[slot], rank) &&
            res_fits(&q->at.at[b->member[slot]].need, room)) {
            first = b->member[slot];
            rank = b->rank[slot];
        }
    }
    return first;
}

uint32_t wait_queue_first(const struct wait_queue *q, const struct res *room)
{
    struct fit_point p = fit_point_of(&q->scale, room);
    uint32_t first = WAIT_NONE, end = q->blocks.count;
    for (uint32_t i = 0; i < end && first == WAIT_NONE; i += 64) {
        uint64_t bits = block_bounds_within(&q->bounds, p, i);
        bits &= end - i < 64 ? ~(~UINT64_C(0) << (end - i)) : ~UINT64_C(0);
        for (; bits && first == WAIT_NONE; bits &= bits - 1)
            first = first_in(q, i + (uint32_t)__builtin_ctzll(bits), p, room);
    }
    return first;
}
