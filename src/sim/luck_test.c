#include "sim/luck.h"

#include <math.h>

#include "tests/unit/test.h"

enum { DRAWS = 20000 };

static struct attempt_ref nth(uint32_t i)
{
    return (struct attempt_ref){.job = {i / 100}, .task = i % 100, .phase = 1, .attempt = 2};
}

static struct luck_plan plan_of(const struct luck *luck, uint32_t i)
{
    return luck_plan(luck, 7, nth(i), (struct node_id){3}, 1, 1000000, 0);
}

static bool near(double is, double should, double tolerance)
{
    return fabs(is - should) <= tolerance;
}

TEST(luck_off_is_size_over_speed)
{
    struct luck luck = {.startup_us = 50};
    struct luck_plan plan =
        luck_plan(&luck, 1, nth(0), (struct node_id){0}, 0.5, 1000, INT64_C(1) << 40);
    expect(plan.startup_us == 50 && plan.work_us == 2000 && plan.stall_us == 0);
    expect(luck_life_us(&plan) == 2050);
}

TEST(luck_is_a_pure_function_of_its_key)
{
    struct luck luck = {.noise = 0.3, .stall_p = 0.5, .stall_us = 1000, .stall_at = 1};
    struct luck_plan a = plan_of(&luck, 5), b = plan_of(&luck, 5), other = plan_of(&luck, 6);
    expect(a.work_us == b.work_us && a.stall_us == b.stall_us && a.stall_at_us == b.stall_at_us);
    expect(a.work_us != other.work_us);

    struct attempt_ref second = nth(5);
    second.attempt++;
    struct luck_plan retry = luck_plan(&luck, 7, second, (struct node_id){3}, 1, 1000000, 0);
    struct luck_plan seeded = luck_plan(&luck, 8, nth(5), (struct node_id){3}, 1, 1000000, 0);
    expect(retry.work_us != a.work_us && seeded.work_us != a.work_us);
}

TEST(luck_noise_is_log_normal)
{
    struct luck luck = {.noise = 0.4};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = log((double)plan_of(&luck, i).work_us / 1e6);
        sum += x;
        squares += x * x;
    }
    expect(near(sum / DRAWS, 0, 0.01));
    expect(near(sqrt(squares / DRAWS), 0.4, 0.01));
}

TEST(luck_slow_share_and_factor)
{
    struct luck luck = {.slow_p = 0.2, .slow_factor = 3};
    uint32_t slow = 0, normal = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        slow += plan_of(&luck, i).work_us == 3000000;
        normal += plan_of(&luck, i).work_us == 1000000;
    }
    expect(slow + normal == DRAWS);
    expect(near((double)slow / DRAWS, 0.2, 0.01));
}

TEST(luck_pareto_tail)
{
    struct luck luck = {.pareto = 2, .slow_p = 1, .slow_factor = 100};
    uint32_t above_2 = 0, above_4 = 0, below_1 = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        int64_t work = plan_of(&luck, i).work_us;
        below_1 += work < 1000000;
        above_2 += work > 2000000;
        above_4 += work > 4000000;
    }
    expect(below_1 == 0);
    expect(near((double)above_2 / DRAWS, 1.0 / 4, 0.01));
    expect(near((double)above_4 / DRAWS, 1.0 / 16, 0.01));
}

TEST(luck_stalls_often_long_and_anywhere)
{
    struct luck luck = {.stall_p = 0.3, .stall_us = 500, .stall_noise = 0.5, .stall_at = 2};
    uint32_t stalls = 0, before_quarter = 0, long_ones = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        struct luck_plan plan = plan_of(&luck, i);
        expect(plan.work_us == 1000000 && plan.stall_at_us <= plan.work_us);
        if (plan.stall_us == 0)
            continue;
        stalls++;
        before_quarter += plan.stall_at_us < 250000; /* U^2 < 1/4 half of the time */
        long_ones += plan.stall_us > 500;
    }
    expect(near((double)stalls / DRAWS, 0.3, 0.01));
    expect(near((double)before_quarter / stalls, 0.5, 0.02));
    expect(near((double)long_ones / stalls, 0.5, 0.02));
}

TEST(luck_slowness_moves_no_stall)
{
    struct luck without = {.stall_p = 0.5, .stall_us = 500, .stall_at = 1}, with = without;
    with.slow_p = 0.5;
    with.slow_factor = 1; /* slow, but not so that it would move the place of the stall */
    for (uint32_t i = 0; i < 100; i++) {
        struct luck_plan a = plan_of(&without, i), b = plan_of(&with, i);
        expect(a.stall_us == b.stall_us && a.stall_at_us == b.stall_at_us);
    }
}

