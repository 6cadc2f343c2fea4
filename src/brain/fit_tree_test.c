#include "brain/fit_tree.h"

#include "base/rng.h"
#include "tests/test.h"

static uint32_t scan(const struct res *free, uint32_t n, uint32_t from, const struct res *need)
{
    for (uint32_t i = 0; i < n; i++)
        if (res_fits(need, &free[(from + i) % n]))
            return (from + i) % n;
    return FIT_NONE;
}

TEST(fit_tree_finds_what_a_scan_finds)
{
    enum { MAX = 70 };
    for (uint32_t n = 1; n <= MAX; n += 3) {
        struct rng r = rng_stream(1, RNG_TEST, n, 0, 0, 0);
        struct fit_tree t = {0};
        struct res free[MAX];
        for (uint32_t i = 0; i < n; i++) {
            fit_tree_grow(&t, i + 1); /* growing one by one keeps what is there */
            free[i] =
                (struct res){{(int32_t)rng_below(&r, 5) - 1, (int32_t)rng_below(&r, 5), 0, 0}};
            fit_tree_set(&t, i, &free[i]);
        }
        for (int round = 0; round < 300; round++) {
            uint32_t i = (uint32_t)rng_below(&r, n);
            free[i].v[rng_below(&r, 2)] = (int32_t)rng_below(&r, 6) - 1;
            fit_tree_set(&t, i, &free[i]);
            struct res need = {{(int32_t)rng_below(&r, 6), (int32_t)rng_below(&r, 6), 0, 0}};
            uint32_t from = (uint32_t)rng_below(&r, n);
            expect(fit_tree_find(&t, from, &need) == scan(free, n, from, &need));
        }
        fit_tree_fini(&t);
    }
}

TEST(fit_tree_closed_nodes_take_nothing)
{
    struct fit_tree t = {0};
    struct res zero = {{0, 0, 0, 0}}, closed = {{-1, -1, -1, -1}};
    expect(fit_tree_find(&t, 0, &zero) == FIT_NONE);
    fit_tree_grow(&t, 3);
    expect(fit_tree_find(&t, 0, &zero) == FIT_NONE);
    fit_tree_set(&t, 2, &zero);
    expect(fit_tree_find(&t, 0, &zero) == 2);
    fit_tree_set(&t, 2, &closed);
    expect(fit_tree_find(&t, 0, &zero) == FIT_NONE);
    fit_tree_fini(&t);
}
