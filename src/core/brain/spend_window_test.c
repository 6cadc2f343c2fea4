/* The account of extra slot-seconds, by hand: 62 slots, 10 %, one hour = 22320 slot-seconds. A
 * tenth of it, 2232, is the store; 0.9 x 22320 / 62 minutes = 5.4 slots are the rate. */
#include "core/brain/spend_window.h"

#include <math.h>

#include "tests/unit/test.h"

enum { S = 1000000, SLOT = 1000, ALL = 62 * SLOT, MINUTE = 60 };

static double slot_s(spend_area a)
{
    return (double)a / SLOT / S;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static void go_on(struct spend_window *c, int64_t until_s)
{
    spend_window_advance(c, until_s * S, ALL);
}

static void begin(struct spend_window *c, double share)
{
    spend_window_init(c, share, 3600LL * S);
    go_on(c, 0);
}

TEST(cap_counts_what_was_held_in_the_trailing_hour)
{
    struct spend_window c;
    begin(&c, 0.1);
    expect(near(slot_s(spend_window_limit(&c)), 22320));
    c.held = 2 * SLOT;
    go_on(&c, 100);
    expect(slot_s(c.sum) == 200);
    c.held = 0;
    go_on(&c, 3600); /* the first step is still inside */
    expect(slot_s(c.sum) == 200);
    go_on(&c, 3660); /* it leaves, and with it the first minute */
    expect(slot_s(c.sum) == 80);
    go_on(&c, 3720);
    expect(slot_s(c.sum) == 0);
    c.held = SLOT;
    go_on(&c, 1000000); /* held for days: 60 whole steps and a part of one */
    expect(slot_s(c.sum) >= 3600 && slot_s(c.sum) < 3660);
}

TEST(cap_allows_an_attempt_that_can_go_on_for_a_step)
{
    struct spend_window c;
    begin(&c, 0.1);
    /* A minute of 5.4 slots comes in, and 2232 slot-seconds are there: 42.6 slots for a minute. */
    expect(spend_window_allows(&c, 42600) && !spend_window_allows(&c, 42601));
    c.held = 40 * SLOT;
    expect(spend_window_allows(&c, 2600) && !spend_window_allows(&c, 2601));
    c.held = 12600;
    go_on(&c,
          5 * MINUTE); /* 7.2 slots beyond the rate: 2160 are taken, 1.2 slots for a minute left */
    expect(!spend_window_allows(&c, 0));
    c.held = 6 * SLOT;
    expect(spend_window_allows(&c, 600) && !spend_window_allows(&c, 601));
    begin(&c, 1);
    c.held = 100 * ALL;
    expect(spend_window_allows(&c, ALL)); /* 1: there is no cap */
    expect(spend_window_may_hold(&c) == 100.0 * ALL && spend_window_next_us(&c, false) == 0);
    begin(&c, 0);
    expect(!spend_window_allows(&c, 1) && spend_window_allows(&c, 0) &&
           spend_window_next_us(&c, false) == 0);
}

TEST(cap_brings_what_is_held_down_to_the_rate_when_the_store_is_empty)
{
    struct spend_window c;
    begin(&c, 0.1);
    c.held = 42600; /* 37.2 beyond the rate empty the store in a minute */
    expect(spend_window_next_us(&c, false) == 60LL * S);
    c.held = 79800; /* 74.4 in half of one */
    expect(spend_window_next_us(&c, false) == 30LL * S);
    spend_window_advance(&c, 30LL * S - 1, ALL);
    expect(spend_window_may_hold(&c) == 79800);
    spend_window_advance(&c, 30LL * S + 1, ALL);
    expect(near(spend_window_may_hold(&c), 5400));

    c.held = 5400; /* exactly the rate: it may go on for ever, and nothing may join it */
    go_on(&c, 50000);
    expect(near(spend_window_may_hold(&c), 5400) && !spend_window_allows(&c, 1));
    expect(slot_s(c.sum) <= slot_s(spend_window_limit(&c)) * 0.9);
    c.held = 4400; /* one slot less for a minute, and 60 slot-seconds are there again */
    go_on(&c, 50000 + MINUTE);
    expect(spend_window_may_hold(&c) == 4400 && spend_window_allows(&c, 1990) &&
           !spend_window_allows(&c, 2010));
}

TEST(cap_store_is_filled_up_and_no_more)
{
    struct spend_window c;
    begin(&c, 0.1);
    go_on(&c, 86400); /* a day of nothing is worth what an instant of it is */
    expect(spend_window_allows(&c, 42600) && !spend_window_allows(&c, 42601) &&
           spend_window_next_us(&c, false) == 0);
    /* Somebody waits: it looks at every step. */
    expect(spend_window_next_us(&c, true) == (86400 + MINUTE) * (int64_t)S);
}

/* Whoever takes all that is allowed at every moment, for hours, stays within the limit of each. */
TEST(cap_spreads_what_may_be_spent_over_the_window)
{
    struct spend_window c;
    begin(&c, 0.1);
    double first_half = 0, most = 0;
    for (int64_t t = 0; t < 4 * 3600; t++) {
        if ((double)c.held > spend_window_may_hold(&c))
            c.held = (int64_t)spend_window_may_hold(&c);
        while (spend_window_allows(&c, 100))
            c.held += 100;
        go_on(&c, t + 1);
        most = fmax(most, slot_s(c.sum));
        first_half = t + 1 == 1800 ? slot_s(c.sum) : first_half;
    }
    /* 2232 and half an hour of 5.4 slots. */
    expect(first_half > 2232 + 1800 * 5.0 && first_half < 2232 + 1800 * 5.4 + 60);
    expect(most > 0.9 * 22320 && most < 22320);
    expect(c.held >= 5300 && slot_s(c.sum) > 3600 * 5.3); /* and goes on at the rate */
}

TEST(cap_ends_all_when_the_limit_is_met)
{
    struct spend_window c;
    begin(&c, 0.1);
    c.held = 50 * SLOT; /* and kills are not answered: 22320 are 446.4 s of it */
    go_on(&c, 446);
    expect(near(spend_window_may_hold(&c), 5400) && spend_window_next_us(&c, false) == 446400000);
    spend_window_advance(&c, 446400000, ALL);
    expect(spend_window_may_hold(&c) == 0);
    c.held = 0;
    go_on(&c, 3600); /* 446.4 x 44.6 were taken; 17028.36 came in, and more than 2232 are owed */
    expect(slot_s(c.sum) == 22320 && !spend_window_allows(&c, 1));
    go_on(&c,
          4020); /* seven minutes have left the window; 612 are taken: 32.4 slots for a minute */
    expect(slot_s(c.sum) == 1320 && spend_window_allows(&c, 32300) &&
           !spend_window_allows(&c, 32500));
}

TEST(cap_follows_the_capacity)
{
    struct spend_window c;
    begin(&c, 0.1);
    c.held = 5 * SLOT;
    go_on(&c, 3600);
    expect(spend_window_may_hold(&c) == 5 * SLOT); /* 18000 of 22320 */
    spend_window_advance(&c, 3600LL * S, ALL / 2); /* ... but 11160 are all, now */
    expect(near(slot_s(spend_window_limit(&c)), 11160) && spend_window_may_hold(&c) == 0 &&
           !spend_window_allows(&c, 1));
    spend_window_advance(&c, 3600LL * S, ALL);
    expect(spend_window_may_hold(&c) == 5 * SLOT && spend_window_allows(&c, SLOT));
}

/* 10.4 slots are held, 5 more than arrive: after 223.2 s a half of the 2232 slot-seconds is spent,
 * later all of it, and never more. What arrives meanwhile fills it again. */
TEST(cap_tells_what_part_of_its_store_is_spent)
{
    struct spend_window c;
    begin(&c, 0.1);
    expect(spend_window_spent(&c) == 0);
    c.held = 10400;
    spend_window_advance(&c, 223200000, ALL);
    expect(near(spend_window_spent(&c), 0.5));
    go_on(&c, 600);
    expect(spend_window_spent(&c) == 1);
    c.held = 0; /* 600 x 5 were taken, 1116 are left of it after (3000 - 1116) / 5.4 s */
    spend_window_advance(&c, 600 * (int64_t)S + 348888889, ALL);
    expect(fabs(spend_window_spent(&c) - 0.5) < 1e-6);
    begin(&c, 1); /* there is no limit */
    c.held = ALL;
    go_on(&c, 3600);
    expect(spend_window_spent(&c) == 0);
}
