/* wait_line.c - the method is in wait_line.h.
 *
 * A block that is full is cut in two by places; two neighbours that have become small are put
 * together. What leaves is taken out of the bound late, when the bound has promised something in
 * vain. A member whose place changes mostly stays in its block, and then nothing else has to be
 * done.
 *
 * To search takes a byte for each block, so it does grow with the line, but a line of a million
 * members is looked through in a microsecond (up to a hundred for a room that is just too small for
 * the least of them, which rounded bounds cannot tell). Rejected: a search tree by demand whose
 * subtrees know their least demands and their first in line. Whether anybody fits is known there at
 * once, but not who is first: a subtree promises the memory of one member and the place of another,
 * and with three thousand members a search came by fifty of them. */
#include "fit/wait_line.h"

#include <string.h>

#include "base/sort.h"

enum {
    BLOCK = 64, /* members; a bit each */
    BYTES = 16, /* that are compared at once */
};

struct wait_block {
    res_vector need[RES_COUNT][BLOCK / RES_COUNT]; /* resource by resource */
    uint32_t member[BLOCK];
    uint32_t count;
    bool left; /* somebody has on whom its bound rests */
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
    mem_free(l->bounds);
    *l = (struct wait_line){0};
}

/* ---- bounds ---- */

/* The bytes of all blocks for a column of a row. */
static uint8_t *bytes_of(const struct wait_line *l, uint32_t row, uint32_t column)
{
    return l->bounds + ((size_t)row * FIT_COLUMNS + column) * l->bounds_cap;
}

/* The member asks for no less than the bound of block `i` says. Bounds fall from column to column:
 * behind one that is low enough all are. */
static void bound_add(struct wait_line *l, uint32_t i, uint32_t member)
{
    struct fit_point p = l->at.at[member].point;
    for (uint32_t row = 0; row < l->scale.rows; row++)
        for (uint32_t c = p.column; c < FIT_COLUMNS; c++) {
            uint8_t *least = bytes_of(l, row, c) + i;
            if (*least <= p.level[row])
                break;
            *least = p.level[row];
        }
}

/* Whether the bound of block `i` would be another without this member, as it is of few. */
static bool bound_rests_on(const struct wait_line *l, uint32_t i, uint32_t member)
{
    struct fit_point p = l->at.at[member].point;
    bool rests = false;
    for (uint32_t row = 0; row < l->scale.rows; row++)
        rests |= bytes_of(l, row, p.column)[i] == p.level[row];
    return rests;
}

static void bound_renew(const struct wait_line *l, uint32_t i)
{
    struct wait_block *b = l->blocks.at[i];
    uint8_t least[RES_COUNT - 1][FIT_COLUMNS];
    memset(least, UINT8_MAX, sizeof least);
    for (uint32_t k = 0; k < b->count; k++) {
        struct fit_point p = l->at.at[b->member[k]].point;
        for (uint32_t row = 0; row < l->scale.rows; row++) {
            uint8_t *at = &least[row][p.column];
            *at = p.level[row] < *at ? p.level[row] : *at;
        }
    }
    for (uint32_t row = 0; row < l->scale.rows; row++) {
        uint8_t so_far = UINT8_MAX;
        for (uint32_t c = 0; c < FIT_COLUMNS; c++) {
            so_far = least[row][c] < so_far ? least[row][c] : so_far;
            bytes_of(l, row, c)[i] = so_far;
        }
    }
    b->left = false;
}

/* Makes bounds anew, with room for all blocks and one more. */
static void bounds_make(struct wait_line *l)
{
    uint32_t cap = l->bounds_cap ? l->bounds_cap : BYTES;
    while (cap <= l->blocks.count)
        cap *= 2;
    mem_free(l->bounds);
    l->bounds = mem_zalloc(cap, fit_bound_size(&l->scale));
    l->bounds_cap = cap;
    for (uint32_t i = 0; i < l->blocks.count; i++)
        bound_renew(l, i);
}

/* Nobody has asked for as much of something. */
static void scale_grow(struct wait_line *l, const struct res *need)
{
    struct res most = l->scale.top;
    for (int r = 0; r < RES_COUNT; r++)
        most.v[r] = need->v[r] > most.v[r] ? need->v[r] : most.v[r];
    l->scale = fit_bound_scale(&most);
    for (uint32_t i = 0; i < l->at.count; i++)
        l->at.at[i].point = fit_bound_point(&l->scale, &l->at.at[i].need);
    bounds_make(l);
}

