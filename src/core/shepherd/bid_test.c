#include "core/shepherd/bid.h"

#include <math.h>

#include "tests/unit/test.h"

#define SURE 1e15 /* attempts: p is known */

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* 40 s to go, a copy takes 10: it saves 30 in 10 slot-seconds if copies always win. At even odds
 * it saves 15, and takes 10 or 40. */
TEST(bid_for_a_rescue)
{
    expect(is_near(bid_rescue(40, 10, 5, 1), 3));
    expect(is_near(bid_rescue(40, 10, 5, 0.5), 15.0 / 25));
    expect(is_near(bid_rescue(40, 10, 25, 0.5), 7.5 / 25)); /* others end after 25 s anyway */
    expect(is_near(bid_rescue(40, 10, 40, 0.5), 0));
    expect(bid_rescue(40, 10, 50, 0.5) < 0);
    expect(is_near(bid_rescue(40, 10, 5, 0), 0)); /* copies never win */
}

/* Nothing is spent, a half, all: 0.3 x (1/2)^4 = 0.01875. */
TEST(bid_must_be_worth_more_as_the_store_is_spent)
{
    expect(bid_least(0) == 0 && is_near(bid_least(0.5), 0.01875) && is_near(bid_least(1), 0.3));
}

/* A late attempt has 40 s to go. A copy that always wins takes 10, and the late one ends with it:
 * 20 slot-seconds instead of 40. At even odds both take 25 s, which is 50; but of two late attempts
 * and a copy 75 instead of 80. */
TEST(bid_frees_what_late_attempts_would_hold)
{
    expect(bid_frees(40, 10, 1, 1) && !bid_frees(20, 10, 1, 1));
    expect(!bid_frees(40, 10, 1, 0.5) && bid_frees(40, 10, 2, 0.5));
    expect(!bid_frees(1e9, 10, 9, 0)); /* copies never win */
}

/* One task straggles with probability 0.2, with a copy both do with 0.04: 16 % less of a delay of
 * 13 s, for the 10 s that the copy runs. */
TEST(bid_for_a_hedge_of_one_task)
{
    struct bid_hedged h = {10, 10, {0.2, SURE}, 0, 1, 1};
    expect(is_near(bid_straggles(&h), 0.2));
    expect(is_near(bid_hedge(&h, 1), 0.16 * 13 / 10));
    expect(is_near(bid_hedge(&h, 0.5), 0.08 * 13 / 10));
    h.copies = 2; /* from 0.04 to 0.008 */
    expect(is_near(bid_straggles(&h), 0.04));
    expect(is_near(bid_hedge(&h, 1), 0.032 * 13 / 10));
}

/* Two tasks: with a copy of each, their phase is on time with 0.96^2 instead of 0.8^2; half of that
 * is for each. Of a hundred tasks some straggle in any case, and a copy of one is worth little. */
TEST(bid_for_a_hedge_of_many_tasks)
{
    struct bid_hedged h = {10, 10, {0.2, SURE}, 0, 1, 2};
    expect(is_near(bid_hedge(&h, 1), (0.9216 - 0.64) / 2 * 13 / 10));
    h.tasks = 100;
    expect(is_near(bid_hedge(&h, 1), (pow(0.96, 100) - pow(0.8, 100)) / 100 * 13 / 10));
    expect(bid_hedge(&h, 1) < BID_HEDGE_MIN);
}

/* Half of its time is over, so it straggles with 0.1; a copy runs for 5 s. */
TEST(bid_for_a_hedge_of_a_task_that_is_half_done)
{
    struct bid_hedged h = {5, 10, {0.2, SURE}, 0.5, 1, 1};
    expect(is_near(bid_straggles(&h), 0.1));
    expect(is_near(bid_hedge(&h, 1), 0.08 * 13 / 5));
}

TEST(bid_is_worth_nothing_where_nothing_straggles)
{
    struct bid_hedged h = {10, 10, {0, SURE}, 0, 1, 10};
    expect(bid_hedge(&h, 1) == 0);
}

/* 11 s for a copy with a tenth to spare, and two looks of half a second. */
TEST(bid_is_due_at_the_last_moment)
{
    expect(!bid_is_due(10, 12.001, 0.5) && bid_is_due(10, 12, 0.5) && bid_is_due(10, 3, 0.5));
}

/* One of ten that were seen has straggled. The next one does with 1/10; if it does, that is two of
 * eleven, and so on: all three do with 1/10 x 2/11 x 3/12, and not with 1/1000. */
TEST(bid_doubts_a_chance_that_is_hardly_known)
{
    struct bid_chance p = {0.1, 10};
    expect(is_near(bid_all_straggle(p, 0), 1) && is_near(bid_all_straggle(p, 1), 0.1));
    expect(is_near(bid_all_straggle(p, 3), 0.1 * 2 / 11 * 3 / 12));
    struct bid_hedged h = {10, 10, p, 0, 2, 1};
    expect(is_near(bid_straggles(&h), 0.1 * 2 / 11));
    expect(is_near(bid_hedge(&h, 1), 0.1 * 2 / 11 * (1 - 3.0 / 12) * 13 / 10));
}
