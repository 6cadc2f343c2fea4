#include "core/match/smallest_demands.h"

#include "base/rng.h"
#include "tests/unit/test.h"

TEST(smallest_demands_keeps_what_nothing_undercuts)
{
    struct smallest_demands e = {0};
    expect(!smallest_demands_fit(&e, &(struct res){{9, 9, 9, 9}}));
    smallest_demands_add(&e, &(struct res){{4, 1, 0, 0}});
    smallest_demands_add(&e, &(struct res){{1, 4, 0, 0}});
    smallest_demands_add(&e, &(struct res){{4, 4, 0, 0}}); /* asks for more than both */
    expect(e.count == 2);
    expect(smallest_demands_fit(&e, &(struct res){{4, 1, 0, 0}}));
    expect(!smallest_demands_fit(&e, &(struct res){{3, 3, 9, 9}}));
    smallest_demands_add(&e, &(struct res){{3, 3, 0, 0}});
    expect(e.count == 3 && smallest_demands_fit(&e, &(struct res){{3, 3, 0, 0}}));
    smallest_demands_add(&e, &(struct res){{1, 1, 0, 0}}); /* less than all */
    expect(e.count == 1 && res_equal(&e.least[0], &(struct res){{1, 1, 0, 0}}));
}

/* Demands that have this sum do not undercut each other. */
TEST(smallest_demands_promises_too_much_rather_than_too_little)
{
    enum { SUM = 40 };
    struct smallest_demands e = {0};
    for (int32_t cpu = 0; cpu <= SUM; cpu++)
        smallest_demands_add(&e, &(struct res){{cpu, SUM - cpu, 0, 0}});
    expect(e.count == SMALLEST_MAX);
    for (int32_t cpu = 0; cpu <= SUM; cpu++)
        expect(smallest_demands_fit(&e, &(struct res){{cpu, SUM - cpu, 0, 0}}));
    expect(!smallest_demands_fit(&e, &(struct res){{0, SUM - 1, 9, 9}}));
}

TEST(smallest_demands_merges_those_most_alike)
{
    enum { STEP = 10, SUM = STEP * SMALLEST_MAX };
    for (int32_t i = 0; i < SMALLEST_MAX; i++) {
        struct smallest_demands e = {0};
        for (int32_t k = 1; k <= SMALLEST_MAX; k++)
            smallest_demands_add(&e, &(struct res){{k * STEP, SUM - k * STEP, 0, 0}});
        smallest_demands_add(&e,
                             &(struct res){{(i + 1) * STEP + 1, SUM - (i + 1) * STEP - 1, 0, 0}});
        expect(e.count == SMALLEST_MAX);
        /* Between any two that stand apart, still none fits. */
        for (int32_t k = 1; k < SMALLEST_MAX; k++)
            expect(
                !smallest_demands_fit(&e, &(struct res){{k * STEP + 5, SUM - k * STEP - 5, 0, 0}}));
    }
}

TEST(smallest_demands_agrees_with_looking_at_all)
{
    struct rng r = rng_branch(1, 2, 3);
    bool same = true;
    for (int round = 0; round < 200; round++) {
        struct res all[40];
        struct smallest_demands e = {0};
        for (int i = 0; i < 40; i++) {
            all[i] = (struct res){{(int32_t)rng_below(&r, 9), (int32_t)rng_below(&r, 9), 0, 0}};
            smallest_demands_add(&e, &all[i]);
        }
        for (int i = 0; i < 40; i++) {
            struct res room = {{(int32_t)rng_below(&r, 9), (int32_t)rng_below(&r, 9), 0, 0}};
            bool any = false;
            for (int k = 0; k < 40; k++)
                any |= res_fits(&all[k], &room);
            same &= any == smallest_demands_fit(&e, &room);
        }
    }
    expect(same);
}
