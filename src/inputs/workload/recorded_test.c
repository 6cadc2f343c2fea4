/* Three tasks of 10, 20 and 60 s, of which the last has a second attempt of 30 s. */
#include "inputs/workload/recorded.h"

#include <math.h>

#include "tests/unit/test.h"

#define S INT64_C(1000000)

static const uint32_t from[] = {0, 1, 2, 4};
static const int64_t times[] = {10 * S, 20 * S, 60 * S, 30 * S};
static const int64_t inputs[] = {1000, 2000, 3000};

static struct attempt_ref attempt(uint32_t task, uint16_t ordinal)
{
    return (struct attempt_ref){{7}, task, 0, ordinal};
}

static int64_t time_of(uint8_t vary, uint32_t task, uint16_t ordinal)
{
    struct phase_spec spec = {.tasks = 3, .input_each = inputs};
    struct phase_truth truth = {.attempt_from = from, .attempts = times, .vary = vary};
    recorded_fit(&spec, &truth);
    return recorded_time_us(&spec, &truth, 1, attempt(task, ordinal));
}

TEST(recorded_attempts_take_their_times_in_every_reading)
{
    for (uint8_t vary = RECORDED_SIZE; vary <= RECORDED_BYTES; vary++) {
        expect(time_of(vary, 0, 0) == 10 * S);
        expect(time_of(vary, 2, 0) == 60 * S);
        expect(time_of(vary, 2, 1) == 30 * S);
    }
}

TEST(recorded_attempts_without_a_record_depend_on_the_reading)
{
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    expect(!recorded_differs(&truth, attempt(2, 1)) && recorded_differs(&truth, attempt(2, 2)));
    expect(!recorded_differs(&truth, attempt(0, 0)) && recorded_differs(&truth, attempt(0, 1)));
    truth.copies_drawn = true;
    expect(!recorded_differs(&truth, attempt(2, 0)) && recorded_differs(&truth, attempt(2, 1)));
    truth.attempt_from = (const uint32_t[]){0, 0, 2, 4}; /* a task that has a size */
    expect(!recorded_differs(&truth, attempt(0, 0)) && !recorded_differs(&truth, attempt(0, 5)));
    truth.attempt_from = NULL;
    expect(!recorded_differs(&truth, attempt(0, 5)));
}

TEST(recorded_size_repeats_the_last_time)
{
    expect(time_of(RECORDED_SIZE, 0, 1) == 10 * S);
    expect(time_of(RECORDED_SIZE, 2, 2) == 30 * S);
    expect(time_of(RECORDED_SIZE, 2, 9) == 30 * S);
}

TEST(recorded_luck_draws_evenly_from_the_other_tasks)
{
    int seen[3] = {0};
    for (uint16_t k = 1; k <= 3000; k++) {
        int64_t us = time_of(RECORDED_LUCK, 0, k);
        expect(us == 20 * S || us == 60 * S || us == 30 * S);
        seen[us == 20 * S ? 0 : us == 60 * S ? 1 : 2]++;
        expect(us == time_of(RECORDED_LUCK, 0, k));
    }
    for (int i = 0; i < 3; i++)
        expect(seen[i] > 850 && seen[i] < 1150);
}

TEST(recorded_luck_of_a_phase_of_one_task_is_its_own)
{
    struct phase_spec spec = {.tasks = 1};
    struct phase_truth truth = {.attempt_from = from, .attempts = times, .vary = RECORDED_LUCK};
    expect(recorded_time_us(&spec, &truth, 1, attempt(0, 1)) == 10 * S);
}

/* Through (1000, 10 s), (2000, 20 s) and (3000, 60 s): a slope of 25 ms per byte and -20 s at 0,
 * so through 0 instead: the mean of 30 s at the mean of 2000 bytes gives 15 ms per byte. */
TEST(recorded_line_never_goes_below_nothing)
{
    struct phase_spec spec = {.tasks = 3, .input_each = inputs};
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    recorded_fit(&spec, &truth);
    expect(truth.line_us == 0 && fabs(truth.line_per_us - 15000) < 1e-6);
}

/* Task 0 should take 15 s by the line; task 1 took 2/3 of its 30 s, and task 2 4/3 and 2/3 of its
 * 45 s. */
TEST(recorded_bytes_draws_how_far_another_was_off_the_line)
{
    bool slow = false, fast = false;
    for (uint16_t k = 1; k <= 100; k++) {
        int64_t us = time_of(RECORDED_BYTES, 0, k);
        slow |= us == 20 * S;
        fast |= us == 10 * S;
        expect(us == 20 * S || us == 10 * S);
    }
    expect(slow && fast);
}

TEST(recorded_line_is_level_where_bytes_explain_nothing)
{
    static const int64_t falling[] = {3000, 2000, 1000};
    struct phase_spec spec = {.tasks = 3, .input_each = falling};
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    recorded_fit(&spec, &truth);
    expect(truth.line_per_us == 0 && truth.line_us == 30.0 * S);
}

TEST(recorded_failures_are_those_of_their_attempts)
{
    static const int64_t fails[] = {0, 5 * S, 0, 7 * S};
    struct phase_truth truth = {.attempt_from = from, .attempts = times};
    expect(recorded_fails_us(&truth, attempt(1, 0)) == -1);
    truth.attempt_fails = fails;
    expect(recorded_fails_us(&truth, attempt(0, 0)) == -1);
    expect(recorded_fails_us(&truth, attempt(1, 0)) == 5 * S);
    expect(recorded_fails_us(&truth, attempt(1, 1)) == -1);
    expect(recorded_fails_us(&truth, attempt(2, 0)) == -1);
    expect(recorded_fails_us(&truth, attempt(2, 1)) == 7 * S);
    expect(recorded_lag_us(&truth, attempt(1, 0)) == -1);
    truth.attempt_lags = fails;
    expect(recorded_lag_us(&truth, attempt(0, 0)) == 0);
    expect(recorded_lag_us(&truth, attempt(1, 0)) == 5 * S);
    expect(recorded_lag_us(&truth, attempt(1, 1)) == -1);
}

/* What was seen for 20 s took one of the longer times; what was seen for 70 s, longer than all, has
 * a tail of its own; and nothing is known of what was never seen in a phase without times. */
TEST(recorded_draw_goes_beyond_what_was_seen)
{
    struct recorded_done d = {0}, none = {0};
    struct recorded_rule rule = {.tail = 1.8, .tail_max = 2, .base_us = 4 * S};
    uint64_t beyond = 0;
    for (int i = 3; i >= 0; i--)
        vec_push(&d.us, (double)times[i]);
    recorded_seal(&d);
    expect(d.us.at[0] == 10.0 * S && d.us.at[3] == 60.0 * S && isnan(d.tail));
    for (uint16_t k = 0; k < 100; k++) {
        struct rng r = rng_stream(1, RNG_TEST, k, 0, 0, 0);
        int64_t us = recorded_draw(&d, &rule, r, 20 * S);
        expect(us == 30 * S || us == 60 * S);
        us = recorded_draw(&d, &rule, r, 70 * S);
        expect(us >= 70 * S && us <= 140 * S);
        beyond += us == 140 * S;
    }
    expect(rule.tails == 100 && rule.cut == beyond && beyond > 10 && beyond < 50);
    expect(recorded_draw(&none, &rule, rng_stream(1, RNG_TEST, 0, 0, 0, 0), 0) == 4 * S);
    vec_free(&d.us);
}
