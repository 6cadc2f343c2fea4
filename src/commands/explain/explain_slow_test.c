#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

/* Attempt 0 of the task was launched at 0 and won then. */
static void win(struct told *t, uint32_t task, int64_t at_us)
{
    struct story_attempt *a = told_attempt(t, task, LAUNCH_FIRST, 0);

    a->started_us = 0, a->ended_us = at_us, a->ran_us = at_us, a->ending = EV_ATTEMPT_FINISHED;
    a->won = true;
    t->tasks[0][task].committed_us = at_us;
    t->phases[0].committed++;
}

/* A task is slow if it took more than twice the median time for its bytes: at two bytes in the
 * median these count, at one they say nothing. */
TEST(explain_slow_names_others_by_their_bytes)
{
    static const struct {
        double median_bytes;
        const char *text;
    } rows[] = {
        {2, "1 task also took more than twice the median:\n  task 2: 4.001 s\n"},
        {1, "3 tasks also took more than twice the median:\n  task 3: 16 s\n  task 2: 4.001 s\n"
            "  task 1: 4 s\n"},
    };
    int64_t bytes[TOLD_TASKS] = {2, 2, 2, 8};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        told_init(&t);
        t.phases[0].input_each = bytes;
        win(&t, 0, 20000000);
        win(&t, 1, 4000000);
        win(&t, 2, 4001000);
        win(&t, 3, 16000000);
        t.facts[0] = (struct story_phase_facts){.ended_us = -1,
                                                .slowest = 0,
                                                .has_medians = true,
                                                .median_bytes = rows[i].median_bytes,
                                                .median_per_byte = 1000000,
                                                .median_hold_per_byte = 1000000,
                                                .median_committed_us = 20000000};
        explain_slow(&t.x, 0, &t.out);
        static const char head[] =
            "The slowest task so far was 0: done at 20 s, no later than the median one.\n";
        struct str text = {0};
        str_addf(&text, "%s%s", head, rows[i].text);
        expect(told_is(&t, text.text));
        str_free(&text);
        told_fini(&t);
    }
}
