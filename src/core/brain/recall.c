#include "core/brain/recall.h"

#include "base/check.h"
#include "base/list.h"

void recall_init(struct recall *r)
{
    *r = (struct recall){.newest = RECALL_NONE, .oldest = RECALL_NONE};
}

void recall_fini(struct recall *r)
{
    lookup_fini(&r->by_key);
    vec_free(&r->entries);
    vec_free(&r->unused);
}

static void recall_leave_line(struct recall *r, uint32_t entry)
{
    if (r->oldest == entry)
        r->oldest = r->entries.at[entry].newer;
    list_remove(r->entries.at, r->newest, entry, newer, older, RECALL_NONE);
    r->idle--;
}

static void recall_forget(struct recall *r, uint32_t entry)
{
    lookup_remove(&r->by_key, r->entries.at[entry].key);
    vec_push(&r->unused, entry);
}

uint32_t recall_take(struct recall *r, uint64_t key)
{
    uint32_t entry = lookup_get(&r->by_key, key);
    if (entry == LOOKUP_NONE) {
        entry = vec_take(&r->entries, &r->unused);
        r->entries.at[entry] = (struct recall_entry){.key = key};
        lookup_put(&r->by_key, key, entry);
    } else if (r->entries.at[entry].users == 0) {
        recall_leave_line(r, entry);
    }
    r->entries.at[entry].users++;
    return entry;
}

void recall_release(struct recall *r, uint32_t entry)
{
    struct recall_entry *e = &r->entries.at[entry];
    check(e->users > 0);
    if (--e->users > 0)
        return;
    if (e->times.count == 0) {
        recall_forget(r, entry);
        return;
    }
    list_push(r->entries.at, r->newest, entry, newer, older, RECALL_NONE);
    if (r->oldest == RECALL_NONE)
        r->oldest = entry;
    if (++r->idle > RECALL_IDLE_MAX) {
        uint32_t oldest = r->oldest;
        recall_leave_line(r, oldest);
        recall_forget(r, oldest);
    }
}
