#include "fit/fit_index.h"

#include "base/rng.h"
#include "tests/test.h"

static uint32_t scan(const struct res *free, uint32_t n, uint32_t from, const struct res *need)
{
    for (uint32_t i = 0; i < n; i++)
        if (res_fits(need, &free[(from + i) % n]))
            return (from + i) % n;
    return FIT_NONE;
}

TEST(fit_index_finds_what_a_scan_finds)
{
    enum { MAX = 70 };
    uint32_t alone = 0;
    for (uint32_t n = 1; n <= MAX; n += 3) {
        struct rng r = rng_stream(1, RNG_TEST, n, 0, 0, 0);
        struct fit_index t = {0};
        struct res free[MAX];
        for (uint32_t i = 0; i < n; i++) {
            fit_index_grow(&t, i + 1); /* growing one by one keeps what is there */
            free[i] =
                (struct res){{(int32_t)rng_below(&r, 5) - 1, (int32_t)rng_below(&r, 5), 0, 0}};
            fit_index_set(&t, i, &free[i]);
        }
        for (int round = 0; round < 300; round++) {
            uint32_t i = (uint32_t)rng_below(&r, n);
            free[i].v[rng_below(&r, 2)] = (int32_t)rng_below(&r, 6) - 1;
            fit_index_set(&t, i, &free[i]);
            struct res need = {{(int32_t)rng_below(&r, 6), (int32_t)rng_below(&r, 6), 0, 0}};
            uint32_t from = (uint32_t)rng_below(&r, n);
            uint32_t demand = fit_index_demand(&t, &need);
            expect(fit_index_find(&t, demand, from) == scan(free, n, from, &need));
            expect(fit_index_any(&t, demand) == (scan(free, n, 0, &need) != FIT_NONE));
            uint32_t only = fit_index_only(&t, demand), first = scan(free, n, 0, &need);
            alone += only != FIT_NONE;
            expect(only == FIT_NONE ||
                   (only == first && scan(free, n, (first + 1) % n, &need) == first));
        }
        fit_index_fini(&t);
    }
    expect(alone > 0);
}

TEST(fit_index_closed_nodes_take_nothing)
{
    struct fit_index t = {0};
    struct res zero = {{0, 0, 0, 0}}, closed = {{-1, -1, -1, -1}};
    uint32_t none = fit_index_demand(&t, &zero);
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
    uint32_t demand = fit_index_demand(&t, &one);
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
    uint32_t demand = fit_index_demand(&t, &one);
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
    uint32_t demand = fit_index_demand(&t, &one);
    fit_index_grow(&t, FULL);
    fit_index_set(&t, 5, &one);
    expect(fit_index_find(&t, demand, FULL - 1) == 5);
    fit_index_set(&t, FULL - 2, &one);
    expect(fit_index_find(&t, demand, FULL - 1) == 5 && fit_index_find(&t, demand, 6) == FULL - 2);
    fit_index_fini(&t);
}
