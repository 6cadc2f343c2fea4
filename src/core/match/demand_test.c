#include "core/match/demand.h"

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(demand_numbers_are_shared_forgotten_and_used_again)
{
    struct demand_table t = {0};
    struct res one = {{1000, 0, 0, 0}}, two = {{2000, 0, 0, 0}}, three = {{3000, 0, 0, 0}};
    uint32_t a = demand_hold(&t, &one), b = demand_hold(&t, &two);
    expect(a != b && demand_hold(&t, &one) == a);
    demand_drop(&t, a);
    expect(t.at.at[a].holders == 1 && t.unused.count == 0); /* one is left */
    demand_drop(&t, a);
    expect(t.at.at[a].holders == 0 && t.unused.count == 1);
    expect(demand_hold(&t, &three) == a && t.at.count == 2);
    expect(demand_hold(&t, &two) == b);
    expect(res_equal(&t.at.at[a].need, &three));
    uint32_t c = demand_hold(&t, &one); /* it was forgotten: a new number */
    expect(c == 2);
    demand_fini(&t);
}

/* A million that come and go need no more than live at a time. */
TEST(demand_table_stays_as_small_as_what_lives)
{
    enum { LIVE = 50, ALL = 20000 };
    struct demand_table t = {0};
    uint32_t held[LIVE];
    for (int32_t i = 0; i < ALL; i++) {
        struct res need = {{i, i % 7, 0, 0}};
        if (i >= LIVE)
            demand_drop(&t, held[i % LIVE]);
        held[i % LIVE] = demand_hold(&t, &need);
    }
    expect(t.at.count == LIVE && t.by_hash.count == LIVE && t.by_hash.cap <= 4 * LIVE);
    demand_fini(&t);
}

TEST(demand_numbers_tell_demands_apart)
{
    enum { KINDS = 40 };
    struct demand_table t = {0};
    struct rng r = rng_stream(2, RNG_TEST, 0, 0, 0, 0);
    struct res need[KINDS];
    uint32_t number[KINDS], holds[KINDS] = {0}, live = 0;
    for (uint32_t i = 0; i < KINDS; i++)
        need[i] = (struct res){{(int32_t)(i % 5), (int32_t)(i / 5 % 4), (int32_t)(i / 20), 0}};
    for (int round = 0; round < 5000; round++) {
        uint32_t i = (uint32_t)rng_below(&r, KINDS);
        if (holds[i] > 0 && rng_below(&r, 2) == 0) {
            demand_drop(&t, number[i]);
            live -= --holds[i] == 0;
            continue;
        }
        uint32_t n = demand_hold(&t, &need[i]);
        expect(holds[i] == 0 || n == number[i]);
        live += holds[i]++ == 0;
        number[i] = n;
        expect(res_equal(&t.at.at[n].need, &need[i]) && t.at.at[n].holders == holds[i]);
        for (uint32_t k = 0; k < KINDS; k++)
            expect(k == i || holds[k] == 0 || number[k] != n);
        expect(t.at.count - t.unused.count == live && t.by_hash.count == live);
    }
    demand_fini(&t);
}
