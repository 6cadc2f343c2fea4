#include "jobs/map/map_control.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

TEST(map_control_load_counts_the_minute_and_the_moment)
{
    expect(map_control_is_loaded("3.10 0.00 0.00 5/300 77\n", 3));
    expect(!map_control_is_loaded("3.00 9.00 9.00 5/300 77\n", 3)); /* no more than the limit */
    expect(!map_control_is_loaded("3.10 9.00 9.00 4/300 77\n", 3)); /* one of the four is dolly */
    expect(map_control_is_loaded("0.60 0.00 0.00 2/300 77\n", 0.5));
    expect(!map_control_is_loaded("3.10 0.00 0.00\n", 3) && !map_control_is_loaded("", 0));
}

/* --halt, long before its number is reached: each task that counts is named. */
TEST(map_control_names_tasks_that_count_for_a_halt)
{
    static char done[] = "soon,done=9", failed[] = "now,fail=9", won[] = "now,success=9";
    static const struct {
        char *halt;
        uint8_t state;
        const char *text;
    } rows[] = {
        {done, MAP_TASK_DONE, "dolly: This job finished:\nwork b\n"},
        {done, MAP_TASK_FAILED, "dolly: This job finished:\nwork b\n"},
        {failed, MAP_TASK_DONE, ""},
        {failed, MAP_TASK_FAILED, "dolly: This job failed:\nwork b\n"},
        {won, MAP_TASK_DONE, "dolly: This job succeeded:\nwork b\n"},
        {won, MAP_TASK_FAILED, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int again = 0; again < 2; again++) {
            char *argv[] = {"map", "--halt", rows[i].halt, "work", ":::", "a", "b"};
            struct map m = {0};
            struct map_end end = {.state = rows[i].state};
            struct capture c;
            struct err err;
            expect(options_parse(&m.options, 7, argv, &err) == 0 && map_open(&m, &err) == 0);
            m.recalling = again; /* then it was told in an earlier life */
            capture_begin(&c, STDERR_FILENO);
            map_control_task_over(&m, 1, &end);
            char *text = capture_end(&c);
            expect(!strcmp(text, again ? "" : rows[i].text) && !m.control.halting);
            mem_free(text);
            map_close(&m);
        }
}

TEST(map_control_ticks_as_often_as_it_has_to)
{
    struct map m = {0};

    expect(map_control_tick_us(&m) == 0);
    m.options.load = 1;
    int64_t look_us = map_control_tick_us(&m);
    m.options.load = 0;
    m.options.memfree_bytes = 1;
    expect(look_us > 0 && map_control_tick_us(&m) == look_us);
    m.options.eta = true;
    int64_t draw_us = map_control_tick_us(&m);
    expect(draw_us > 0 && draw_us < look_us);
    m.options.output = OUTPUT_LINES;
    expect(map_control_tick_us(&m) > 0 && map_control_tick_us(&m) < draw_us);
}
