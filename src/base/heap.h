/* heap.h - a binary min-heap ordered by (key, tie) whose members know their index, so that a
 * member's key can change and any member can be removed. The order is total as long as ties differ:
 * nothing depends on addresses or on insertion order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEAP_NOWHERE UINT32_MAX

struct heap_item {
    int64_t key;
    uint64_t tie;
    uint32_t *heap_index; /* the member's own record of its index; HEAP_NOWHERE when outside */
};

struct heap {
    struct heap_item *at;
    uint32_t count, cap;
};

/* Frees the heap's memory. The indices of members that are still inside become stale. */
void heap_fini(struct heap *h);

/* Adds a member that is outside (*heap_index == HEAP_NOWHERE). `heap_index` must keep its address
 * until the member is removed. */
void heap_push(struct heap *h, int64_t key, uint64_t tie, uint32_t *heap_index);

/* The member with the least (key, tie), or NULL if the heap is empty. Valid until the heap
 * changes. */
static inline const struct heap_item *heap_top(const struct heap *h)
{
    return h->count ? &h->at[0] : NULL;
}

/* Changes the key of a member. */
void heap_rekey(struct heap *h, uint32_t *heap_index, int64_t key);

/* Changes the key and the tie of a member. */
void heap_move(struct heap *h, uint32_t *heap_index, int64_t key, uint64_t tie);

/* Removes a member and sets *heap_index to HEAP_NOWHERE. */
void heap_remove(struct heap *h, uint32_t *heap_index);
