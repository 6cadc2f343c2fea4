#include "core/estimate/redo.h"

#include <math.h>

#include "tests/unit/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* Mantri's figure 12: three tasks in a row that take 10, 20 and 30 s, on nodes that lose 0.1, 0.2
 * and 0.5 of their outputs: 0.1 x 10 = 1; 0.2 x (20 + 1) = 4.2; 0.5 x (30 + 4.2) = 17.1. With the
 * second output on another node, too, that loses 0.5: 0.2 x 0.5 x 21 = 2.1, and 16.05. */
TEST(redo_cost_is_recursive)
{
    double first = redo_cost_s(0.1, 10, 0);
    double second = redo_cost_s(0.2, 20, first);
    expect(near(first, 1) && near(second, 4.2));
    expect(near(redo_cost_s(0.5, 30, second), 17.1));
    double twice = redo_cost_s(0.2 * 0.5, 20, first);
    expect(near(twice, 2.1) && near(redo_cost_s(0.5, 30, twice), 16.05));
}

TEST(redo_pays_beyond_the_cost_of_a_copy)
{
    expect(redo_pays(5.001, 5) && !redo_pays(5, 5) && !redo_pays(4.999, 5));
}

TEST(redo_r_mixes_what_was_seen_with_the_prior)
{
    struct redo_nodes n = {0};
    struct redo_belief b = {.prior = 0.01, .weight = 20, .memory_us = 1000, .quick_us = 10};
    expect(near(redo_r(&n, &b, (struct node_id){3}, 0), 0.01));
    for (int i = 0; i < 20; i++)
        redo_made(&n, &b, (struct node_id){3}, 0);
    expect(near(redo_r(&n, &b, (struct node_id){3}, 0), 0.2 / 40));
    expect(redo_lost(&n, &b, (struct node_id){3}, 0) == 1);
    expect(near(redo_r(&n, &b, (struct node_id){3}, 0), 1.2 / 40));
    /* After `memory` it counts half: 0.5 of 10; of others nothing is known. */
    expect(near(redo_r(&n, &b, (struct node_id){3}, 1000), 0.7 / 30));
    expect(near(redo_r(&n, &b, (struct node_id){2}, 1000), 0.01));
    redo_made(&n, &b, (struct node_id){3}, 1000);
    expect(near(redo_r(&n, &b, (struct node_id){3}, 1000), 0.7 / 31));
    /* More lost than made, because what was made is older: never above 1. */
    for (int i = 0; i < 100; i++)
        redo_lost(&n, &b, (struct node_id){3}, 2000);
    expect(redo_r(&n, &b, (struct node_id){3}, 2000) <= 1);
    redo_nodes_fini(&n);
}

TEST(redo_lost_counts_losses_in_quick_succession)
{
    struct redo_nodes n = {0};
    struct redo_belief b = {.prior = 0.01, .weight = 20, .memory_us = 1000, .quick_us = 10};
    struct node_id node = {0};
    expect(redo_lost(&n, &b, node, 100) == 1);
    expect(redo_lost(&n, &b, node, 109) == 2);                /* within */
    expect(redo_lost(&n, &b, node, 119) == 3);                /* at the limit */
    expect(redo_lost(&n, &b, node, 130) == 1);                /* beyond */
    expect(redo_lost(&n, &b, (struct node_id){1}, 131) == 1); /* another node */
    expect(redo_lost(&n, &b, node, 131) == 2);
    redo_nodes_fini(&n);
}
