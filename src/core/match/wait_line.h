/* wait_line.h - those who wait for room: who is first among those that fit into it?
 *
 * The line is cut into blocks of up to 64 members (fit_bounds.h): the first block that holds what
 * it promises has the first in line. Within a block members stand as they came. */
#ifndef CORE_MATCH_WAIT_LINE_H
#define CORE_MATCH_WAIT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/fit_bounds.h"
#include "core/model/res.h"

#define WAIT_NONE UINT32_MAX

/* A place in line. */
struct wait_place {
    int64_t key;
    uint64_t tie;
};

struct wait_block;

struct wait_member {
    struct res need;
    struct wait_place place;
    void *owner;
    struct wait_block *block;
    uint32_t slot; /* there */
};

/* Zero-initialise; free with wait_line_fini. */
struct wait_line {
    VEC(struct wait_member) at;
    VEC(uint32_t) unused;
    VEC(struct wait_block *) blocks; /* in order, ... */
    VEC(struct wait_place) from;     /* ... beginning here; the first one's does not count */
    struct fit_scale scale;
    struct fit_bounds bounds; /* of blocks */
};

void wait_line_fini(struct wait_line *l);

static inline bool wait_line_is_empty(const struct wait_line *l)
{
    return l->at.count == l->unused.count;
}

/* Without a branch: searches ask it of places in the middle, and who could foretell the answer? */
static inline bool wait_place_before(struct wait_place a, struct wait_place b)
{
    return (a.key < b.key) | ((a.key == b.key) & (a.tie < b.tie));
}

/* Adds a member and returns its number. Ties must differ. */
uint32_t wait_line_add(struct wait_line *l, const struct res *need, int64_t key, uint64_t tie,
                       void *owner);
void wait_line_remove(struct wait_line *l, uint32_t member);

/* Whether the number is that of a member, and this its place. */
static inline bool wait_line_has(const struct wait_line *l, uint32_t member,
                                 struct wait_place place)
{
    const struct wait_place *at = &l->at.at[member].place;
    return at->key == place.key && at->tie == place.tie;
}

/* The member is about to get another place. */
static inline void wait_line_prefetch(const struct wait_line *l, uint32_t member)
{
    __builtin_prefetch(&l->at.at[member]);
}

/* The member has another place in line. */
void wait_line_rekey(struct wait_line *l, uint32_t member, int64_t key, uint64_t tie);

/* The first in line of those that fit into `room`, or WAIT_NONE. */
uint32_t wait_line_first(const struct wait_line *l, const struct res *room);

/* Whether any fits into it. */
static inline bool wait_line_any(const struct wait_line *l, const struct res *room)
{
    return wait_line_first(l, room) != WAIT_NONE;
}

#endif
