#include "core/match/fit_index.h"

#include "base/rng.h"
#include "tests/unit/test.h"

static uint32_t scan(const struct res *free, uint32_t n, uint32_t from, const struct res *need)
{
    for (uint32_t i = 0; i < n; i++)
        if (res_fits(need, &free[(from + i) % n]))
            return (from + i) % n;
    return FIT_NONE;
}

static struct res random_free(struct rng *r)
{
    return (struct res){
        {(int32_t)rng_below(r, 6) - 1, (int32_t)rng_below(r, 6), (int32_t)rng_below(r, 4), 0}};
}

/* With `kinds` different demands of which some live at a time: more than FIT_SETS means that some
 * have a set and some have none. */
static void against_scan(uint32_t n, uint32_t kinds, uint32_t *alone, uint32_t *searched)
{
    enum { NODES = 70, KINDS = 144 };
    struct rng r = rng_stream(1, RNG_TEST, n, kinds, 0, 0);
    struct fit_index t = {0};
    struct res free[NODES];
    uint32_t number[KINDS], holds[KINDS] = {0};
    for (uint32_t i = 0; i < n; i++) {
        fit_index_grow(&t, i + 1); /* growing one by one keeps what is there */
        free[i] = random_free(&r);
        fit_index_set(&t, i, &free[i]);
    }
    for (int round = 0; round < 600; round++) {
        for (uint64_t times = rng_below(&r, 4); times > 0; times--) {
            uint32_t i = (uint32_t)rng_below(&r, n);
            free[i] = random_free(&r);
            fit_index_set(&t, i, &free[i]);
        }
        uint32_t k = (uint32_t)rng_below(&r, kinds), from = (uint32_t)rng_below(&r, n);
        struct res need = {{(int32_t)(k % 6), (int32_t)(k / 6 % 6), (int32_t)(k / 36), 0}};
        if (holds[k]++ == 0 || rng_below(&r, 3) == 0)
            number[k] = fit_index_hold(&t, &need);
        else
            holds[k]--;
        *searched += !fit_index_has_set(&t, number[k]);
        uint32_t first = scan(free, n, 0, &need);
        expect(fit_index_find(&t, number[k], from) == scan(free, n, from, &need));
        expect(fit_index_any(&t, number[k]) == (first != FIT_NONE));
        uint32_t behind = scan(free, n, from, &need);
        expect(fit_index_next(&t, number[k], from) ==
               (behind != FIT_NONE && behind >= from ? behind : FIT_NONE));
        expect(fit_index_next(&t, number[k], n) == FIT_NONE);
        uint32_t only = fit_index_only(&t, number[k]);
        *alone += only != FIT_NONE;
        expect(only == FIT_NONE ||
               (only == first && scan(free, n, (first + 1) % n, &need) == first));
        if (rng_below(&r, 2) == 0)
            for (; holds[k] > 0; holds[k]--)
                fit_index_drop(&t, number[k]);
        if (rng_below(&r, 3) == 0)
            fit_index_forget_growths(&t, fit_index_growths(&t) - t.grown.count / 2);
    }
    fit_index_fini(&t);
}

TEST(fit_index_finds_what_a_scan_finds)
{
    uint32_t alone = 0, searched = 0;
    for (uint32_t n = 1; n <= 70; n += 3)
        against_scan(n, FIT_SETS, &alone, &searched);
    expect(alone > 0);
}

TEST(fit_index_finds_the_same_without_sets)
{
    uint32_t alone = 0, searched = 0;
    for (uint32_t n = 1; n <= 70; n += 3)
        against_scan(n, 36, &alone, &searched);
    expect(alone > 0 && searched > 100);
}

/* Of very many demands only those that many have keep a set. */
TEST(fit_index_keeps_no_sets_for_a_few_of_very_many_demands)
{
    struct fit_index t = {0};
    uint32_t first[2], alone = 0, searched = 0;
    fit_index_grow(&t, 10);
    for (int32_t i = 0; i < 2; i++)
        first[i] = fit_index_hold(&t, &(struct res){{i, 0, 0, 0}});
    for (int k = 0; k < 4; k++)
        expect(fit_index_hold(&t, &(struct res){{1, 0, 0, 0}}) == first[1]);
    fit_index_set(&t, 7, &(struct res){{1, 0, 0, 0}});
    for (int32_t i = 2; i < 200; i++)
        (void)fit_index_hold(&t, &(struct res){{i, 0, 0, 0}});
    expect(!fit_index_has_set(&t, first[0]) && fit_index_has_set(&t, first[1]));
    expect(t.set_count == 1 && t.set_demand[0] == first[1]);
    expect(fit_index_find(&t, first[0], 0) == 7 && fit_index_find(&t, first[1], 0) == 7);
    fit_index_fini(&t);
    for (uint32_t n = 1; n <= 70; n += 3)
        against_scan(n, 144, &alone, &searched);
    expect(searched > 1000);
}

