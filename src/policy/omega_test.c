#include "policy/omega.h"

#include "tests/test.h"

enum { S = 1000000, HOUR = 3600 };

/* What one window sees: reads of `alone_s` and `shared_s`, gaps evenly up to `gap_s`, and a fifth
 * of the readers that compute ten times as long. */
static int64_t chosen(double alone_s, double shared_s, double gap_s)
{
    static struct omega o;
    o = (struct omega){0};
    for (int i = 0; i < 200; i++) {
        omega_saw_read(&o, 1, (int64_t)(alone_s * S), true);
        omega_saw_read(&o, 1, (int64_t)(shared_s * S), false);
        omega_saw_gap(&o, 1, (int64_t)(gap_s * S * i / 200), true);
        omega_saw_compute(&o, 1, (i % 5 == 0 ? 40 : 4) * S);
    }
    omega_roll(&o, 3, 1, HOUR * (int64_t)S);
    return omega_of_bin(&o, 1, 7);
}

TEST(omega_is_the_prior_until_enough_was_seen)
{
    static struct omega o;
    expect(omega_of_bin(&o, 1, 7) == 7);
    for (int i = 0; i < OMEGA_SEEN_MIN - 1; i++) {
        omega_saw_read(&o, 1, S, true);
        omega_saw_gap(&o, 1, S, true);
        omega_saw_compute(&o, 1, S);
    }
    omega_roll(&o, 2, 5LL * HOUR * S, S);
    expect(omega_of_bin(&o, 1, 7) == 7);
    omega_saw_read(&o, 1, S, true);
    omega_saw_gap(&o, 1, S, true);
    omega_saw_compute(&o, 1, S);
    omega_roll(&o, 2, 5LL * HOUR * S, S);
    expect(omega_of_bin(&o, 1, 7) != 7);
}

TEST(omega_grows_with_contention)
{
    expect(chosen(4, 4, 3) == 0); /* sharing costs nothing: never wait */
    expect(chosen(4, 6, 3) > 0);
    expect(chosen(4, 12, 3) >= chosen(4, 6, 3));
}

TEST(omega_follows_the_read_time)
{
    expect(chosen(8, 16, 6) > chosen(2, 4, 6)); /* less bandwidth: more to gain by waiting */
}

TEST(omega_follows_the_gaps)
{
    int64_t close = chosen(4, 10, 1), far = chosen(4, 10, 4);
    expect(close <= far && close > 0); /* siblings that come soon need not be waited for long */
}

TEST(omega_censored_gaps_are_not_missing_outputs)
{
    struct omega_bin b = {.alone_us = 4 * S, .alone = 1, .shared_us = 10 * S, .shared = 1};
    b.compute_us[0] = 1;
    b.computes = 1;
    b.gap_ended[5] = 50;
    b.gap_censored[3] = 50; /* stopped before they could come */
    b.gaps = 100;
    double with = omega_expected_us(&b, 1, S);
    b.gap_censored[3] = 0;
    b.gaps = 50;
    expect(with == omega_expected_us(&b, 1, S));
}
