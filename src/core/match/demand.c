#include "core/match/demand.h"

#include "base/check.h"
#include "base/hash.h"

void demand_fini(struct demand_table *t)
{
    vec_free(&t->at);
    vec_free(&t->unused);
    lookup_fini(&t->by_hash);
}

static uint64_t demand_hash(const struct res *need)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < RES_COUNT; i++)
        hash = (hash ^ (uint32_t)need->v[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

uint32_t demand_hold(struct demand_table *t, const struct res *need)
{
    uint64_t hash = demand_hash(need);
    uint32_t first = lookup_get(&t->by_hash, hash), i = first;
    while (i != LOOKUP_NONE && !res_equal(&t->at.at[i].need, need))
        i = t->at.at[i].next;
    if (i == LOOKUP_NONE) {
        i = vec_take(&t->at, &t->unused);
        t->at.at[i] = (struct demand){.need = *need, .next = first};
        lookup_put(&t->by_hash, hash, i);
    }
    t->at.at[i].holders++;
    return i;
}

/* Takes a number out of the chain of its hash. */
static void demand_unlink(struct demand_table *t, uint32_t number)
{
    uint64_t hash = demand_hash(&t->at.at[number].need);
    uint32_t i = lookup_get(&t->by_hash, hash), next = t->at.at[number].next;
    if (i == number && next == LOOKUP_NONE) {
        lookup_remove(&t->by_hash, hash);
    } else if (i == number) {
        lookup_put(&t->by_hash, hash, next);
    } else {
        while (t->at.at[i].next != number)
            i = t->at.at[i].next;
        t->at.at[i].next = next;
    }
}

void demand_drop(struct demand_table *t, uint32_t number)
{
    check(t->at.at[number].holders > 0);
    if (--t->at.at[number].holders > 0)
        return;
    demand_unlink(t, number);
    vec_push(&t->unused, number);
}
