#include "core/match/wait_queue.h"

#include "base/rng.h"
#include "tests/unit/test.h"

enum { MEMBERS = 1000 };

struct wait_entry {
    bool in;
    struct res need;
    int64_t key;
    uint64_t tie;
    uint32_t number;
};

static struct wait_entry *naive_first(struct wait_entry *all, const struct res *room)
{
    struct wait_entry *first = NULL;
    for (struct wait_entry *m = all; m < all + MEMBERS; m++)
        if (m->in && res_fits(&m->need, room) &&
            (!first || m->key < first->key || (m->key == first->key && m->tie < first->tie)))
            first = m;
    return first;
}

TEST(wait_queue_finds_what_a_scan_finds)
{
    struct rng r = rng_stream(3, RNG_TEST, 0, 0, 0, 0);
    struct wait_queue l = {0};
    static struct wait_entry all[MEMBERS];
    uint32_t fitted = 0, most = 0;
    for (uint32_t round = 0; round < 20000; round++) {
        struct wait_entry *m = &all[rng_below(&r, MEMBERS)];
        if (!m->in) {
            struct res need = {{0}};
            for (int i = 0; i < RES_COUNT; i++)
                need.v[i] = (int32_t)rng_below(&r, i < 2 ? 50 + round / 100 : 3);
            *m =
                (struct wait_entry){true, need, (int64_t)rng_below(&r, 20), (uint64_t)(m - all), 0};
            m->number = wait_queue_add(&l, &m->need, m->key, m->tie, m);
        } else if (rng_below(&r, 2)) {
            wait_queue_remove(&l, m->number);
            m->in = false;
        } else {
            m->key = (int64_t)rng_below(&r, 20);
            wait_queue_rekey(&l, m->number, m->key, m->tie);
        }
        struct res room = {{(int32_t)rng_below(&r, 25), (int32_t)rng_below(&r, 25),
                            (int32_t)rng_below(&r, 3), (int32_t)rng_below(&r, 3)}};
        struct wait_entry *first = naive_first(all, &room);
        uint32_t found = wait_queue_first(&l, &room);
        expect(first ? found != WAIT_NONE && l.at.at[found].owner == first : found == WAIT_NONE);
        expect(wait_queue_any(&l, &room) == (first != NULL));
        fitted += first != NULL;
        most = l.blocks.count > most ? l.blocks.count : most;
    }
    expect(fitted > 1000);
    expect(most > 8 && most < MEMBERS / 8); /* blocks are cut, and put together */
    expect(l.at.count <= MEMBERS);          /* numbers are used again */
    wait_queue_fini(&l);
}

TEST(wait_queue_of_few_is_short_again)
{
    struct wait_queue l = {0};
    struct res one = {{1000, 0, 0, 0}}, less = {{999, 9, 9, 9}}, closed = {{2000, -1, 0, 0}};
    for (uint32_t i = 0; i < 4096; i++)
        (void)wait_queue_add(&l, &one, -(int64_t)i, i, NULL);
    expect(l.blocks.count >= 64 && l.blocks.count <= 128);
    expect(wait_queue_first(&l, &one) == 4095 && wait_queue_first(&l, &less) == WAIT_NONE);
    expect(!wait_queue_any(&l, &closed));
    for (uint32_t i = 4096; i-- > 1;)
        wait_queue_remove(&l, i);
    expect(wait_queue_first(&l, &one) == 0 && !wait_queue_is_empty(&l));
    expect(l.blocks.count == 1);
    wait_queue_remove(&l, 0);
    expect(wait_queue_is_empty(&l) && !wait_queue_any(&l, &one));
    wait_queue_fini(&l);
}

TEST(wait_queue_learns_of_larger_demands_and_of_other_resources)
{
    struct wait_queue l = {0};
    struct res none = {{0}}, cpu = {{7, 0, 0, 0}}, all = {{4000, 1 << 20, 3, INT32_MAX}};
    expect(wait_queue_add(&l, &cpu, 3, 0, NULL) == 0);
    expect(wait_queue_add(&l, &all, 2, 1, NULL) == 1);
    expect(wait_queue_first(&l, &all) == 1 && wait_queue_first(&l, &cpu) == 0);
    expect(wait_queue_first(&l, &none) == WAIT_NONE);
    expect(wait_queue_add(&l, &none, 4, 2, NULL) == 2);
    expect(wait_queue_first(&l, &none) == 2 && wait_queue_first(&l, &cpu) == 0);
    wait_queue_rekey(&l, 2, 1, 2);
    expect(wait_queue_first(&l, &all) == 2);
    wait_queue_fini(&l);
}
