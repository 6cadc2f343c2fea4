#include "commands/watch/ending.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

static const struct ending_times times = {{1e6, 2e6, 4e6}, true};
static const struct ending_times unknown = {{0}, false};

TEST(ending_divides_what_is_left_among_the_tasks_that_run)
{
    struct ending e = {0};

    for (int i = 0; i < 2; i++)
        ending_runs(&e, ending_attempt(&times, 0, -1), "map", 7);
    ending_waits(&e, &times, "map", 4, 0);
    expect(ending_left_us(&e, ENDING_LOW) == 3e6);
    expect(ending_left_us(&e, ENDING_ABOUT) == 6e6);
    expect(ending_left_us(&e, ENDING_HIGH) == 12e6);
}

TEST(ending_is_not_before_the_longest_task)
{
    struct ending e = {0};

    ending_runs(&e, ending_attempt(&times, 1.5e6, -1), "map", 7);
    ending_runs(&e, ending_attempt(&times, 8e6, 0.1), "map", 7);
    expect(ending_left_us(&e, ENDING_ABOUT) == 72e6);
    expect(ending_left_us(&(struct ending){0}, ENDING_ABOUT) == 0);
}

TEST(ending_believes_progress_and_expects_more_of_one_that_is_late)
{
    expect(ending_attempt(&times, 3e6, 0.75).us[ENDING_ABOUT] == 1e6);
    expect(ending_attempt(&unknown, 3e6, 0.75).us[ENDING_ABOUT] == 1e6);
    expect(ending_attempt(&times, 1e6, 0.01).us[ENDING_ABOUT] == 1e6); /* too early to tell */
    expect(ending_attempt(&times, 30e6, -1).us[ENDING_ABOUT] == 3e6);
    expect(ending_attempt(&times, 30e6, 1).us[ENDING_ABOUT] == 0);
}

TEST(ending_of_a_task_is_that_of_its_first_attempt)
{
    struct ending_left slow = ending_attempt(&times, 10e6, 0.1);
    struct ending_left clone = ending_attempt(&times, 1e6, 0.5);
    struct ending_left silent = ending_attempt(&unknown, 1e6, -1);

    expect(ending_first(slow, clone).us[ENDING_ABOUT] == 1e6);
    expect(ending_first(clone, slow).us[ENDING_ABOUT] == 1e6);
    expect(ending_first(silent, clone).us[ENDING_ABOUT] == 1e6);
    expect(ending_first(silent, silent).us[ENDING_ABOUT] < 0);
}

TEST(ending_is_unknown_while_no_task_of_a_phase_has_ended)
{
    struct ending e = {0};

    ending_runs(&e, ending_attempt(&times, 0, -1), "map", 7);
    ending_waits(&e, &unknown, "reduce", 0, 0);
    expect(ending_left_us(&e, ENDING_ABOUT) == 2e6);
    ending_waits(&e, &unknown, "reduce", 1, 1);
    expect(ending_left_us(&e, ENDING_ABOUT) < 0 && strcmp(e.unknown, "reduce") == 0);
    e = (struct ending){0};
    ending_runs(&e, ending_attempt(&unknown, 5, -1), "map", 7);
    expect(ending_left_us(&e, ENDING_HIGH) < 0 && strcmp(e.unknown, "map") == 0);
}

/* Returns true if these are the words for it. */
static bool why_is(const struct ending *e, const char *want)
{
    struct str out = {0};

    ending_why(e, &out);
    bool same = strcmp(out.text, want) == 0;
    if (!same)
        printf("%s\nwant\n%s\n", out.text, want);
    str_free(&out);
    return same;
}

TEST(ending_says_why_it_is_then)
{
    static const struct ending_times longer = {{10e6, 20e6, 40e6}, true};
    struct ending e = {0};

    expect(why_is(&e, "no task is left"));
    ending_runs(&e, ending_attempt(&times, 0, -1), "map", 3);
    ending_runs(&e, ending_attempt(&times, 0, -1), "map", 4); /* as long: the first one stands */
    expect(why_is(&e, "map/3 runs for about 2 s more"));
    ending_runs(&e, ending_attempt(&times, 10e6, 0.5), "map", 5);
    expect(why_is(&e, "map/5 runs for about 10 s more"));
    ending_waits(&e, &longer, "reduce", 1, 1);
    expect(why_is(&e, "a task of reduce that waits takes about 20 s"));
    ending_waits(&e, &times, "map", 20, 0);
    expect(why_is(&e, "21 tasks wait, 1 of them for other phases, and 3 run at a time"));
    ending_waits(&e, &unknown, "sort", 2, 2);
    expect(why_is(&e, "no task of sort has ended, so how long the others take is not known"));
}

TEST(ending_says_what_its_tasks_wait_for)
{
    struct ending e = {0};

    ending_runs(&e, ending_attempt(&times, 1e6, -1), "map", 1);
    ending_waits(&e, &times, "map", 1, 0);
    expect(why_is(&e, "1 task waits for slots, and 1 runs at a time"));
    e.blocked = 1;
    expect(why_is(&e, "1 task waits for other phases, and 1 runs at a time"));
    e = (struct ending){0};
    ending_waits(&e, &times, "map", 2, 0);
    expect(why_is(&e, "2 tasks wait for slots, and 0 run at a time"));
}
