#include "core/match/fit_nodes.h"

#include "base/rng.h"
#include "tests/unit/test.h"

enum { NODES = 700 };

static struct res random_res(struct rng *r, const struct res *most)
{
    struct res v;
    for (int k = 0; k < RES_COUNT; k++) { /* small amounts are as frequent as large ones */
        uint64_t below = rng_below(r, (uint64_t)most->v[k] + 1);
        v.v[k] = (int32_t)rng_below(r, below + 1);
    }
    return v;
}

static uint32_t scan(const struct res *free, const struct res *need, uint32_t from)
{
    for (uint32_t i = from; i < NODES; i++)
        if (res_fits(need, &free[i]))
            return i;
    return FIT_NODES_END;
}

static void against_scan(const struct res *most)
{
    struct rng r = rng_stream(1, RNG_TEST, (uint32_t)most->v[0], (uint32_t)most->v[2], 0, 0);
    struct fit_nodes t = {0};
    struct res free[NODES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < NODES; i++)
        free[i] = random_res(&r, most);
    fit_nodes_build(&t, NODES + 100, free, NODES);
    for (int round = 0; round < 5000; round++) {
        uint32_t i = (uint32_t)rng_below(&r, NODES);
        struct res had = free[i], need = random_res(&r, most);
        free[i] = rng_below(&r, 8) ? random_res(&r, most) : (struct res){{-1, -1, -1, -1}};
        if (!fit_nodes_cover(&t, &free[i]))
            fit_nodes_build(&t, NODES + 100, free, NODES);
        if (res_fits(&free[i], &had))
            fit_nodes_lower(&t, i, &free[i]);
        else
            fit_nodes_set(&t, i, &free[i]);
        uint32_t from = (uint32_t)rng_below(&r, NODES + 1), first = scan(free, &need, from);
        expect(fit_nodes_next(&t, free, NODES, &need, from) == first);
        found += first != FIT_NODES_END;
    }
    expect(found > 1000 && found < 4999);
    fit_nodes_fini(&t);
}

TEST(fit_nodes_finds_what_a_scan_finds)
{
    against_scan(&(struct res){{4, 5, 0, 0}});
    against_scan(&(struct res){{24000, 49152, 0, 0}});
    against_scan(&(struct res){{0, 0, 10, 20}});
    against_scan(&(struct res){{64000, 500000, 8, 1000}});
    against_scan(&(struct res){{INT32_MAX, 100, INT32_MAX, 3}});
}

/* A resource that no node had when the tree was built, and more than any node had. */
TEST(fit_nodes_says_what_it_cannot_learn)
{
    struct fit_nodes t = {0};
    struct res free[] = {{{4000, 100, 0, 0}}, {{100, 4000, 0, 0}}};
    fit_nodes_build(&t, 2, free, 2);
    expect(fit_nodes_cover(&t, &(struct res){{4095, 4095, 0, 0}}));
    expect(!fit_nodes_cover(&t, &(struct res){{4096, 0, 0, 0}}));
    expect(!fit_nodes_cover(&t, &(struct res){{0, 0, 1, 0}}));
    expect(fit_nodes_next(&t, free, 2, &(struct res){{0, 0, 1, 0}}, 0) == FIT_NODES_END);
    fit_nodes_fini(&t);
}

/* A row of blocks for each column takes the memory; blocks come by 64. */
TEST(fit_nodes_takes_memory_for_the_nodes_that_may_come)
{
    static const struct {
        uint32_t nodes, blocks;
    } rows[] = {{1, 64}, {64 * FIT_BLOCK - 1, 64}, {64 * FIT_BLOCK, 128}, {10000, 192}};
    const struct res free = {{4, 5, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fit_nodes t = {0};
        fit_nodes_build(&t, rows[i].nodes, &free, 1);
        expect(t.bounds.cap == rows[i].blocks);
        fit_nodes_fini(&t);
    }
}
