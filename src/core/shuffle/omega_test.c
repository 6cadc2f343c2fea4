#include "core/shuffle/omega.h"

#include "tests/unit/test.h"

enum { S = 1000000, HOUR = 3600 };

/* What one window sees: reads of `alone_s` and `shared_s`, gaps evenly up to `gap_s`, and a fifth
 * of the readers that compute ten times as long. */
static int64_t chosen(double alone_s, double shared_s, double gap_s)
{
    static struct omega o;
    o = (struct omega){0};
    for (int i = 0; i < 200; i++) {
        omega_saw_read(&o, 1, 100, (int64_t)(alone_s * S), true);
        omega_saw_read(&o, 1, 100, (int64_t)(shared_s * S), false);
        omega_saw_gap(&o, 1, (int64_t)(gap_s * S * i / 200), true);
        omega_saw_compute(&o, 1, (i % 5 == 0 ? 40 : 4) * S, 100, 1, true);
    }
    omega_saw_phase(&o, 1, 3);
    expect(omega_roll(&o, 1, HOUR * (int64_t)S) == 1);
    int64_t omega_us = omega_of_bin(&o, 1, 7);
    expect(omega_us % (S / 10) == 0); /* tenths of a second are tried */
    return omega_us;
}

TEST(omega_is_the_prior_until_enough_was_seen)
{
    static struct omega o;
    expect(omega_of_bin(&o, 1, 7) == 7);
    for (int i = 0; i < OMEGA_SEEN_MIN - 1; i++) {
        omega_saw_read(&o, 1, 1, S, true);
        omega_saw_gap(&o, 1, S, true);
        omega_saw_compute(&o, 1, S, 0, 1, true);
    }
    expect(omega_roll(&o, 5LL * HOUR * S, S) == 0);
    expect(omega_of_bin(&o, 1, 7) == 7);
    omega_saw_read(&o, 1, 1, S, true);
    omega_saw_gap(&o, 1, S, true);
    omega_saw_compute(&o, 1, S, 0, 1, true);
    expect(omega_roll(&o, 5LL * HOUR * S, S) == 1);
    expect(omega_of_bin(&o, 1, 7) != 7);
}

TEST(omega_is_chosen_at_once_and_then_once_in_a_window)
{
    static struct omega o;
    const int64_t hour_us = HOUR * (int64_t)S;
    for (int64_t from_us = 0; from_us < 2 * hour_us; from_us += hour_us) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < OMEGA_SEEN_MIN; i++) {
                omega_saw_read(&o, 3, 1, S, true);
                omega_saw_gap(&o, 3, S, true);
                omega_saw_compute(&o, 3, S, 0, 1, true);
            }
            bool first = from_us == 0 && round == 0;
            expect(omega_roll(&o, from_us + hour_us / 2, hour_us) == (first ? 4 : 0));
        }
        expect(omega_roll(&o, from_us + hour_us, hour_us) == 4);
        expect(o.bins[2].choice.alone_us == S && o.bins[2].alone.count == 0);
    }
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

/* A bin with one read of 4 s, 10 s when shared, and one compute time. */
static struct omega_bin small_bin(void)
{
    struct omega_bin b = {.alone = {4 * S, 1, 1}, .shared = {10 * S, 1, 1}, .compute_count = 1};
    b.computes[0] = (struct omega_compute){1, true};
    b.compute_bytes = b.sources = b.copies = b.phases = 1;
    return b;
}

TEST(omega_censored_gaps_are_not_missing_outputs)
{
    struct omega_bin b = small_bin();
    b.gap_ended[5] = 50;
    b.gap_censored[3] = 50; /* stopped before they could come */
    b.gaps = 100;
    double with = omega_expected_us(&b, S);
    b.gap_censored[3] = 0;
    b.gaps = 50;
    expect(with == omega_expected_us(&b, S));
}

TEST(omega_waits_in_vain_more_often_for_many_tasks)
{
    struct omega_bin b = small_bin();
    b.gap_ended[5] = b.gap_ended[OMEGA_STEPS] = 50;
    b.gaps = 100;
    double one = omega_expected_us(&b, S);
    b.sources = 5;
    expect(omega_expected_us(&b, S) > one);
}

/* Readers that were stopped when a sibling had finished are no proof that all are fast. */
TEST(omega_stopped_readers_are_not_fast_ones)
{
    struct omega_bin b = small_bin();
    b.compute_count = 4;
    b.compute_bytes = 4;
    b.sources = 4;
    b.computes[0] = (struct omega_compute){2 * S, true};
    b.computes[1] = (struct omega_compute){2 * S, false};
    b.computes[2] = (struct omega_compute){2 * S, false};
    b.computes[3] = (struct omega_compute){50 * S, true};
    /* Alone the mean of 2, 50, 50, 50; the read is the first reader's. */
    double expected = omega_expected_us(&b, 4 * S) - 4 * S;
    expect(expected > 37 * S && expected < 39 * S);
}

/* 1 s ended, 1 s stopped, 10 s ended, 40 s ended: 5/8 took up to 10 s, which is what the third of
 * four quantiles, (2 + 1/2) / 4, is then. */
TEST(omega_quantile_at_its_limit_is_within_it)
{
    struct omega_bin b = small_bin();
    b.compute_count = 4;
    b.compute_bytes = 4;
    b.sources = 4;
    b.computes[0] = (struct omega_compute){1 * S, true};
    b.computes[1] = (struct omega_compute){1 * S, false};
    b.computes[2] = (struct omega_compute){10 * S, true};
    b.computes[3] = (struct omega_compute){40 * S, true};
    /* The mean of 1, 10, 10, 40. */
    double expected = omega_expected_us(&b, 4 * S) - 4 * S;
    expect(expected > 14 * S && expected < 16.5 * S);
}

/* Two jobs whose tasks differ in size but compute at the same speed: nothing to choose among. */
TEST(omega_size_is_no_luck)
{
    static struct omega even, mixed;
    for (int i = 0; i < 40; i++) {
        omega_saw_read(&even, 1, 100, 4 * S, true);
        omega_saw_read(&mixed, 1, 100, 4 * S, true);
        omega_saw_gap(&even, 1, S, true);
        omega_saw_gap(&mixed, 1, S, true);
        omega_saw_compute(&even, 1, 5 * S, 50, 1, true);
        omega_saw_compute(&mixed, 1, (i % 2 ? 1 : 9) * S, i % 2 ? 10 : 90, 1, true);
    }
    double a = omega_expected_us(&even.bins[0], S), b = omega_expected_us(&mixed.bins[0], S);
    expect(a > b * 0.999 && a < b * 1.001);
}
