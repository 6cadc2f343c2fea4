#include "base/heap.h"

#include <stddef.h>

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(heap_orders_by_key_then_tie)
{
    struct heap h = {0};
    uint32_t heap_index[4];
    for (int i = 0; i < 4; i++)
        heap_index[i] = HEAP_NOWHERE;
    expect(heap_top(&h) == NULL);
    heap_push(&h, 5, 1, &heap_index[0]);
    heap_push(&h, 3, 9, &heap_index[1]);
    heap_push(&h, 3, 2, &heap_index[2]);
    heap_push(&h, -1, UINT64_MAX, &heap_index[3]);
    const uint32_t order[] = {3, 2, 1, 0};
    for (int i = 0; i < 4; i++) {
        expect(heap_top(&h)->heap_index == &heap_index[order[i]]);
        heap_remove(&h, &heap_index[order[i]]);
        expect(heap_index[order[i]] == HEAP_NOWHERE);
    }
    expect(heap_top(&h) == NULL);
    heap_fini(&h);
}

TEST(heap_rekey_moves_up_and_down)
{
    struct heap h = {0};
    uint32_t heap_index[10];
    for (uint32_t i = 0; i < 10; i++) {
        heap_index[i] = HEAP_NOWHERE;
        heap_push(&h, i, i, &heap_index[i]);
    }
    heap_rekey(&h, &heap_index[7], -1);
    expect(heap_top(&h)->heap_index == &heap_index[7]);
    heap_rekey(&h, &heap_index[7], 100);
    expect(heap_top(&h)->heap_index == &heap_index[0]);
    heap_rekey(&h, &heap_index[0], 1); /* equal keys: the tie decides, 0 before 1 */
    expect(heap_top(&h)->heap_index == &heap_index[0]);
    heap_rekey(&h, &heap_index[0], 2);
    expect(heap_top(&h)->heap_index == &heap_index[1]);
    heap_fini(&h);
}

/* Every member must be where it says, and the top must be the least, after any mixture of steps. */
TEST(heap_agrees_with_a_linear_search)
{
    enum { MEMBERS = 200, STEPS = 20000 };
    struct heap h = {0};
    uint32_t heap_index[MEMBERS];
    int64_t key[MEMBERS];
    uint64_t tie[MEMBERS];
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int i = 0; i < MEMBERS; i++)
        heap_index[i] = HEAP_NOWHERE;

    uint32_t inside = 0, wrong = 0;
    for (int step = 0; step < STEPS; step++) {
        uint32_t m = (uint32_t)rng_below(&r, MEMBERS);
        int64_t fresh = (int64_t)rng_below(&r, 50); /* few keys, so that ties matter */
        uint64_t means = rng_below(&r, 4);
        if (heap_index[m] == HEAP_NOWHERE) {
            tie[m] = m;
            heap_push(&h, key[m] = fresh, tie[m], &heap_index[m]);
            inside++;
        } else if (means == 0) {
            tie[m] = m + MEMBERS * rng_below(&r, 3);
            heap_move(&h, &heap_index[m], key[m] = fresh, tie[m]);
        } else if (means == 1) {
            heap_rekey(&h, &heap_index[m], key[m] = fresh);
        } else {
            heap_remove(&h, &heap_index[m]);
            inside--;
        }
        uint32_t least = MEMBERS;
        for (uint32_t i = 0; i < MEMBERS; i++) {
            if (heap_index[i] == HEAP_NOWHERE)
                continue;
            wrong += h.at[heap_index[i]].heap_index != &heap_index[i] ||
                     h.at[heap_index[i]].key != key[i] || h.at[heap_index[i]].tie != tie[i];
            if (least == MEMBERS || key[i] < key[least] ||
                (key[i] == key[least] && tie[i] < tie[least]))
                least = i;
        }
        const struct heap_item *top = heap_top(&h);
        wrong += h.count != inside;
        wrong += least == MEMBERS ? top != NULL : top->heap_index != &heap_index[least];
    }
    expect(wrong == 0);
    heap_fini(&h);
    expect(h.at == NULL && h.count == 0);
}