TEST(luck_mood_is_of_node_and_window)
{
    struct luck luck = {.bad_share = 0.25, .bad_factor = 4, .good_factor = 0, .window_us = 100};
    uint32_t bad = 0;
    for (uint32_t node = 0; node < 100; node++)
        for (int64_t window = 0; window < 100; window++) {
            struct node_id n = {node};
            double mood = luck_mood(&luck, 1, n, window * 100);
            expect(mood == luck_mood(&luck, 1, n, window * 100 + 99));
            bad += mood == 4;
        }
    expect(near(bad / 10000.0, 0.25, 0.02));

    luck.slow_p = 0.25; /* x 4: certain in a bad mood, x 0: impossible in a good one */
    luck.slow_factor = 2;
    for (uint32_t node = 0; node < 100; node++) {
        struct luck_plan plan = luck_plan(&luck, 1, nth(node), (struct node_id){node}, 1, 1000, 0);
        bool bad_now = luck_mood(&luck, 1, (struct node_id){node}, 0) == 4;
        expect(plan.work_us == (bad_now ? 2000 : 1000));
    }
}

/* The largest mood is that of a bad node in busy times, whichever of its factors is the larger. */
TEST(luck_strikes_in_the_worst_of_all_moods)
{
    static const struct {
        double bad, good, busy, p;
    } rows[] = {{2, 0, 2, 0.25}, {0, 2, 2, 0.25}, {2, 0, 0, 0.25}, {4, 0, 1, 0.25}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct luck luck = {.bad_share = 0.5,
                            .bad_factor = rows[i].bad,
                            .good_factor = rows[i].good,
                            .busy_share = 0.5,
                            .busy_factor = rows[i].busy,
                            .busy_window_us = 100,
                            .window_us = 100,
                            .stall_p = rows[i].p,
                            .stall_us = 50};
        uint32_t struck = 0;
        for (uint32_t k = 0; k < 100; k++) {
            struct node_id node = {k};
            double p = rows[i].p * luck_mood(&luck, 1, node, k * 100);
            struct luck_plan plan = luck_plan(&luck, 1, nth(k), node, 1, 1000, k * 100);
            expect(p == 0 || p == 1);
            expect((plan.stall_us > 0) == (p == 1));
            struck += p == 1;
        }
        expect(struck > 0);
    }
}

TEST(luck_without_bad_windows_has_no_moods)
{
    struct luck luck = {.bad_share = 0, .bad_factor = 4, .good_factor = 0, .window_us = 100};
    expect(luck_mood(&luck, 1, (struct node_id){0}, 0) == 1);
}

TEST(luck_progress_is_piecewise_linear)
{
    struct luck_plan plan = {
        .startup_us = 100, .work_us = 1000, .stall_at_us = 400, .stall_us = 50};
    expect(luck_done(&plan, 0, 1000) == 0);
    expect(luck_done(&plan, 100, 1000) == 0);
    expect(luck_done(&plan, 110, 1000) == 10);
    expect(luck_done(&plan, 500, 1000) == 400);
    expect(luck_done(&plan, 501, 1000) == 400);
    expect(luck_done(&plan, 550, 1000) == 400);
    expect(luck_done(&plan, 560, 1000) == 410);
    expect(luck_done(&plan, 1149, 1000) == 999);
    expect(luck_done(&plan, 1150, 1000) == 1000);
    expect(luck_done(&plan, 9999, 1000) == 1000);
    expect(luck_done(&plan, 1150, INT64_MAX) == INT64_MAX);
}

TEST(luck_stall_at_either_end_stands_still)
{
    struct luck_plan early = {.work_us = 100, .stall_at_us = 0, .stall_us = 50};
    expect(luck_done(&early, 50, 100) == 0 && luck_done(&early, 51, 100) == 1);
    struct luck_plan late = {.work_us = 100, .stall_at_us = 100, .stall_us = 50};
    expect(luck_done(&late, 99, 100) == 99);
    expect(luck_done(&late, 100, 100) == 100 && luck_done(&late, 149, 100) == 100);
}