/* What fitted nowhere is looked for where nodes grew: the first behind `from`, going round. */
TEST(fit_index_without_a_set_looks_where_nodes_grew)
{
    enum { NODES = 200 };
    struct fit_index t = {0};
    struct res none = {{0, 0, 0, 0}}, big = {{5000, 1, 0, 0}};
    fit_index_grow(&t, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        fit_index_set(&t, i, &none);
    for (int32_t i = 0; i < FIT_SETS; i++)
        (void)fit_index_hold(&t, &(struct res){{1, i, 0, 0}});
    uint32_t d = fit_index_hold(&t, &(struct res){{5000, 0, 0, 0}});
    uint32_t few = 0;
    expect(!fit_index_few(&t, d, &few));
    expect(!fit_index_has_set(&t, d) && !fit_index_any(&t, d));
    expect(!fit_index_few(&t, d, &few));
    fit_index_set(&t, 150, &big);
    fit_index_set(&t, 20, &big);
    const uint32_t *nodes = fit_index_few(&t, d, &few);
    expect(nodes && few == 2 && nodes[0] == 150 && nodes[1] == 20);
    expect(!fit_index_few(&t, 0, &few)); /* it has a set */
    expect(fit_index_growths(&t) - t.known.at[d].none_at == 2);
    expect(fit_index_find(&t, d, 0) == 20 && fit_index_find(&t, d, 21) == 150);
    expect(fit_index_find(&t, d, 151) == 20);
    fit_index_set(&t, 20, &none);
    fit_index_set(&t, 150, &none);
    expect(!fit_index_any(&t, d) && fit_index_find(&t, d, 3) == FIT_NONE);
    for (uint32_t i = 0; i < NODES; i++) /* too many to look at one by one */
        fit_index_set(&t, i, i == 77 || i == 190 ? &big : &(struct res){{1, 1, 0, 0}});
    expect(!fit_index_few(&t, d, &few));
    expect(fit_index_find(&t, d, 78) == 190 && fit_index_find(&t, d, 191) == 77);
    fit_index_fini(&t);
}

/* The growth with which many are applied, and the nodes built anew since one is beyond their scale,
 * counts as applied: they have to know it, too. */
TEST(fit_index_builds_its_nodes_with_the_growth_that_is_under_way)
{
    enum { GROWTHS = 64 };
    struct fit_index t = {0};
    fit_index_grow(&t, 10);
    for (uint32_t i = 0; i < 10; i++)
        fit_index_set(&t, i, &(struct res){{1, 1, 0, 0}});
    for (int32_t i = 0; i < FIT_SETS; i++)
        (void)fit_index_hold(&t, &(struct res){{1, i, 0, 0}});
    uint32_t d = fit_index_hold(&t, &(struct res){{4000, 0, 0, 0}});
    for (int32_t k = 1; k <= GROWTHS; k++)
        fit_index_set(&t, 0, &(struct res){{1 + k, 1, 0, 0}});
    expect(fit_index_growths(&t) - t.applied == GROWTHS);
    fit_index_set(&t, 7, &(struct res){{5000, 1, 0, 0}});
    expect(fit_index_growths(&t) == t.applied);
    expect(fit_index_find(&t, d, 0) == 7);
    fit_index_fini(&t);
}

/* Many growths between two searches, and each time more than the scale knows. */
static void against_scan_rising(uint32_t seed)
{
    enum { NODES = 20, ROUNDS = 20 };
    struct rng r = rng_stream(2, RNG_TEST, seed, 0, 0, 0);
    struct fit_index t = {0};
    struct res free[NODES];
    fit_index_grow(&t, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        free[i] = (struct res){{-1, -1, -1, -1}};
    for (int32_t i = 0; i < FIT_SETS; i++)
        (void)fit_index_hold(&t, &(struct res){{1, i, 0, 0}});
    for (int32_t round = 0; round < ROUNDS; round++) {
        int32_t unit = 2 << round;
        for (uint64_t times = rng_below(&r, 60); times > 0; times--) {
            uint32_t i = (uint32_t)rng_below(&r, NODES);
            struct res x = random_free(&r);
            free[i] = (struct res){{x.v[0] * unit, x.v[1] * unit, 0, 0}};
            fit_index_set(&t, i, &free[i]);
        }
        for (int32_t k = 0; k < 4; k++) {
            struct res need = {{(1 + k) * unit, 3 * unit, 0, 0}};
            uint32_t d = fit_index_hold(&t, &need), from = (uint32_t)rng_below(&r, NODES);
            expect(!fit_index_has_set(&t, d));
            expect(fit_index_find(&t, d, from) == scan(free, NODES, from, &need));
            fit_index_drop(&t, d);
        }
    }
    fit_index_fini(&t);
}

TEST(fit_index_finds_what_a_scan_finds_while_amounts_rise)
{
    for (uint32_t seed = 0; seed < 50; seed++)
        against_scan_rising(seed);
}

/* Where demands come and go, sets are made only as often as changes of nodes pay for them. */
TEST(fit_index_makes_no_set_for_each_of_many_demands)
{
    enum { NODES = 640 };
    struct fit_index t = {0};
    uint32_t made = 0;
    fit_index_grow(&t, NODES);
    for (int32_t i = 0; i < 1000; i++) {
        uint32_t d = fit_index_hold(&t, &(struct res){{i, 0, 0, 0}});
        made += fit_index_has_set(&t, d);
        fit_index_drop(&t, d);
    }
    expect(made == FIT_SETS && t.known.count == FIT_SETS + 1);
    for (uint32_t i = 0; i < NODES; i++) /* each pays for 16 nodes of a set */
        fit_index_set(&t, i, &(struct res){{1, 1, 1, 1}});
    for (int32_t i = 0; i < 1000; i++) {
        uint32_t d = fit_index_hold(&t, &(struct res){{i, 1, 0, 0}});
        made += fit_index_has_set(&t, d);
        fit_index_drop(&t, d);
    }
    expect(made == 2 * FIT_SETS && t.known.count == FIT_SETS + 1);
    fit_index_fini(&t);
}

TEST(fit_index_keeps_the_set_of_a_demand_that_comes_again)
{
    struct fit_index t = {0};
    struct res one = {{1000, 0, 0, 0}};
    fit_index_grow(&t, 10);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t d = fit_index_hold(&t, &one);
        expect(d == 0 && fit_index_has_set(&t, d));
        fit_index_set(&t, i % 10, &one);
        expect(fit_index_find(&t, d, i % 10) == i % 10);
        fit_index_drop(&t, d);
    }
    expect(t.set_cost == 10);
    fit_index_fini(&t);
}

TEST(fit_index_closed_nodes_take_nothing)
{
    struct fit_index t = {0};
    struct res zero = {{0, 0, 0, 0}}, closed = {{-1, -1, -1, -1}};
    uint32_t none = fit_index_hold(&t, &zero);
    expect(fit_index_find(&t, none, 0) == FIT_NONE);
    fit_index_grow(&t, 3);
    expect(fit_index_find(&t, none, 0) == FIT_NONE);
    fit_index_set(&t, 2, &zero);
    expect(fit_index_find(&t, none, 0) == 2 && fit_index_fits(&t, 2, &zero));
    fit_index_set(&t, 2, &closed);
    expect(fit_index_find(&t, none, 0) == FIT_NONE && !fit_index_fits(&t, 2, &zero));
    fit_index_fini(&t);
}

TEST(fit_index_of_many_nodes)
{
    enum { MANY = 300000 };
    struct fit_index t = {0};
    struct res one = {{1, 0, 0, 0}}, zero = {{0, 0, 0, 0}};
    uint32_t demand = fit_index_hold(&t, &one);
    fit_index_grow(&t, MANY);
    uint32_t marks[] = {0, 63, 64, 4095, 4096, 262143, 262144, MANY - 1};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        fit_index_set(&t, marks[i], &one);
    uint32_t at = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        expect(fit_index_find(&t, demand, at) == marks[i]);
        at = marks[i] + 1;
    }
    expect(fit_index_find(&t, demand, 299998) == MANY - 1);
    fit_index_set(&t, MANY - 1, &zero);
    expect(fit_index_find(&t, demand, 262145) == 0); /* round */
    fit_index_fini(&t);
}

