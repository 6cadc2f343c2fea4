#include "core/estimate/dag_plan.h"

#include <math.h>
#include <stddef.h>

#include "tests/unit/test.h"

static const double whole[RES_COUNT] = {1, 1, 1, 1};
static const uint16_t first[] = {0}, both[] = {1, 2};

static struct dag_phase phase(uint32_t tasks, double time_s, double share)
{
    return (struct dag_phase){.tasks = tasks, .time_s = time_s, .share = {share}};
}

TEST(dag_plan_counts_waves)
{
    struct dag_phase p = phase(10, 3, 0.25);
    uint32_t starts;
    expect(dag_plan_forward(&p, 1, whole, &starts) == 9 && starts == 4);
    /* Backward the wave that is not full comes first. */
    expect(dag_plan_backward(&p, 1, whole, 9, &starts) == 9 && starts == 2);
    expect(dag_plan_backward(&p, 1, whole, 10, &starts) == 9 && starts == 0);
    expect(dag_plan_backward(&p, 1, whole, 8, &starts) == 9 && starts == 2);
    expect(dag_plan_backward(&p, 1, whole, 6, &starts) == 9 && starts == 6);
    expect(dag_plan_backward(&p, 1, whole, 0, &starts) == 9 && starts == 10);
}

TEST(dag_plan_follows_a_chain)
{
    struct dag_phase p[] = {phase(4, 10, 0.5), phase(1, 5, 0.5)};
    p[1].parents = first;
    p[1].parent_count = 1;
    uint32_t starts[2];
    expect(dag_plan_forward(p, 2, whole, starts) == 25 && starts[0] == 2 && starts[1] == 0);
    expect(dag_plan_backward(p, 2, whole, 25, starts) == 25 && starts[0] == 2 && starts[1] == 0);
    p[0].tasks = 0;
    p[0].runs = true; /* its last tasks run: the reader waits for one more time */
    expect(dag_plan_forward(p, 2, whole, starts) == 15 && starts[0] == 0 && starts[1] == 0);
    p[0].runs = false;
    expect(dag_plan_forward(p, 2, whole, starts) == 5 && starts[1] == 1);
}

/* A fork of a long and a short branch: the short one can wait. */
TEST(dag_plan_lets_the_short_branch_wait)
{
    struct dag_phase p[] = {phase(0, 1, 0.5), phase(1, 30, 0.5), phase(1, 10, 0.5),
                            phase(1, 5, 0.5)};
    for (int k = 1; k <= 2; k++) {
        p[k].parents = first;
        p[k].parent_count = 1;
    }
    p[3].parents = both;
    p[3].parent_count = 2;
    uint32_t starts[4];
    expect(dag_plan_forward(p, 4, whole, starts) == 35 && starts[1] == 1 && starts[2] == 1);
    expect(dag_plan_backward(p, 4, whole, 35, starts) == 35 && starts[1] == 1 && starts[2] == 0);
}

TEST(dag_plan_packs_the_best_aligned_first)
{
    struct dag_phase p[] = {phase(1, 10, 0.4), phase(1, 10, 0.7)};
    uint32_t starts[2];
    expect(dag_plan_forward(p, 2, whole, starts) == 20 && starts[0] == 0 && starts[1] == 1);
}

TEST(dag_plan_bears_what_does_not_fit)
{
    struct dag_phase p[] = {phase(1, 10, 2), phase(3, 0, 0.5)};
    uint32_t starts[2];
    expect(dag_plan_forward(p, 2, whole, starts) == INFINITY && starts[0] == 0 && starts[1] == 2);
    expect(dag_plan_backward(p, 2, whole, 1, starts) == INFINITY && starts[0] == 0);
    expect(dag_plan_forward(NULL, 0, whole, starts) == 0);
}
