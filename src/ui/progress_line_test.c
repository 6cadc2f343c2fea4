#include "ui/progress_line.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"
#include "ui/bar.h"

static bool ends(struct capture *c, const char *expected)
{
    char *text = capture_end(c);
    bool same = strcmp(text, expected) == 0;
    mem_free(text);
    return same;
}

TEST(progress_line_is_due_more_often_on_a_terminal)
{
    struct progress_line p = {.drawn_us = 1000};
    expect(!progress_line_is_due(&p, 5000999) && progress_line_is_due(&p, 5001000));
    p.terminal = true;
    expect(!progress_line_is_due(&p, 200999) && progress_line_is_due(&p, 201000));
}

TEST(progress_line_is_a_plain_line_without_a_terminal)
{
    struct progress_line p;
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    progress_line_init(&p);
    progress_line_put(&p, 7, 0.5, "half", false);
    progress_line_clear(&p);
    progress_line_say(&p, "a word");
    progress_line_put(&p, 9, 1, "all", true);
    expect(ends(&c, "dolly: half\ndolly: a word\ndolly: all\n"));
    expect(!p.terminal && !p.drawn && p.drawn_us == 9);
}

TEST(progress_line_is_a_bar_that_makes_room_for_words)
{
    struct progress_line p = {.terminal = true};
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    progress_line_put(&p, 7, 0.5, "half", false);
    expect(p.drawn);
    progress_line_say(&p, "a word");
    progress_line_clear(&p); /* no bar is there */
    progress_line_put(&p, 9, 1, "all", true);
    progress_line_clear(&p); /* the last one stays */
    expect(ends(&c, "\r[############............] half\033[K\r\033[Kdolly: a word\n"
                    "\r[########################] all\033[K\n"));
    expect(!p.drawn && p.drawn_us == 9);
}

TEST(bar_leaves_out_what_does_not_fit_into_the_line)
{
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    bar_put(0, "1234567890123456789012345678901234567890123456789012345678901234567890");
    expect(ends(&c, "\r[........................] "
                    "1234567890123456789012345678901234567890123456789012\033[K"));
}

static uint64_t three(const void *ctx)
{
    return *(const uint64_t *)ctx;
}

TEST(bar_is_drawn_a_few_times_a_second_at_most)
{
    uint64_t count = 3;
    struct bar b = {.label = "late",
                    .run = 1,
                    .run_count = 2,
                    .jobs_total = 6,
                    .jobs_over = three,
                    .events = three,
                    .ctx = &count,
                    .on = true};
    struct turn turn = {0};
    struct err err;
    struct capture c;
    bar_restart(&b);
    capture_begin(&c, STDERR_FILENO);
    for (int i = 0; i < 1023; i++)
        expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    expect(ends(&c, ""));
    b.drawn_us = b.begun_us - 1000000;
    capture_begin(&c, STDERR_FILENO);
    expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    char *text = capture_end(&c);
    const char *head = "\r[##################......] late (2 of 2): 3 of 6 jobs, ";
    expect(strncmp(text, head, strlen(head)) == 0 && strstr(text, " million events/s\033[K"));
    mem_free(text);
    b.on = false; /* not a terminal */
    b.turns = 1023;
    b.drawn_us = b.begun_us - 1000000;
    capture_begin(&c, STDERR_FILENO);
    expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    bar_clear(&b);
    expect(ends(&c, ""));
}
