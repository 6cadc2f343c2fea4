#include "core/match/match_nodes.h"

#include "base/rng.h"
#include "tests/unit/match_naive.h"
#include "tests/unit/test.h"

TEST(match_nodes_takes_the_largest_score_and_of_equals_the_first)
{
    const struct res largest = {{8000, 16000, 0, 0}};
    const struct res need = {{1000, 4000, 0, 0}};
    struct match_nodes m = {0};
    match_nodes_measure(&m, &largest);
    expect(match_nodes_best(&m, &need) == MATCH_NODES_NONE);
    match_nodes_set(&m, 3, &(struct res){{8000, 3999, 0, 0}}); /* too little memory */
    match_nodes_set(&m, 2, &(struct res){{2000, 8000, 0, 0}});
    match_nodes_set(&m, 7, &(struct res){{1000, 16000, 0, 0}});
    match_nodes_set(&m, 5, &(struct res){{1000, 16000, 0, 0}});
    expect(match_nodes_best(&m, &need) == 5);
    match_nodes_set(&m, 5, &(struct res){{0, 12000, 0, 0}});
    expect(match_nodes_best(&m, &need) == 7);
    match_nodes_set(&m, 7, &(struct res){{-1, -1, -1, -1}});
    expect(match_nodes_best(&m, &need) == 2);
    match_nodes_set(&m, 2, &(struct res){{999, 8000, 0, 0}});
    expect(match_nodes_best(&m, &need) == MATCH_NODES_NONE);
    match_nodes_fini(&m);
}

enum { NODES = 300, TASKS = 1500 };

static struct res draw(struct rng *r, const struct res *most, int32_t unit)
{
    struct res d = {{0}};
    for (int k = 0; k < RES_COUNT; k++)
        if (most->v[k] > 0)
            d.v[k] = (int32_t)rng_below(r, (uint64_t)(most->v[k] / unit + 1)) * unit;
    return d;
}

/* Tasks go where they score most, and now and then a node is emptied: always as the loop says. */
static void compare(uint64_t seed, struct res largest, struct res most, int32_t unit)
{
    struct res free[NODES];
    uint32_t all[NODES];
    struct match_nodes m = {0};
    struct rng r = rng_branch(seed, (uint32_t)unit, 0);
    struct node_set changed = {0};
    bool same = true;
    match_nodes_measure(&m, &largest);
    for (uint32_t i = 0; i < NODES; i++) {
        free[i] = seed % 2 ? largest : draw(&r, &largest, unit);
        match_nodes_set(&m, i, &free[i]);
        all[NODES - 1 - i] = i;
    }
    for (uint32_t t = 0; t < TASKS; t++) {
        struct res need = draw(&r, &most, unit);
        uint32_t want = match_naive_server(free, NODES, &need, &largest);
        same &= want == match_nodes_best(&m, &need);
        same &= want == match_nodes_best_of(all, NODES, free, &largest, &need);
        uint32_t i = want != MATCH_NAIVE_NONE && t % 5 ? want : (uint32_t)rng_below(&r, NODES);
        if (i == want)
            res_sub(&free[i], &need);
        else
            free[i] = t % 7 ? largest : (struct res){{-1, -1, -1, -1}};
        match_nodes_set(&m, i, &free[i]);
        for (uint32_t k = 0; t % 100 == 0 && k < NODES; k++)
            if (rng_below(&r, 2)) {
                free[k] =
                    rng_below(&r, 5) ? draw(&r, &largest, unit) : (struct res){{-1, -1, -1, -1}};
                node_set_add(&changed, k);
            }
        match_nodes_set_all(&m, &changed, free);
        same &= node_set_next(&changed, 0) == NODE_SET_END;
    }
    expect(same);
    node_set_fini(&changed);
    match_nodes_fini(&m);
}

TEST(match_nodes_agrees_with_the_loop)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        compare(seed, (struct res){{16000, 32000, 0, 0}}, (struct res){{4000, 8000, 0, 0}}, 500);
        compare(seed, (struct res){{16000, 32000, 0, 0}}, (struct res){{4000, 8000, 0, 0}}, 1);
        compare(seed, (struct res){{8000, 0, 0, 0}}, (struct res){{1000, 0, 0, 0}}, 1000);
        compare(seed, (struct res){{4000, 99, 7, 5}}, (struct res){{1000, 20, 2, 2}}, 1);
        compare(seed, (struct res){{0, 0, 0, 12}}, (struct res){{0, 0, 0, 3}}, 1);
    }
}

/* All nodes are in one cell, most of them in groups of their own: a search keeps the best alone. */
static void compare_in_a_cell(uint64_t seed, int32_t least, int32_t spread)
{
    const struct res largest = {{2000000000, 1000000000, 0, 0}};
    struct res free[NODES], needs[2] = {{{spread / 9, spread / 7, 0, 0}}, {{1, 1, 0, 0}}};
    struct match_nodes m = {0};
    struct rng r = rng_branch(seed, (uint32_t)spread, 1);
    bool same = true;
    match_nodes_measure(&m, &largest);
    for (uint32_t i = 0; i < NODES; i++) {
        free[i] = draw(&r, &(struct res){{spread, spread, 0, 0}}, 1);
        res_add(&free[i], &(struct res){{least, least, 0, 0}});
        match_nodes_set(&m, i, &free[i]);
    }
    for (uint32_t t = 0; t < TASKS; t++) {
        const struct res *need = &needs[t / 40 % 2];
        uint32_t want = match_naive_server(free, NODES, need, &largest);
        same &= want == match_nodes_best(&m, need);
        if (want != MATCH_NAIVE_NONE) {
            res_sub(&free[want], need);
            match_nodes_set(&m, want, &free[want]);
        }
    }
    expect(same);
    match_nodes_fini(&m);
}

TEST(match_nodes_agrees_with_the_loop_where_many_are_nearly_alike)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        compare_in_a_cell(seed, 0, 10000000);
        compare_in_a_cell(seed, 0, 100);
        compare_in_a_cell(seed, 500000000, 20); /* single precision does not tell them apart */
    }
}
