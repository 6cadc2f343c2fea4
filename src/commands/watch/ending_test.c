#include "commands/watch/ending.h"

#include <string.h>

#include "tests/unit/test.h"

static const struct ending_times times = {{1e6, 2e6, 4e6}, true};
static const struct ending_times unknown = {{0}, false};

TEST(ending_divides_what_is_left_among_the_tasks_that_run)
{
    struct ending e = {0};

    for (int i = 0; i < 2; i++)
        ending_runs(&e, ending_attempt(&times, 0, -1), "map");
    ending_waits(&e, &times, "map", 4);
    expect(ending_left_us(&e, ENDING_LOW) == 3e6);
    expect(ending_left_us(&e, ENDING_ABOUT) == 6e6);
    expect(ending_left_us(&e, ENDING_HIGH) == 12e6);
}

TEST(ending_is_not_before_the_longest_task)
{
    struct ending e = {0};

    ending_runs(&e, ending_attempt(&times, 1.5e6, -1), "map");
    ending_runs(&e, ending_attempt(&times, 8e6, 0.1), "map");
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

    ending_runs(&e, ending_attempt(&times, 0, -1), "map");
    ending_waits(&e, &unknown, "reduce", 0);
    expect(ending_left_us(&e, ENDING_ABOUT) == 2e6);
    ending_waits(&e, &unknown, "reduce", 1);
    expect(ending_left_us(&e, ENDING_ABOUT) < 0 && strcmp(e.unknown, "reduce") == 0);
    e = (struct ending){0};
    ending_runs(&e, ending_attempt(&unknown, 5, -1), "map");
    expect(ending_left_us(&e, ENDING_HIGH) < 0 && strcmp(e.unknown, "map") == 0);
}
