/* The account of extra slot-seconds, by hand: 10 slots, 1 %, one hour = 360 slot-seconds. */
#include "brain/cap.h"

#include "tests/test.h"

enum { S = 1000000, SLOT = 1000, TEN = 10 * SLOT };

static double slot_s(cap_area a)
{
    return (double)a / SLOT / S;
}

TEST(cap_counts_what_was_held_in_the_trailing_hour)
{
    struct cap c;
    cap_init(&c, 0.01, 3600LL * S);
    expect(slot_s(cap_limit(&c, TEN)) == 360);
    c.held = 2 * SLOT;
    cap_advance(&c, 100LL * S);
    expect(slot_s(c.sum) == 200);
    c.held = 0;
    cap_advance(&c, 3600LL * S); /* the first step is still inside */
    expect(slot_s(c.sum) == 200);
    cap_advance(&c, 3660LL * S); /* it leaves, and with it the first minute */
    expect(slot_s(c.sum) == 80);
    cap_advance(&c, 3720LL * S);
    expect(slot_s(c.sum) == 0);
    c.held = SLOT;
    cap_advance(&c, 1000000LL * S); /* held for days: 60 whole steps and a part of one */
    expect(slot_s(c.sum) >= 3600 && slot_s(c.sum) < 3660);
}

TEST(cap_allows_an_attempt_that_can_go_on_for_a_step)
{
    struct cap c;
    cap_init(&c, 0.01, 3600LL * S);
    /* Six slots for a minute are 360 slot-seconds: exactly the limit. */
    expect(cap_allows(&c, TEN, 6 * SLOT) && !cap_allows(&c, TEN, 6 * SLOT + 1));
    c.held = 5 * SLOT;
    expect(cap_allows(&c, TEN, SLOT) && !cap_allows(&c, TEN, SLOT + 1));
    cap_advance(&c, 12LL * S); /* 60 are spent: five slots for one more minute are the rest */
    expect(!cap_allows(&c, TEN, 1) && cap_allows(&c, TEN, 0));
    cap_init(&c, 1, 3600LL * S);
    c.held = 100 * TEN;
    expect(cap_allows(&c, TEN, TEN)); /* 1: there is no cap */
}

TEST(cap_is_met_at_the_limit_and_opens_when_a_tenth_is_free)
{
    struct cap c;
    cap_init(&c, 0.01, 3600LL * S);
    c.held = 6 * SLOT;
    expect(cap_next_us(&c, TEN) == 60LL * S);
    cap_advance(&c, 60LL * S - 1);
    expect(!cap_review(&c, TEN) && !c.spent);
    expect(cap_next_us(&c, TEN) == 60LL * S);
    cap_advance(&c, 60LL * S);
    expect(cap_review(&c, TEN) && c.spent);
    c.held = 0;
    expect(cap_next_us(&c, TEN) == 120LL * S); /* looks at every step while it is used up */
    cap_advance(&c, 3600LL * S);
    expect(cap_review(&c, TEN));
    cap_advance(&c, 3660LL * S);
    expect(!cap_review(&c, TEN) && !c.spent && cap_next_us(&c, TEN) == 0);

    /* 360 in equal parts: a tenth is free when the first six of sixty steps are gone. */
    cap_init(&c, 0.01, 3600LL * S);
    c.held = SLOT / 10;
    cap_advance(&c, 3600LL * S);
    expect(cap_review(&c, TEN) && c.spent);
    c.held = 0;
    cap_advance(&c, 3900LL * S); /* five steps gone: 330 */
    expect(!cap_review(&c, TEN) && c.spent && !cap_allows(&c, TEN, 1));
    cap_advance(&c, 3960LL * S); /* six: 324 */
    expect(!cap_review(&c, TEN) && !c.spent && cap_allows(&c, TEN, 600));
    expect(!cap_allows(&c, TEN, 601));
}