/* Those from block `i` on move by one. */
static void bounds_shift(struct wait_line *l, uint32_t i, int by)
{
    uint32_t first = by < 0 ? i - 1 : i;
    for (uint32_t row = 0; row < l->scale.rows; row++)
        for (uint32_t c = 0; c < FIT_COLUMNS; c++) {
            uint8_t *at = bytes_of(l, row, c) + i;
            memmove(at + by, at, l->bounds_cap - 1 - first);
        }
}

/* ---- blocks ---- */

/* The last block that does not begin behind this place, or the first one. */
static uint32_t find_block(const struct wait_line *l, struct wait_place place)
{
    uint32_t from = 0, to = l->blocks.count;
    while (to - from > 1) {
        uint32_t mid = (from + to) / 2;
        if (wait_place_before(place, l->from.at[mid]))
            to = mid;
        else
            from = mid;
    }
    return from;
}

static int32_t *need_at(struct wait_block *b, int r, uint32_t slot)
{
    return (int32_t *)b->need[r] + slot;
}

static void put(struct wait_line *l, struct wait_block *b, uint32_t slot, uint32_t member)
{
    for (int r = 0; r < RES_COUNT; r++)
        *need_at(b, r, slot) = l->at.at[member].need.v[r];
    b->member[slot] = member;
    l->at.at[member].slot = slot;
}

/* An empty block before those from number `i` on. */
static struct wait_block *block_add(struct wait_line *l, uint32_t i, struct wait_place from)
{
    if (l->blocks.count == l->bounds_cap)
        bounds_make(l);
    bounds_shift(l, i, 1);
    struct wait_block *b = mem_zalloc(1, sizeof *b);
    vec_push(&l->blocks, b);
    vec_push(&l->from, from);
    uint32_t behind = l->blocks.count - 1 - i;
    memmove(&l->blocks.at[i + 1], &l->blocks.at[i], behind * sizeof *l->blocks.at);
    memmove(&l->from.at[i + 1], &l->from.at[i], behind * sizeof *l->from.at);
    l->blocks.at[i] = b;
    l->from.at[i] = from;
    bound_renew(l, i);
    return b;
}

static void block_drop(struct wait_line *l, uint32_t i)
{
    uint32_t behind = --l->blocks.count - i;
    l->from.count--;
    mem_free(l->blocks.at[i]);
    memmove(&l->blocks.at[i], &l->blocks.at[i + 1], behind * sizeof *l->blocks.at);
    memmove(&l->from.at[i], &l->from.at[i + 1], behind * sizeof *l->from.at);
    bounds_shift(l, i + 1, -1);
}

static bool member_before(const void *a, const void *b, const void *line)
{
    const struct wait_line *l = line;
    return wait_place_before(l->at.at[*(const uint32_t *)a].place,
                             l->at.at[*(const uint32_t *)b].place);
}

/* The second half of a full block becomes one of its own. */
static void block_split(struct wait_line *l, uint32_t i)
{
    struct wait_block *b = l->blocks.at[i];
    uint32_t half = BLOCK / 2;
    sort_stable(b->member, BLOCK, sizeof *b->member, member_before, l);
    struct wait_block *rest = block_add(l, i + 1, l->at.at[b->member[half]].place);
    for (uint32_t k = 0; k < half; k++) {
        put(l, b, k, b->member[k]);
        put(l, rest, k, b->member[half + k]);
    }
    b->count = rest->count = half;
    bound_renew(l, i);
    bound_renew(l, i + 1);
}

/* Puts a block and the next one together, if there is such and both are small. */
static void block_merge(struct wait_line *l, uint32_t i)
{
    if (i + 1 >= l->blocks.count || l->blocks.at[i]->count + l->blocks.at[i + 1]->count > BLOCK / 2)
        return;
    struct wait_block *b = l->blocks.at[i];
    const struct wait_block *next = l->blocks.at[i + 1];
    for (uint32_t k = 0; k < next->count; k++)
        put(l, b, b->count++, next->member[k]);
    block_drop(l, i + 1);
    bound_renew(l, i);
}

/* ---- members ---- */

static void enter(struct wait_line *l, uint32_t member)
{
    struct wait_place place = l->at.at[member].place;
    if (l->blocks.count == 0)
        (void)block_add(l, 0, nowhere);
    uint32_t i = find_block(l, place);
    if (l->blocks.at[i]->count == BLOCK) {
        block_split(l, i);
        i = find_block(l, place);
    }
    put(l, l->blocks.at[i], l->blocks.at[i]->count++, member);
    bound_add(l, i, member);
}