/* Levels above are summed up anew when there are more nodes. */
TEST(fit_index_finds_after_growing_what_fitted_before)
{
    struct fit_index t = {0};
    struct res one = {{1, 0, 0, 0}};
    uint32_t demand = fit_index_hold(&t, &one);
    fit_index_grow(&t, 128);
    fit_index_set(&t, 100, &one); /* not in the first word */
    fit_index_grow(&t, 200);
    expect(fit_index_find(&t, demand, 0) == 100 && fit_index_find(&t, demand, 101) == 100);
    fit_index_grow(&t, 5000);
    expect(fit_index_find(&t, demand, 0) == 100 && fit_index_find(&t, demand, 4999) == 100);
    fit_index_fini(&t);
}

/* All words of all levels are in use: one more would be somebody else's (a sanitizer sees that). */
TEST(fit_index_goes_round_behind_its_last_word)
{
    enum { FULL = 64 * 64 };
    struct fit_index t = {0};
    struct res one = {{1, 0, 0, 0}};
    uint32_t demand = fit_index_hold(&t, &one);
    fit_index_grow(&t, FULL);
    fit_index_set(&t, 5, &one);
    expect(fit_index_find(&t, demand, FULL - 1) == 5);
    fit_index_set(&t, FULL - 2, &one);
    expect(fit_index_find(&t, demand, FULL - 1) == 5 && fit_index_find(&t, demand, 6) == FULL - 2);
    fit_index_fini(&t);
}