TEST(luck_explicit_times_are_start_up_and_work)
{
    struct luck_plan plan = luck_plan_explicit(1234, 0);
    expect(luck_life_us(&plan) == 1234 && luck_done(&plan, 617, 100) == 50);
    plan = luck_plan_explicit(1000, 200);
    expect(luck_life_us(&plan) == 1000 && luck_done(&plan, 200, 100) == 0);
    expect(luck_done(&plan, 600, 100) == 50);
    plan = luck_plan_explicit(100, 200);
    expect(plan.startup_us == 100 && plan.work_us == 0);
    plan = luck_plan_explicit(INT64_MAX, 0);
    expect(luck_life_us(&plan) == LUCK_US_MAX);
}

TEST(luck_absurd_factors_do_not_overflow)
{
    struct luck luck = {.slow_p = 1, .slow_factor = 1e300};
    expect(plan_of(&luck, 0).work_us == LUCK_US_MAX);
}

/* Uniform from factor to max, and above it uniform in logarithms. */
TEST(luck_slow_range_and_tail)
{
    struct luck luck = {
        .slow_p = 1, .slow_factor = 1.5, .slow_max = 2.5, .slow_tail = 0.2, .slow_tail_max = 40};
    double below = 0, middle = 0, tail = 0, far = 0, least = 99, most = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        double x = (double)plan_of(&luck, i).work_us / 1e6;
        least = fmin(least, x);
        most = fmax(most, x);
        below += x < 2;
        middle += x >= 2 && x <= 2.5;
        tail += x > 2.5;
        far += x > 10;
    }
    expect(near(least, 1.5, 0.01) && near(most, 40, 0.5));
    expect(near(below / DRAWS, 0.4, 0.01) && near(middle / DRAWS, 0.4, 0.01));
    expect(near(tail / DRAWS, 0.2, 0.01) && near(far / tail, 0.5, 0.02));
}

TEST(luck_slow_range_moves_no_other_luck)
{
    struct luck one = {.slow_p = 0.5, .slow_factor = 2, .stall_p = 0.5, .stall_us = 1000};
    struct luck range = one;
    range.slow_max = 4;
    for (uint32_t i = 0; i < 1000; i++) {
        struct luck_plan a = plan_of(&one, i), b = plan_of(&range, i);
        expect((a.work_us > 1000000) == (b.work_us > 1000000) && a.stall_us == b.stall_us);
    }
}

/* The whole cluster is busy in a share of all windows, and the mean over time stays. */
TEST(luck_busy_times_are_alike_on_all_nodes)
{
    struct luck luck = {
        .busy_share = 0.2, .busy_factor = 3, .busy_window_us = 100, .window_us = 100};
    double sum = 0, busy = 0;
    for (int64_t window = 0; window < DRAWS; window++) {
        double mood = luck_mood(&luck, 7, (struct node_id){1}, window * 100 + 50);
        expect(mood == luck_mood(&luck, 7, (struct node_id){9}, window * 100));
        expect(near(mood, 3, 1e-9) || near(mood, 0.5, 1e-9));
        busy += mood > 1;
        sum += mood;
    }
    expect(near(busy / DRAWS, 0.2, 0.001) && near(sum / DRAWS, 1, 0.003));
    for (uint64_t seed = 0; seed < 100; seed++) { /* in any 25 windows about five */
        uint32_t some = 0;
        for (int64_t window = 0; window < 25; window++)
            some += luck_mood(&luck, seed, (struct node_id){1}, window * 100) > 1;
        expect(some >= 4 && some <= 6);
    }
}

TEST(luck_busy_times_and_moods_multiply)
{
    struct luck luck = {.bad_share = 1,
                        .bad_factor = 2,
                        .window_us = 100,
                        .busy_share = 0.5,
                        .busy_factor = 2,
                        .busy_window_us = 100};
    for (int64_t window = 0; window < 100; window++) {
        double mood = luck_mood(&luck, 7, (struct node_id){1}, window * 100);
        expect(mood == 4 || mood == 0);
    }
}

/* A slow attempt that outlives the cause loses a fixed time, a shorter one its factor. */
TEST(luck_slowness_passes)
{
    struct luck luck = {.slow_p = 1, .slow_factor = 4, .slow_for_us = 4000000};
    struct luck_plan plan = luck_plan(&luck, 7, nth(0), (struct node_id){3}, 1, 500000, 0);
    expect(plan.work_us == 2000000);
    plan = luck_plan(&luck, 7, nth(0), (struct node_id){3}, 1, 1000000, 0);
    expect(plan.work_us == 4000000);
    plan = luck_plan(&luck, 7, nth(0), (struct node_id){3}, 1, 10000000, 0);
    expect(plan.work_us == 13000000);
}