/* Leaves block `i`. */
static void leave(struct wait_line *l, uint32_t i, uint32_t member)
{
    struct wait_block *b = l->blocks.at[i];
    put(l, b, l->at.at[member].slot, b->member[--b->count]);
    b->left |= bound_rests_on(l, i, member);
    block_merge(l, i);
    if (i > 0)
        block_merge(l, i - 1);
}

uint32_t wait_line_add(struct wait_line *l, const struct res *need, int64_t key, uint64_t tie,
                       void *owner)
{
    if (!l->bounds || !res_fits(need, &l->scale.top))
        scale_grow(l, need);
    uint32_t member = vec_take(&l->at, &l->unused);
    l->at.at[member] = (struct wait_member){.need = *need,
                                            .place = {key, tie},
                                            .owner = owner,
                                            .point = fit_bound_point(&l->scale, need)};
    enter(l, member);
    return member;
}

void wait_line_remove(struct wait_line *l, uint32_t member)
{
    leave(l, find_block(l, l->at.at[member].place), member);
    vec_push(&l->unused, member);
    l->at.at[member].place = nowhere;
}

void wait_line_rekey(struct wait_line *l, uint32_t member, int64_t key, uint64_t tie)
{
    struct wait_member *m = &l->at.at[member];
    uint32_t old = find_block(l, m->place);
    m->place = (struct wait_place){key, tie};
    if (find_block(l, m->place) == old)
        return;
    leave(l, old, member);
    enter(l, member);
}

/* ---- searching ---- */

typedef uint8_t byte_vector __attribute__((vector_size(BYTES)));

/* A bit for each of the bytes that is no more than `most`. */
static inline uint32_t at_most(const uint8_t *bytes, uint8_t most)
{
    byte_vector v;
    memcpy(&v, bytes, sizeof v);
#ifdef __SSE2__
    typedef char chars __attribute__((vector_size(BYTES)));
    return (uint32_t)__builtin_ia32_pmovmskb128((chars)(v <= most));
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < BYTES; i++)
        bits |= (uint32_t)(v[i] <= most) << i;
    return bits;
#endif
}

/* The first block from `i` on in which somebody may fit; behind the last: there is none. */
static uint32_t next_promise(const struct wait_line *l, const struct fit_point *room, uint32_t i)
{
    uint32_t bits = UINT32_MAX << i % BYTES;
    for (i -= i % BYTES; i < l->blocks.count; i += BYTES, bits = UINT32_MAX) {
        for (uint32_t row = 0; row < l->scale.rows; row++)
            bits &= at_most(bytes_of(l, row, room->column) + i, room->level[row]);
        if (bits)
            return i + (uint32_t)__builtin_ctz(bits);
    }
    return i;
}

/* A bit for each member that does not ask for too much of the first `count` of these resources. */
static inline uint64_t fitting_in(const struct wait_block *b, const struct res *room, const int *r,
                                  uint32_t count)
{
    uint64_t not = 0;
    for (uint32_t v = 0; v * RES_COUNT < b->count; v++) {
        res_vector more = {0};
        for (uint32_t k = 0; k < count; k++)
            more |= b->need[r[k]][v] > room->v[r[k]];
        not |= (uint64_t)res_vector_bits(more) << v * RES_COUNT;
    }
    return b->count > 0 ? ~not &~UINT64_C(0) >> (BLOCK - b->count) : 0;
}

/* A bit for each member that fits into a room that has no less than nothing of anything: resources
 * that nobody asks for need no look. Mostly there are two, and the compiler shall know. */
static uint64_t fitting(const struct wait_line *l, const struct wait_block *b,
                        const struct res *room)
{
    const struct fit_scale *s = &l->scale;
    return s->rows == 1 ? fitting_in(b, room, s->r, 2) : fitting_in(b, room, s->r, s->rows + 1);
}

static uint32_t first_of(const struct wait_line *l, const struct wait_block *b, uint64_t bits)
{
    uint32_t first = b->member[__builtin_ctzll(bits)];
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        uint32_t other = b->member[__builtin_ctzll(bits)];
        first = wait_place_before(l->at.at[other].place, l->at.at[first].place) ? other : first;
    }
    return first;
}

uint32_t wait_line_first(const struct wait_line *l, const struct res *room)
{
    struct fit_point p = fit_bound_point(&l->scale, room);
    for (uint32_t i = next_promise(l, &p, 0); i < l->blocks.count; i = next_promise(l, &p, i + 1)) {
        uint64_t bits = fitting(l, l->blocks.at[i], room);
        if (bits)
            return first_of(l, l->blocks.at[i], bits);
        if (l->blocks.at[i]->left)
            bound_renew(l, i);
    }
    return WAIT_NONE;
}
