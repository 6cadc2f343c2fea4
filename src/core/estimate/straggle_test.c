#include "core/estimate/straggle.h"

#include "base/rng.h"
#include "tests/unit/test.h"

enum { WINDOW = 1000000 };

static bool near(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

static struct phase_sample kept[256];

static struct phase phase_of(const float *times, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        kept[i].per_byte = times[i];
    struct phase p = {.count = n, .median = 1, .measured = true};
    p.samples.at = kept;
    p.samples.count = n;
    return p;
}

TEST(straggle_prior_until_a_hundred_samples)
{
    struct straggle s = {0};
    float times[100];
    for (int i = 0; i < 100; i++)
        times[i] = i < 30 ? 3.0f : 1.0f;
    struct phase p = phase_of(times, 99);
    straggle_phase(&s, &p, 0.15, 1, WINDOW);
    expect(straggle_p(&s, 0.15) == 0.15);
    p = phase_of(times, 2); /* 101 */
    straggle_phase(&s, &p, 0.15, 2, WINDOW);
    /* 32 of 101, mixed with the prior, which counts as a hundred. */
    expect(near(straggle_p(&s, 0.15), (32.0 / 101 * 101 + 0.15 * 100) / 201));
}

TEST(straggle_exactly_twice_the_median_is_no_straggler)
{
    struct straggle s = {0};
    float times[100];
    for (int i = 0; i < 100; i++)
        times[i] = i < 50 ? 2.0f : 1.0f;
    struct phase p = phase_of(times, 100);
    straggle_phase(&s, &p, 0.15, WINDOW, WINDOW);
    expect(straggle_p(&s, 0.5) == 0.001);
    struct straggle t = {0};
    for (int i = 0; i < 50; i++)
        times[i] = 2.001f;
    p = phase_of(times, 100);
    straggle_phase(&t, &p, 0.15, WINDOW, WINDOW);
    expect(near(straggle_p(&t, 0.1), 0.5));
}

/* Three attempts of each task race; the losers are killed at the winner's time. A fifth of all
 * attempts would take ten times as long. */
TEST(straggle_censored_losers_do_not_count_as_healthy)
{
    struct straggle s = {0};
    uint32_t healthy = 0, all = 0;
    for (uint32_t phase = 0; phase < 2000; phase++) {
        float times[12];
        for (uint32_t task = 0; task < 4; task++) {
            struct rng r = rng_stream(7, RNG_TEST, phase, task, 0, 0);
            float own[3], best = 1e9f;
            for (int k = 0; k < 3; k++) {
                own[k] = (float)((rng_unit(&r) < 0.2 ? 10 : 1) * (0.9 + 0.2 * rng_unit(&r)));
                best = own[k] < best ? own[k] : best;
            }
            for (int k = 0; k < 3; k++) {
                times[task * 3 + (uint32_t)k] = own[k] <= best ? own[k] : -best;
                healthy += best <= 2;
                all++;
            }
        }
        struct phase p = phase_of(times, 12);
        straggle_phase(&s, &p, 0.15, phase, INT64_MAX);
    }
    double naive = 1 - (double)healthy / all;
    expect(naive < 0.02);
    straggle_phase(&s, &(struct phase){.count = 2, .median = 1}, 0.15, 1, 1); /* the window ends */
    expect(straggle_p(&s, 0.5) > 0.15 && straggle_p(&s, 0.5) < 0.25);
}

TEST(straggle_forgets_the_window_before)
{
    struct straggle s = {0};
    float bad[200], good[200];
    for (int i = 0; i < 200; i++) {
        bad[i] = i % 2 ? 5.0f : 1.0f;
        good[i] = 1.0f;
    }
    struct phase p = phase_of(bad, 200);
    straggle_phase(&s, &p, 0.15, WINDOW, WINDOW);
    struct phase q = phase_of(good, 200);
    expect(near(straggle_p(&s, 0.1), 0.5));
    straggle_phase(&s, &q, 0.15, WINDOW + 5, WINDOW);
    expect(near(straggle_p(&s, 0.1), 0.5)); /* the window is not over */
    straggle_phase(&s, &q, 0.15, 2 * WINDOW, WINDOW);
    expect(straggle_p(&s, 0.1) == 0.001);
}

/* Few samples, all of them cloned: nobody is left at twice the median, and still p is not 0. */
TEST(straggle_sees_stragglers_that_cloning_hid)
{
    double sum = 0;
    for (uint32_t run = 0; run < 50; run++) {
        struct straggle s = {0};
        for (uint32_t phase = 0; phase < 12; phase++) {
            float times[9];
            for (uint32_t task = 0; task < 3; task++) {
                struct rng r = rng_stream(9, RNG_TEST, run, phase, task, 0);
                float own[3], best = 1e9f;
                for (int k = 0; k < 3; k++) {
                    own[k] = (float)((rng_unit(&r) < 0.2 ? 10 : 1) * (0.9 + 0.2 * rng_unit(&r)));
                    best = own[k] < best ? own[k] : best;
                }
                for (int k = 0; k < 3; k++)
                    times[task * 3 + (uint32_t)k] = own[k] <= best ? own[k] : -best;
            }
            struct phase p = phase_of(times, 9);
            straggle_phase(&s, &p, 0.15, phase, INT64_MAX);
        }
        sum += straggle_p(&s, 0.9);
    }
    expect(sum / 50 > 0.1 && sum / 50 < 0.35);
}

TEST(straggle_prior_knows_earlier_runs)
{
    struct phase p = {0};
    expect(straggle_prior(&p, 0.15) == 0.15);
    p.past_seen = 100;
    p.past_straggled = 45;
    expect(straggle_prior(&p, 0.15) == 0.3); /* half and half */
    p.past_seen = 900;
    p.past_straggled = 0;
    expect(straggle_prior(&p, 0.15) == 0.015);
}

/* Half of the attempts take three times the median; as backups, of slow tasks, they say nothing. */
TEST(straggle_leaves_backups_out)
{
    struct phase p = {.count = 100, .input_bytes = 1, .median = 1, .measured = true};
    struct job j = {.phases = &p, .phase_count = 1};
    for (int backup = 0; backup < 2; backup++) {
        struct straggle s = {0};
        struct world w = {0};
        for (int i = 0; i < 200; i++) {
            struct attempt a = {.job = &j,
                                .kind = backup && i % 2 == 0 ? LAUNCH_BACKUP : LAUNCH_FIRST};
            w.now_us = i % 2 ? 1 : 3;
            straggle_late(&s, &w, &a, true, 0.15, i < 199 ? INT64_MAX : 1);
        }
        expect(near(straggle_p(&s, 0.9), backup ? 0.001 : 0.5));
    }
}

/* A phase of 100 MB tasks whose median is 1 us per byte: 100 s. Half of its attempts finish in
 * that; the others have done so many thousandths at 50 s and are stopped at 60 s. With a quarter
 * they would have taken 200 s at their pace, twice the median. With 0 they have told nothing, and
 * who stopped them gave them `left_s` more. */
static double p_of_stopped(uint16_t stop_why, int64_t done, double left_s)
{
    enum { S = 1000000, BYTES = 100 * S };
    struct straggle s = {0};
    struct phase p = {.count = 100, .input_bytes = BYTES, .median = 1, .measured = true};
    struct job j = {.phases = &p, .phase_count = 1};
    struct attempt a = {.job = &j, .unwanted = true, .stop_why = stop_why, .reported = done > 0};
    struct progress said = {50 * S, done, 1000};
    struct world w = {.keeps_progress = true,
                      .attempts = {.at = &a, .count = 1},
                      .progress = {.at = &said, .count = 1}};
    if (done == 0)
        a.left_s = left_s;
    for (int i = 0; i < 100; i++) {
        w.now_us = (i % 2 ? 60 : 100) * (int64_t)S;
        a.unwanted = i % 2;
        straggle_late(&s, &w, &a, !a.unwanted, 0.15, i < 99 ? INT64_MAX : 1);
    }
    return straggle_p(&s, 0.9);
}

TEST(straggle_judges_what_was_stopped_as_slow_by_its_pace)
{
    expect(near(p_of_stopped(WHY_RESTART_FASTER, 249, 0), 0.5)); /* 50 s / .249 = 200.8 s */
    expect(near(p_of_stopped(WHY_PRUNED, 249, 0), 0.5));
    /* Exactly 200 s: all finish before these leave at twice the median, half of them are left. But
     * how long they would have run on is not known: that is what censored means. */
    expect(near(p_of_stopped(WHY_RESTART_FASTER, 250, 0), 0.5));
    /* 62.5 s, like those that lost a race: gone before anybody finishes at 100 s, when 50 are left
     * and all of them finish. */
    expect(p_of_stopped(WHY_RESTART_FASTER, 800, 0) == 0.001);
    expect(p_of_stopped(WHY_LOST_RACE, 249, 0) == 0.001);
}

TEST(straggle_judges_what_told_nothing_by_what_was_expected)
{
    /* Stopped at 60 s, and given 141 or 20 s more. */
    expect(near(p_of_stopped(WHY_RESTART_FASTER, 0, 141), 0.5));
    expect(near(p_of_stopped(WHY_PRUNED, 0, 1e300), 0.5));
    expect(p_of_stopped(WHY_RESTART_FASTER, 0, 20) == 0.001);
    expect(p_of_stopped(WHY_LOST_RACE, 0, 0) == 0.001);
}
