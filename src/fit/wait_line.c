/* wait_line.c - the method is in wait_line.h.
 *
 * A block that is full is cut in two; two neighbours that have become small are put together.
 *
 * To search takes a byte for each block, so it does grow with the line, but a line of a million
 * members is looked through in two microseconds (up to ten for a room that is just too small for
 * the least of them, which rounded needs cannot tell). Rejected: a search tree by demand whose
 * subtrees know their least demands and their first in line. Whether anybody fits is known there at
 * once, but not who is first: a subtree promises the memory of one member and the place of another,
 * and with three thousand members a search came by fifty of them. Also rejected: blocks in which
 * members stand as they came. Each that fits had to be looked at, to see who is first. */
#include "fit/wait_line.h"

#include <string.h>

enum { BLOCK = FIT_BLOCK, HALF = BLOCK / 2 };

/* Members by their places. */
struct wait_block {
    struct fit_block points; /* what they need */
    struct wait_place place[BLOCK];
    uint32_t member[BLOCK];
    uint32_t count;
    uint32_t at; /* its index in the line */
};

static const struct wait_place nowhere = {INT64_MAX, UINT64_MAX};

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

/* ---- slots of a block ---- */

static bool place_equal(struct wait_place a, struct wait_place b)
{
    return a.key == b.key && a.tie == b.tie;
}

/* How many places, which are in order, are before this one. */
static uint32_t places_before(const struct wait_place *at, uint32_t count, struct wait_place place)
{
    const struct wait_place *from = at;
    for (uint32_t half; count > 1; count -= half) {
        half = count / 2;
        from += wait_place_before(from[half - 1], place) ? half : 0;
    }
    return (uint32_t)(from - at) + (count == 1 && wait_place_before(*from, place));
}

static uint32_t slot_of(const struct wait_block *b, struct wait_place place)
{
    return places_before(b->place, b->count, place);
}

/* Moves all from one slot on to another. */
static void slots_move(const struct wait_line *l, struct wait_block *b, uint32_t from, uint32_t to)
{
    uint32_t count = b->count - from;
    memmove(b->points.column + to, b->points.column + from, count);
    for (uint32_t row = 0; row < l->scale.rows; row++)
        memmove(b->points.level[row] + to, b->points.level[row] + from, count);
    memmove(b->place + to, b->place + from, count * sizeof *b->place);
    memmove(b->member + to, b->member + from, count * sizeof *b->member);
}

static void slot_open(const struct wait_line *l, struct wait_block *b, uint32_t slot)
{
    slots_move(l, b, slot, slot + 1);
    b->count++;
}

static void slot_close(const struct wait_line *l, struct wait_block *b, uint32_t slot)
{
    slots_move(l, b, slot + 1, slot);
    b->points.column[--b->count] = FIT_NOWHERE;
}

static void put(struct wait_line *l, struct wait_block *b, uint32_t slot, uint32_t member)
{
    struct wait_member *m = &l->at.at[member];
    fit_block_put(&b->points, l->scale.rows, slot, fit_point_of(&l->scale, &m->need));
    b->place[slot] = m->place;
    b->member[slot] = member;
    m->block = b;
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

/* The last block that does not begin behind this place, or the first one. */
static uint32_t find_block(const struct wait_line *l, struct wait_place place)
{
    uint32_t behind = places_before(l->from.at + 1, l->blocks.count - 1, place);
    bool begins = behind + 1 < l->blocks.count && place_equal(l->from.at[behind + 1], place);
    return behind + begins;
}

static void number_from(struct wait_line *l, uint32_t i)
{
    for (; i < l->blocks.count; i++)
        l->blocks.at[i]->at = i;
}

/* An empty block before those from number `i` on. */
static struct wait_block *block_add(struct wait_line *l, uint32_t i, struct wait_place from)
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
    block_hand_over(l, b, HALF, block_add(l, b->at + 1, b->place[HALF]));
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
    struct wait_place place = l->at.at[member].place;
    if (l->blocks.count == 0)
        (void)block_add(l, 0, nowhere);
    struct wait_block *b = l->blocks.at[find_block(l, place)];
    if (b->count == BLOCK) {
        block_split(l, b);
        b = l->blocks.at[find_block(l, place)];
    }
    uint32_t slot = slot_of(b, place);
    slot_open(l, b, slot);
    put(l, b, slot, member);
    fit_bounds_add(&l->bounds, b->at, fit_block_at(&b->points, l->scale.rows, slot));
}

static void leave(struct wait_line *l, uint32_t member)
{
    struct wait_block *b = l->at.at[member].block;
    slot_close(l, b, slot_of(b, l->at.at[member].place));
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
    l->at.at[member] = (struct wait_member){.need = *need, .place = {key, tie}, .owner = owner};
    enter(l, member);
    return member;
}

void wait_line_remove(struct wait_line *l, uint32_t member)
{
    leave(l, member);
    vec_push(&l->unused, member);
    l->at.at[member].place = nowhere;
}

/* Whether the place is one of block `i`. */
static bool is_within(const struct wait_line *l, uint32_t i, struct wait_place place)
{
    return (i == 0 || !wait_place_before(place, l->from.at[i])) &&
           (i + 1 == l->blocks.count || wait_place_before(place, l->from.at[i + 1]));
}

void wait_line_rekey(struct wait_line *l, uint32_t member, int64_t key, uint64_t tie)
{
    struct wait_member *m = &l->at.at[member];
    struct wait_block *b = m->block;
    struct wait_place old = m->place, place = {key, tie};
    if (!is_within(l, b->at, place)) {
        leave(l, member);
        m->place = place;
        enter(l, member);
        return;
    }
    slot_close(l, b, slot_of(b, old));
    m->place = place;
    uint32_t slot = slot_of(b, place);
    slot_open(l, b, slot);
    put(l, b, slot, member);
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
    for (; bits; bits &= bits - 1) {
        uint32_t member = b->member[__builtin_ctzll(bits)];
        if (res_fits(&l->at.at[member].need, room))
            return member;
    }
    return WAIT_NONE;
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
