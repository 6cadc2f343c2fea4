#include "base/lookup.h"

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(lookup_is_empty_at_first)
{
    struct lookup t = {0};

    expect(lookup_get(&t, 0) == LOOKUP_NONE);
    lookup_remove(&t, 7);
    expect(t.count == 0);
    lookup_fini(&t);
}

/* Against the obvious array, with keys that collide and come and go. */
TEST(lookup_agrees_with_an_array)
{
    enum { KEYS = 512 };
    uint32_t truth[KEYS];
    struct lookup t = {0};
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    uint32_t count = 0, wrong = 0;

    for (uint32_t i = 0; i < KEYS; i++)
        truth[i] = LOOKUP_NONE;
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t k = (uint32_t)rng_below(&r, KEYS);
        uint64_t key = (uint64_t)k << 32;
        if (rng_below(&r, 2)) {
            count += truth[k] == LOOKUP_NONE;
            lookup_put(&t, key, truth[k] = step);
        } else {
            count -= truth[k] != LOOKUP_NONE;
            truth[k] = LOOKUP_NONE;
            lookup_remove(&t, key);
        }
        uint64_t probe = rng_below(&r, KEYS);
        wrong += lookup_get(&t, probe << 32) != truth[probe];
        wrong += t.count != count;
    }
    expect(wrong == 0);
    lookup_fini(&t);
}
