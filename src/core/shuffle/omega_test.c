#include "core/shuffle/omega.h"

#include <stddef.h>

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
    b.computes[0] = (struct omega_compute){50 * S, true};
    b.computes[1] = (struct omega_compute){2 * S, false};
    b.computes[2] = (struct omega_compute){2 * S, true};
    b.computes[3] = (struct omega_compute){2 * S, false};
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

/* Every count goes to its place, at the edges of steps and where a number is not known. */
TEST(omega_adds_what_it_has_seen)
{
    static const struct {
        int64_t gap_us;
        int step;
    } gaps[] = {{0, 0},
                {OMEGA_STEP_US - 1, 0},
                {OMEGA_STEP_US, 1},
                {OMEGA_STEPS * (int64_t)OMEGA_STEP_US - 1, OMEGA_STEPS - 1},
                {OMEGA_STEPS * (int64_t)OMEGA_STEP_US, OMEGA_STEPS},
                {(OMEGA_STEPS + 1) * (int64_t)OMEGA_STEP_US, OMEGA_STEPS},
                {INT64_MAX, OMEGA_STEPS}};
    static struct omega o;
    const struct omega_bin *b = &o.bins[1];

    for (uint32_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        for (uint32_t finished = 0; finished <= 1; finished++) {
            uint32_t ended = b->gap_ended[gaps[i].step], other = b->gap_censored[gaps[i].step];
            omega_saw_gap(&o, 2, gaps[i].gap_us, finished);
            expect(b->gap_ended[gaps[i].step] == ended + finished);
            expect(b->gap_censored[gaps[i].step] == other + !finished);
            expect(b->gaps == 2 * i + finished + 1);
        }
    omega_saw_read(&o, 2, 50, 7, true);
    omega_saw_read(&o, 2, 1, 8, true);
    omega_saw_read(&o, 2, 0, 9, true); /* unknown bytes count as one */
    omega_saw_read(&o, 2, -1, 100, false);
    expect(b->alone.us == 24 && b->alone.bytes == 52 && b->alone.count == 3);
    expect(b->shared.us == 100 && b->shared.bytes == 1 && b->shared.count == 1);
    for (uint32_t i = 0; i <= OMEGA_SAMPLES; i++) /* the first is overwritten by the last */
        omega_saw_compute(&o, 2, i, i % 4, 3, i == OMEGA_SAMPLES);
    expect(b->compute_count == OMEGA_SAMPLES + 1 && b->sources == 3 * (OMEGA_SAMPLES + 1));
    expect(b->compute_bytes == (1 + 1 + 2 + 3) * (OMEGA_SAMPLES / 4) + 1);
    expect(b->computes[0].us == OMEGA_SAMPLES && b->computes[0].ended);
    expect(b->computes[1].us == 1 && b->computes[3].us == 1 && b->computes[6].us == 3);
    expect(b->computes[OMEGA_SAMPLES - 1].us == (OMEGA_SAMPLES - 1) / 3.0f);
    expect(!b->computes[1].ended && !b->computes[OMEGA_SAMPLES - 1].ended);
    omega_saw_phase(&o, 2, 3);
    omega_saw_phase(&o, 2, 4);
    expect(b->copies == 7 && b->phases == 2);
    expect(!b->known && o.bins[0].gaps == 0 && o.bins[2].gaps == 0 && o.bins[0].phases == 0);
}

/* A read takes 10 s alone and 30 s along with another, and computing 4 s. Half of the gaps last
 * 2 s, the others 6 s or, where none was seen to end, for ever. Returns tenths of seconds. */
static double tenths(int64_t omega_tenths, double sources, bool for_ever, bool ever_shared)
{
    struct omega_bin b = {.alone = {20.0 * S, 200, 2}, .compute_count = 1};
    if (ever_shared)
        b.shared = (struct omega_reads){60.0 * S, 200, 2};
    b.computes[0] = (struct omega_compute){S / 4.0f, true};
    b.compute_bytes = 16;
    b.sources = sources;
    b.gap_ended[20] = for_ever ? 0 : 10;
    b.gap_ended[60] = for_ever ? 0 : 10;
    b.gap_ended[OMEGA_STEPS] = for_ever ? 20 : 0;
    b.gaps = 20;
    b.copies = b.phases = 1;
    return omega_expected_us(&b, omega_tenths * OMEGA_STEP_US) / OMEGA_STEP_US;
}

static bool is_near(double a, double b)
{
    return a - b < 1e-8 && b - a < 1e-8;
}

TEST(omega_expects_what_the_model_says)
{
    static const struct {
        int64_t omega;
        double sources;
        bool for_ever, unshared;
        double tenths;
    } rows[] = {
        {0, 1, false, false, 300 + 40},  /* they meet */
        {20, 1, false, false, 260 + 40}, /* waited in vain: 2 s, then 8 of 10 parts shared */
        {21, 1, false, false, 179 + 40}, /* in half of all cases 2.1 s and 79 of 100 parts */
        {21, 2, false, false, 218.5 + 40}, /* in three quarters */
        {21, 0.5, false, false, 179 + 40}, /* there is one at least */
        {60, 1, false, false, (60 + 0.4 * 300) / 2 + 50 + 40},
        {61, 1, false, false, 100 + 40}, /* by then there is another one */
        {99, 1, true, false, 99 + 0.01 * 300 + 40},
        {100, 1, true, false, 100 + 40},
        {101, 1, true, false, 100 + 40}, /* one after the other */
        {200, 3, true, false, 100 + 40},
        {0, 1, false, true, 200 + 40}, /* shared reads take twice as long, as far as is known */
        {20, 1, false, true, 20 + 0.8 * 200 + 40},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(is_near(
            tenths(rows[i].omega, rows[i].sources, rows[i].for_ever, !rows[i].unshared),
            rows[i].tenths));
}

/* The best of several readers counts, and their number is that of the mean phase. */
TEST(omega_expects_the_best_of_copies)
{
    struct omega_bin b = small_bin();
    expect(omega_expected_us(&b, 4 * S) == 4 * S + 1);

    b.compute_count = 2; /* one of two is long */
    b.compute_bytes = b.sources = 2;
    b.computes[0] = (struct omega_compute){1000.0f * S, true};
    b.computes[1] = (struct omega_compute){0, true};
    double one = omega_expected_us(&b, 4 * S);
    expect(one > 450.0 * S && one < 550.0 * S);
    /* None was ever seen: two. */
    b.copies = 2;
    double two = omega_expected_us(&b, 4 * S);
    b.phases = 0;
    expect(two < 0.6 * one && omega_expected_us(&b, 4 * S) == two);
    b.phases = 2; /* one and a half are two, and a little less is one */
    b.copies = 3;
    expect(omega_expected_us(&b, 4 * S) == two);
    b.copies = 2.9;
    expect(omega_expected_us(&b, 4 * S) == one);
}

/* The choice is the first of the best, and has the numbers behind it. */
TEST(omega_choice_has_its_numbers)
{
    static struct omega o;
    for (int i = 0; i < OMEGA_SEEN_MIN; i++) {
        omega_saw_read(&o, OMEGA_BINS, 100, 10 * S, true);
        omega_saw_read(&o, OMEGA_BINS, 100, 30 * S, false);
        omega_saw_gap(&o, OMEGA_BINS, 2 * S, i % 3 > 0);
        omega_saw_compute(&o, OMEGA_BINS, 4 * S, 100, 1, true);
    }
    omega_saw_phase(&o, OMEGA_BINS, 2);
    expect(omega_roll(&o, 10, 11) == 1 << (OMEGA_BINS - 1));
    const struct omega_bin *b = &o.bins[OMEGA_BINS - 1];
    /* From 2.1 s on only a third waits in vain, ... */
    expect(is_near(b->choice.missing, 1.0 / 3));
    expect(b->choice.omega_us == OMEGA_STEPS * OMEGA_STEP_US); /* waiting costs the first nothing */
    expect(b->choice.alone_us == 10 * S && b->choice.shared_us == 30 * S && b->choice.copies == 2);
    expect(b->known && b->gaps == OMEGA_SEEN_MIN && o.window_from_us == 0);
    expect(omega_of_bin(&o, OMEGA_BINS, 7) == b->choice.omega_us);
    expect(omega_of_bin(&o, OMEGA_BINS - 1, 7) == 7);
    expect(omega_roll(&o, 11, 12) == 0 && omega_roll(&o, 11, 11) == 1 << (OMEGA_BINS - 1));
    expect(o.window_from_us == 11 && b->gaps == 0 && b->known);
    expect(b->choice.copies == 2 && omega_roll(&o, 30, 11) == 0);
}
