/* recall.h - times remembered by key, in bounded memory.
 *
 * A key that is in use is kept. Of the others the RECALL_IDLE_MAX that were used last are kept, as
 * far as they have learnt anything: a key forgotten is one never seen. */
#ifndef CORE_BRAIN_RECALL_H
#define CORE_BRAIN_RECALL_H

#include "base/lookup.h"
#include "base/vec.h"
#include "core/brain/moments.h"

enum { RECALL_IDLE_MAX = 10000 };

#define RECALL_NONE UINT32_MAX

struct recall_entry {
    uint64_t key;
    struct moments times;
    uint32_t users;
    uint32_t followed;     /* times.count when all who use it were last told of it */
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

/* The entry of a key, which is in use until it is released as often as it was taken. Its number
 * stays, its address does not. */
uint32_t recall_take(struct recall *r, uint64_t key);
void recall_release(struct recall *r, uint32_t entry);

/* What is known; count 0 (also of RECALL_NONE): nothing. */
static inline struct moments recall_times(const struct recall *r, uint32_t entry)
{
    return entry != RECALL_NONE ? r->entries.at[entry].times : (struct moments){0};
}

#endif
