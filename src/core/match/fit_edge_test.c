#include "core/match/fit_edge.h"

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(fit_edge_keeps_what_nothing_undercuts)
{
    struct fit_edge e = {0};
    expect(!fit_edge_fits(&e, &(struct res){{9, 9, 9, 9}}));
    fit_edge_add(&e, &(struct res){{4, 1, 0, 0}});
    fit_edge_add(&e, &(struct res){{1, 4, 0, 0}});
    fit_edge_add(&e, &(struct res){{4, 4, 0, 0}}); /* asks for more than both */
    expect(e.count == 2);
    expect(fit_edge_fits(&e, &(struct res){{4, 1, 0, 0}}));
    expect(!fit_edge_fits(&e, &(struct res){{3, 3, 9, 9}}));
    fit_edge_add(&e, &(struct res){{3, 3, 0, 0}});
    expect(e.count == 3 && fit_edge_fits(&e, &(struct res){{3, 3, 0, 0}}));
    fit_edge_add(&e, &(struct res){{1, 1, 0, 0}}); /* less than all */
    expect(e.count == 1 && res_equal(&e.least[0], &(struct res){{1, 1, 0, 0}}));
}

/* Demands that have this sum do not undercut each other. */
TEST(fit_edge_promises_too_much_rather_than_too_little)
{
    enum { SUM = 40 };
    struct fit_edge e = {0};
    for (int32_t cpu = 0; cpu <= SUM; cpu++)
        fit_edge_add(&e, &(struct res){{cpu, SUM - cpu, 0, 0}});
    expect(e.count == FIT_EDGE_MAX);
    for (int32_t cpu = 0; cpu <= SUM; cpu++)
        expect(fit_edge_fits(&e, &(struct res){{cpu, SUM - cpu, 0, 0}}));
    expect(!fit_edge_fits(&e, &(struct res){{0, SUM - 1, 9, 9}}));
}

TEST(fit_edge_merges_those_most_alike)
{
    enum { STEP = 10, SUM = STEP * FIT_EDGE_MAX };
    for (int32_t i = 0; i < FIT_EDGE_MAX; i++) {
        struct fit_edge e = {0};
        for (int32_t k = 1; k <= FIT_EDGE_MAX; k++)
            fit_edge_add(&e, &(struct res){{k * STEP, SUM - k * STEP, 0, 0}});
        fit_edge_add(&e, &(struct res){{(i + 1) * STEP + 1, SUM - (i + 1) * STEP - 1, 0, 0}});
        expect(e.count == FIT_EDGE_MAX);
        /* Between any two that stand apart, still none fits. */
        for (int32_t k = 1; k < FIT_EDGE_MAX; k++)
            expect(!fit_edge_fits(&e, &(struct res){{k * STEP + 5, SUM - k * STEP - 5, 0, 0}}));
    }
}

TEST(fit_edge_agrees_with_looking_at_all)
{
    struct rng r = rng_branch(1, 2, 3);
    bool same = true;
    for (int round = 0; round < 200; round++) {
        struct res all[40];
        struct fit_edge e = {0};
        for (int i = 0; i < 40; i++) {
            all[i] = (struct res){{(int32_t)rng_below(&r, 9), (int32_t)rng_below(&r, 9), 0, 0}};
            fit_edge_add(&e, &all[i]);
        }
        for (int i = 0; i < 40; i++) {
            struct res room = {{(int32_t)rng_below(&r, 9), (int32_t)rng_below(&r, 9), 0, 0}};
            bool any = false;
            for (int k = 0; k < 40; k++)
                any |= res_fits(&all[k], &room);
            same &= any == fit_edge_fits(&e, &room);
        }
    }
    expect(same);
}
