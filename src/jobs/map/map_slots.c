/* Slots.
 *
 * There may be many thousands, on as many cores of other machines, so nothing here goes through all
 * of them for each attempt: the lowest free one is found by bits, and that of an attempt by a hash.
 * Should two attempts have the same hash, one of them has to be looked for. */
#include "jobs/map/map_slots.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

enum { SLOTS_WORD = 64 };

void map_slots_fini(struct map_slots *s)
{
    for (uint32_t i = 0; i < s->all.count; i++)
        mem_free(s->all.at[i].command);
    vec_free(&s->all);
    vec_free(&s->extras);
    vec_free(&s->free);
    lookup_fini(&s->by_attempt);
}

static uint64_t slots_key(struct attempt_ref at)
{
    uint64_t hash = hash_bytes(HASH_START, &at.job.v, sizeof at.job.v);

    hash = hash_bytes(hash, &at.task, sizeof at.task);
    return hash_bytes(hash, &at.attempt, sizeof at.attempt);
}

static bool slot_is_of(const struct map_slot *slot, struct attempt_ref at)
{
    return slot->used && attempt_equal(slot->at, at);
}

struct map_slot *map_slots_find(const struct map_slots *s, struct attempt_ref at)
{
    uint32_t index = lookup_get(&s->by_attempt, slots_key(at));

    if (index != LOOKUP_NONE && slot_is_of(&s->all.at[index], at))
        return &s->all.at[index];
    for (uint32_t i = 0; i < s->all.count; i++)
        if (slot_is_of(&s->all.at[i], at))
            return &s->all.at[i];
    return NULL;
}

uint32_t map_slots_tasks(const struct map_slots *s)
{
    struct lookup seen = {0};
    uint32_t tasks = 0;

    for (uint32_t i = 0; i < s->all.count; i++)
        if (s->all.at[i].used) {
            struct attempt_ref at = s->all.at[i].at;
            lookup_put(&seen, (uint64_t)at.job.v << 32 | at.task, 0);
        }
    tasks = seen.count;
    lookup_fini(&seen);
    return tasks;
}

bool map_slots_take_extra(struct map_slots *s, struct attempt_ref at)
{
    for (uint32_t i = 0; i < s->extras.count; i++)
        if (attempt_equal(s->extras.at[i], at)) {
            s->extras.at[i] = s->extras.at[--s->extras.count];
            return true;
        }
    return false;
}

/* The lowest free slot, which is free no more. */
static uint32_t slots_lowest(struct map_slots *s)
{
    for (uint32_t word = 0; word < s->free.count; word++)
        if (s->free.at[word]) {
            uint32_t bit = (uint32_t)__builtin_ctzll(s->free.at[word]);
            s->free.at[word] &= s->free.at[word] - 1;
            return word * SLOTS_WORD + bit;
        }
    (void)vec_add(&s->all);
    if (s->free.count * SLOTS_WORD < s->all.count)
        vec_push(&s->free, 0);
    return s->all.count - 1;
}

uint32_t map_slots_take(struct map_slots *s, struct attempt_ref at, struct node_id node)
{
    uint32_t i = slots_lowest(s);

    bool extra = map_slots_take_extra(s, at);
    s->all.at[i] = (struct map_slot){.used = true, .extra = extra, .at = at, .node = node};
    lookup_put(&s->by_attempt, slots_key(at), i);
    s->used++;
    return i + 1;
}

void map_slots_release(struct map_slots *s, struct map_slot *slot)
{
    uint32_t i = (uint32_t)(slot - s->all.at);

    check(slot->used);
    slot->used = false;
    mem_free(slot->command);
    slot->command = NULL;
    lookup_remove(&s->by_attempt, slots_key(slot->at));
    s->free.at[i / SLOTS_WORD] |= UINT64_C(1) << i % SLOTS_WORD;
    s->used--;
}
