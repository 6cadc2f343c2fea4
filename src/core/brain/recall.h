/* recall.h - times remembered by key, in bounded memory.
 *
 * A key in use is kept. Of the others, the RECALL_IDLE_MAX that were used last are kept, if they
 * have any times: a forgotten key is like a new one. */
#pragma once

#include "base/lookup.h"
#include "base/vec.h"
#include "core/brain/moments.h"

enum { RECALL_IDLE_MAX = 10000 };

#define RECALL_NONE UINT32_MAX

struct recall_entry {
    uint64_t key;
    struct moments times;
    uint32_t users;
    uint32_t followed;     /* times.count when its users were last notified */
    uint32_t newer, older; /* in the order in which they were last used, while not in use */
};

/* Open with recall_init, free with recall_fini. */
struct recall {
    struct lookup by_key;
    VEC(struct recall_entry) entries;
    VEC(uint32_t) unused; /* entries without a key */
    uint32_t newest, oldest, idle;
};

void recall_init(struct recall *r);
void recall_fini(struct recall *r);

/* Returns the entry of a key, which is in use until it is released as often as it was taken. Its
 * number is stable, its address is not. */
uint32_t recall_take(struct recall *r, uint64_t key);
/* Releases an entry. */
void recall_release(struct recall *r, uint32_t entry);

/* The times of an entry; count 0 (also for RECALL_NONE): none. */
static inline struct moments recall_times(const struct recall *r, uint32_t entry)
{
    return entry != RECALL_NONE ? r->entries.at[entry].times : (struct moments){0};
}
