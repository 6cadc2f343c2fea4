/* heap.c - a binary heap in one array.
 *
 * The array holds key and tie next to the pointer to the member's index, so that comparing never
 * leaves the array; indices are written only when an item moves. A moving item is kept in hand
 * while the others shift into the hole, which halves the writes of swapping. A four-way heap was
 * not taken: with 24-byte items four children do not share a cache line, and rekeying, which mostly
 * moves an item by a level or two, would gain nothing. */
#include "base/heap.h"

#include "base/check.h"
#include "base/mem.h"

static inline bool before(const struct heap_item *a, const struct heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static inline void put(struct heap *h, uint32_t i, struct heap_item item)
{
    h->at[i] = item;
    *item.heap_index = i;
}

/* Moves `item` from the hole at `i` towards the top until it fits. */
static void sift_up(struct heap *h, uint32_t i, struct heap_item item)
{
    while (i > 0) {
        uint32_t parent = (i - 1) / 2;
        if (!before(&item, &h->at[parent]))
            break;
        put(h, i, h->at[parent]);
        i = parent;
    }
    put(h, i, item);
}

/* Moves `item` from the hole at `i` towards the bottom until it fits. */
static void sift_down(struct heap *h, uint32_t i, struct heap_item item)
{
    for (;;) {
        uint64_t child = 2 * (uint64_t)i + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && before(&h->at[child + 1], &h->at[child]))
            child++;
        if (!before(&h->at[child], &item))
            break;
        put(h, i, h->at[child]);
        i = (uint32_t)child;
    }
    put(h, i, item);
}

static void settle(struct heap *h, uint32_t i, struct heap_item item)
{
    if (i > 0 && before(&item, &h->at[(i - 1) / 2]))
        sift_up(h, i, item);
    else
        sift_down(h, i, item);
}

void heap_fini(struct heap *h)
{
    mem_free(h->at);
    *h = (struct heap){0};
}

void heap_push(struct heap *h, int64_t key, uint64_t tie, uint32_t *heap_index)
{
    check(*heap_index == HEAP_NOWHERE);
    if (h->count == h->cap) {
        check(h->cap < HEAP_NOWHERE / 2);
        h->cap = h->cap ? 2 * h->cap : 16;
        h->at = mem_resize(h->at, h->cap, sizeof *h->at);
    }
    sift_up(h, h->count++, (struct heap_item){key, tie, heap_index});
}

void heap_rekey(struct heap *h, uint32_t *heap_index, int64_t key)
{
    uint32_t i = *heap_index;
    check(i < h->count && h->at[i].heap_index == heap_index);
    struct heap_item item = h->at[i];
    item.key = key;
    if (h->count == 1)
        h->at[0].key = key;
    else
        settle(h, i, item);
}

void heap_move(struct heap *h, uint32_t *heap_index, int64_t key, uint64_t tie)
{
    uint32_t i = *heap_index;
    check(i < h->count && h->at[i].heap_index == heap_index);
    settle(h, i, (struct heap_item){key, tie, heap_index});
}

void heap_remove(struct heap *h, uint32_t *heap_index)
{
    uint32_t i = *heap_index;
    check(i < h->count && h->at[i].heap_index == heap_index);
    *heap_index = HEAP_NOWHERE;
    struct heap_item last = h->at[--h->count];
    if (i < h->count)
        settle(h, i, last);
}
