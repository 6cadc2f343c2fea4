/* wait_queue.h - a queue of members that wait for room, and a search for the first that fits.
 *
 * The queue is cut into blocks of up to 64 members (block_bounds.h): the first block that really
 * has a fitting member has the first of all. Within a block members are unordered. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/match/block_bounds.h"
#include "core/model/res.h"

#define WAIT_NONE UINT32_MAX

/* A rank in the queue: by key, then tie. */
struct wait_rank {
    int64_t key;
    uint64_t tie;
};

struct wait_block;

struct wait_member {
    struct res need;
    struct wait_rank rank;
    void *owner;
    struct wait_block *block;
    uint32_t slot; /* index in the block */
};

/* Zero-initialise; free with wait_queue_fini. */
struct wait_queue {
    VEC(struct wait_member) at;
    VEC(uint32_t) unused;
    VEC(struct wait_block *) blocks; /* in order, ... */
    VEC(struct wait_rank) from;      /* ... beginning here; the rank of the first is not used */
    struct fit_scale scale;
    struct block_bounds bounds; /* of blocks */
};

void wait_queue_fini(struct wait_queue *q);

/* Returns true if the queue has no members. */
static inline bool wait_queue_is_empty(const struct wait_queue *q)
{
    return q->at.count == q->unused.count;
}

/* Returns true if rank `a` is before `b`. Branch-free, because the binary search makes the branch
 * unpredictable. */
static inline bool wait_rank_before(struct wait_rank a, struct wait_rank b)
{
    return (a.key < b.key) | ((a.key == b.key) & (a.tie < b.tie));
}

/* Adds a member and returns its number. Ties must differ. */
uint32_t wait_queue_add(struct wait_queue *q, const struct res *need, int64_t key, uint64_t tie,
                        void *owner);
/* Removes a member. */
void wait_queue_remove(struct wait_queue *q, uint32_t member);

/* Returns true if the number is that of a member with this rank. */
static inline bool wait_queue_has(const struct wait_queue *q, uint32_t member,
                                  struct wait_rank rank)
{
    const struct wait_rank *at = &q->at.at[member].rank;
    return at->key == rank.key && at->tie == rank.tie;
}

/* Prefetches the memory that wait_queue_rekey needs. */
static inline void wait_queue_prefetch(const struct wait_queue *q, uint32_t member)
{
    __builtin_prefetch(&q->at.at[member]);
}

/* Changes the rank of a member. */
void wait_queue_rekey(struct wait_queue *q, uint32_t member, int64_t key, uint64_t tie);

/* The first of those that fit into `room`, or WAIT_NONE. */
uint32_t wait_queue_first(const struct wait_queue *q, const struct res *room);

/* Returns true if any member fits into `room`. */
static inline bool wait_queue_any(const struct wait_queue *q, const struct res *room)
{
    return wait_queue_first(q, room) != WAIT_NONE;
}
