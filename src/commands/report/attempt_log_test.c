#include "commands/report/attempt_log.h"

#include "core/model/decision.h"
#include "tests/unit/test.h"

static void add(struct attempt_log *l, int64_t length_us, uint8_t kind)
{
    struct attempt_row_shown row = {.ended_us = length_us, .kind = kind, .fate = FATE_WON};

    attempt_log_close(l, attempt_log_open(l, &row));
}

TEST(attempt_log_keeps_all_of_a_small_run)
{
    struct attempt_log l = {.max = 100};

    for (int i = 0; i < 100; i++)
        add(&l, i, LAUNCH_FIRST);
    expect(l.closed.count == 100 && l.count == 100 && l.cutoff.length_us == 0 && l.open.count == 1);
    attempt_log_fini(&l);
}

TEST(attempt_log_keeps_the_longest_and_the_telling_ones)
{
    struct attempt_log l = {.max = 100};
    uint32_t clones = 0;
    int64_t longest = 0;

    for (int i = 0; i < 10000; i++)
        add(&l, 1000 + i * 7919 % 10007, i % 200 == 0 ? LAUNCH_CLONE : LAUNCH_FIRST);
    expect(l.count == 10000 && l.closed.count <= 100 && l.closed.count > 50);
    for (uint32_t i = 0; i < l.closed.count; i++) {
        clones += l.closed.at[i].kind == LAUNCH_CLONE;
        if (l.closed.at[i].ended_us > longest)
            longest = l.closed.at[i].ended_us;
        expect(l.closed.at[i].kind == LAUNCH_CLONE ||
               l.closed.at[i].ended_us >= l.cutoff.length_us);
    }
    expect(clones == 50 && longest == 1000 + 10006);
    attempt_log_fini(&l);
}

/* Of equals, too, a part stays. */
TEST(attempt_log_keeps_some_of_equals)
{
    struct attempt_log l = {.max = 100};

    for (uint32_t i = 0; i < 10000; i++) {
        struct attempt_row_shown row = {.ended_us = 5, .at.task = i, .fate = FATE_WON};
        attempt_log_close(&l, attempt_log_open(&l, &row));
    }
    expect(l.count == 10000 && l.closed.count <= 100 && l.closed.count >= 50);
    attempt_log_fini(&l);
}

/* Also if all of them are telling, or all but a few, there is an end. */
TEST(attempt_log_is_bounded_whatever_comes)
{
    for (int plain = 0; plain < 2; plain++) {
        struct attempt_log l = {.max = 100};

        for (int i = 0; i < 10000; i++)
            add(&l, 5 + i * plain, plain && i % 8 == 0 ? LAUNCH_FIRST : LAUNCH_CLONE);
        expect(l.closed.count <= 100 && l.count == 10000);
        attempt_log_fini(&l);
    }
}

TEST(attempt_log_is_limited_afterwards)
{
    struct attempt_log l = {.max = UINT32_MAX};

    for (int i = 0; i < 1000; i++)
        add(&l, i, LAUNCH_FIRST);
    expect(l.closed.count == 1000);
    attempt_log_limit(&l, 100); /* by halves: 499, 249, 124, 61 */
    expect(l.closed.count == 61 && l.closed.at[0].ended_us == 939 && l.count == 1000);
    attempt_log_fini(&l);
}

TEST(attempt_log_keeps_the_longest_reads_in_order)
{
    static const float took[] = {2, 5, 1, 3, 5, 4};
    struct attempt_row_shown r = {0};

    for (uint32_t i = 0; i < 6; i++)
        attempt_log_read(&r, &(struct attempt_read){.task = i, .took_s = took[i]});
    expect(r.reads == 6);
    expect(r.longest[0].task == 1 && r.longest[1].task == 4 && r.longest[2].task == 5);
}
