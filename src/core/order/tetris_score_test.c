#include "core/order/tetris_score.h"

#include "tests/unit/test.h"

TEST(tetris_score_work_counts_every_resource)
{
    struct res largest = {{4000, 8192, 0, 0}}, demand = {{1000, 4096, 7, 0}};
    /* a quarter of the cores and half of the memory; nobody has any x */
    expect(tetris_score_work(&demand, &largest, 10, 3) == 0.75 * 10 * 3);
    expect(tetris_score_work(&demand, &largest, 10, 0) == 0);
}

/* Figure 2 of DollyMP: a job of 10 s that needs 4/5 of the server, and two of 8 s and 1/4. */
TEST(tetris_score_has_two_signs)
{
    struct tetris_bid bids[] = {{0.8, 8}, {0.25, 2}, {0.25, 2}};
    /* eps = 1.3 / 12: -0.067, 0.033, 0.033 */
    expect(tetris_score_best(bids, 3, -1) == 1);
    expect(tetris_score_best(bids, 3, 1) == 0);
}

TEST(tetris_score_weighs_fit_against_what_is_left)
{
    struct tetris_bid bids[] = {{0.75, 6}, {0.5, 3}};
    expect(tetris_score_best(bids, 2, -1) == 1); /* eps = 1.25 / 9: -0.083 and 0.083 */
    bids[1].left = 4;
    expect(tetris_score_best(bids, 2, -1) == 0); /* eps = 1/8: both 0, the first of equals */
    bids[1].left = 5;
    expect(tetris_score_best(bids, 2, -1) == 0); /* eps = 1.25 / 11: 0.068 and -0.068 */
}

/* 0.75 and 6 against 0.5 and 3, eps = 1.25 / 9: a third of it is too little to prefer the second.
 */
TEST(tetris_score_takes_a_weight)
{
    struct tetris_bid bids[] = {{0.75, 6}, {0.5, 3}};
    expect(tetris_score_best(bids, 2, -1. / 3) == 0); /* 0.472 and 0.361 */
    expect(tetris_score_best(bids, 2, -0.7) == 1);    /* 0.167 and 0.208 */
    expect(tetris_score_best(bids, 2, 0) == 0);
}

TEST(tetris_score_goes_by_fit_where_nothing_is_left)
{
    struct tetris_bid bids[] = {{0.1, 0}, {0.3, 0}, {0.3, 0}}, none[] = {{0, 0}, {0, 0}};
    expect(tetris_score_best(bids, 3, -1) == 1 && tetris_score_best(bids, 3, 1) == 1);
    expect(tetris_score_best(none, 2, -1) == 0 && tetris_score_best(bids, 1, 1) == 0);
}
