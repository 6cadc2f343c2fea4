#include "core/brain/recall.h"

#include "tests/unit/test.h"

/* Somebody uses the key once, and it learns this time. */
static void visit(struct recall *r, uint64_t key, double time)
{
    uint32_t entry = recall_take(r, key);
    moments_add(&r->entries.at[entry].times, time);
    recall_release(r, entry);
}

static struct moments known(struct recall *r, uint64_t key)
{
    uint32_t entry = recall_take(r, key);
    struct moments times = recall_times(r, entry);
    recall_release(r, entry);
    return times;
}

TEST(recall_keeps_times_by_key)
{
    struct recall r;
    recall_init(&r);
    visit(&r, 7, 10);
    visit(&r, 8, 30);
    visit(&r, 7, 20);
    expect(known(&r, 7).mean == 15 && known(&r, 7).count == 2);
    expect(known(&r, 8).mean == 30 && known(&r, 9).count == 0);
    expect(recall_times(&r, RECALL_NONE).count == 0);
    recall_fini(&r);
}

/* The line is full of 0 .. MAX - 1; 0 is used again; of two that come now 1 and 2 make room. */
TEST(recall_forgets_what_was_used_longest_ago)
{
    struct recall r;
    recall_init(&r);
    for (uint64_t key = 0; key < RECALL_IDLE_MAX; key++)
        visit(&r, key, 1);
    visit(&r, 0, 1);
    expect(r.idle == RECALL_IDLE_MAX);
    visit(&r, 1000001, 1);
    visit(&r, 1000002, 1);
    expect(r.idle == RECALL_IDLE_MAX && r.entries.count == RECALL_IDLE_MAX + 1);
    expect(known(&r, 1).count == 0 && known(&r, 2).count == 0);
    expect(known(&r, 0).count == 2 && known(&r, 3).count == 1 && known(&r, 1000001).count == 1);
    recall_fini(&r);
}

TEST(recall_never_forgets_what_is_in_use)
{
    struct recall r;
    recall_init(&r);
    uint32_t first = recall_take(&r, 5), second = recall_take(&r, 5);
    expect(first == second && r.entries.at[first].users == 2);
    moments_add(&r.entries.at[first].times, 4);
    recall_release(&r, first);
    for (uint64_t key = 100; key < 100 + 2 * RECALL_IDLE_MAX; key++)
        visit(&r, key, 1);
    expect(recall_times(&r, second).mean == 4);
    recall_release(&r, second);
    expect(known(&r, 5).mean == 4);
    recall_fini(&r);
}

/* A million keys, each used once: those that learnt nothing leave nothing. */
TEST(recall_memory_is_bounded)
{
    struct recall r;
    recall_init(&r);
    for (uint64_t key = 0; key < 1000000; key++) {
        uint32_t entry = recall_take(&r, key);
        if (key % 3)
            moments_add(&r.entries.at[entry].times, 1);
        recall_release(&r, entry);
    }
    expect(r.entries.count == RECALL_IDLE_MAX + 1 && r.by_key.count == RECALL_IDLE_MAX);
    recall_fini(&r);
}
