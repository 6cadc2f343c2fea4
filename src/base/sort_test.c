#include "base/sort.h"

#include "base/rng.h"
#include "tests/unit/test.h"

struct pair {
    uint32_t key, place;
};

static bool pair_before(const void *a, const void *b, const void *ctx)
{
    const struct pair *x = a, *y = b;
    return *(const bool *)ctx ? x->key > y->key : x->key < y->key;
}

TEST(sort_puts_in_order_and_keeps_the_order_of_equals)
{
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (uint32_t count = 0; count <= 70; count++) {
        struct pair at[70];
        bool down = count % 2;
        uint32_t seen[8] = {0}, now[8] = {0};
        for (uint32_t i = 0; i < count; i++) {
            at[i] = (struct pair){(uint32_t)rng_below(&r, 8), i};
            seen[at[i].key]++;
        }
        sort_stable(at, count, sizeof *at, pair_before, &down);
        for (uint32_t i = 0; i < count; i++) {
            now[at[i].key]++;
            expect(i == 0 || !pair_before(&at[i], &at[i - 1], &down));
            expect(i == 0 || at[i].key != at[i - 1].key || at[i].place > at[i - 1].place);
        }
        for (uint32_t k = 0; k < 8; k++)
            expect(seen[k] == now[k]);
    }
}

TEST(sort_keys_does_the_same_to_numbers_of_any_size)
{
    struct rng r = rng_stream(1, RNG_TEST, 1, 0, 0, 0);
    for (uint32_t set = 0; set < 300; set++) {
        struct sort_key at[90];
        uint32_t count = set % 90, shift = (uint32_t)rng_below(&r, 64);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            at[i] = (struct sort_key){rng_u64(&r) >> shift, i};
            if (i > 0 && rng_below(&r, 3) == 0)
                at[i].key = at[i - 1].key;
            sum += at[i].key * (i + 1);
        }
        sort_keys(at, count);
        for (uint32_t i = 0; i < count; i++) {
            sum -= at[i].key * (at[i].item + 1);
            expect(i == 0 || at[i].key > at[i - 1].key ||
                   (at[i].key == at[i - 1].key && at[i].item > at[i - 1].item));
        }
        expect(sum == 0);
    }
}
