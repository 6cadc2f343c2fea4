#include "ui/progress_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
    struct progress_line p = {.terminal = true, .drawn = true};
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    progress_line_init(&p);
    progress_line_put(&p, 7, 0.5, "half", NULL, false);
    progress_line_clear(&p);
    progress_line_say(&p, "a word");
    progress_line_put(&p, 9, 1, "all", "ETA 0 s", true);
    expect(ends(&c, "dolly: half\ndolly: a word\ndolly: all, ETA 0 s\n"));
    expect(!p.terminal && !p.drawn && p.drawn_us == 9);
}

TEST(progress_line_is_a_bar_that_makes_room_for_words)
{
    struct progress_line p = {.terminal = true};
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    progress_line_put(&p, 7, 0.5, "half", NULL, false);
    expect(p.drawn);
    progress_line_say(&p, "a word");
    progress_line_clear(&p); /* no bar is there */
    progress_line_put(&p, 9, 1, "all", NULL, true);
    progress_line_clear(&p); /* the last one stays */
    expect(ends(&c, "\r[#############.............] half\033[K\r\033[Kdolly: a word\n"
                    "\r[##########################] all\033[K\n"));
    expect(!p.drawn && p.drawn_us == 9);
}

#define FOUR "4 of 12 tasks done"

/* Nothing is wider than a line, and the time that is left goes last. */
TEST(bar_fits_every_width)
{
    static const char text[] = FOUR ", 4 running, 0 clones, 0 won", eta[] = "ETA 12 s";
    static const struct {
        size_t columns;
        const char *text, *eta, *line;
    } cases[] = {
        {200, text, eta,
         "[######################............................................] " FOUR
         ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {80, text, eta, "[######..............] " FOUR ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {64, text, eta, "[#...] " FOUR ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {63, text, eta, FOUR ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {60, text, eta, FOUR ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {57, text, eta, FOUR ", 4 running, 0 clones, 0 won, ETA 12 s"},
        {56, text, eta, FOUR ", 4 running, 0 clones, ETA 12 s"},
        {40, text, eta, FOUR ", 4 running, ETA 12 s"},
        {39, text, eta, "[##.....] " FOUR ", ETA 12 s"},
        {29, text, eta, FOUR ", ETA 12 s"},
        {28, text, eta, "[###......] ETA 12 s"},
        {9, text, eta, "ETA 12 s"},
        {6, text, eta, "ETA 1"},
        {1, text, eta, ""},
        {40, text, NULL, FOUR ", 4 running, 0 clones"},
        {39, text, NULL, "[##....] " FOUR ", 4 running"},
        {19, text, NULL, FOUR},
        {10, text, NULL, "4 of 12 t"},
        {40, "map 5 %, 3 running; map 2: a status, longer", NULL,
         "map 5 %, 3 running; map 2: a status"},
        {30, "map 5 %, 3 running; map 2: a status", NULL, "[##......] map 5 %, 3 running"},
        {80, "", NULL, "[########..................] "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str line = {0};
        bar_line(&line, cases[i].columns, 1 / 3.0, cases[i].text, cases[i].eta);
        const char *drawn = line.text ? line.text : "";
        if (strcmp(drawn, cases[i].line) != 0)
            printf("%zu: '%s'\n", cases[i].columns, drawn);
        expect(strcmp(drawn, cases[i].line) == 0 && strlen(drawn) < cases[i].columns);
        str_free(&line);
    }
}

/* At every width there is: no line is too wide, and the eta is whole wherever it fits. */
TEST(bar_keeps_the_time_that_is_left)
{
    for (size_t columns = 9; columns < 300; columns++) {
        struct str line = {0};
        bar_line(&line, columns, 0.5, FOUR ", 4 running on 3 nodes, 0 clones", "ETA 12 s");
        expect(line.length < columns && strstr(line.text, "ETA 12 s"));
        str_free(&line);
    }
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
                    .is_shown = true};
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
    expect(strncmp(text, "\r[##", 4) == 0 && strstr(text, "..] late (2 of 2): 3 of 6 jobs, ") &&
           strstr(text, " million events/s\033[K"));
    mem_free(text);
    b.is_shown = false; /* not a terminal */
    b.turns = 1023;
    b.drawn_us = b.begun_us - 1000000;
    capture_begin(&c, STDERR_FILENO);
    expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    bar_clear(&b);
    expect(ends(&c, ""));
}

/* What is drawn on a terminal of so many columns; free it with mem_free. */
static char *drawn_within(int keyboard, unsigned short columns)
{
    char text[512] = "";
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    expect(ioctl(keyboard, TIOCSWINSZ, &size) == 0);
    bar_put(0.5, FOUR, "ETA 12 s");
    expect(read(keyboard, text, sizeof text - 1) > 0);
    return mem_strdup(text);
}

TEST(bar_is_as_wide_as_the_terminal)
{
    static const struct {
        unsigned short columns;
        const char *line;
    } rows[] = {
        {29, "\r" FOUR ", ETA 12 s\033[K"},
        {1, "\r\033[K"},
        {80, "\r[#############.............] " FOUR ", ETA 12 s\033[K"},
        {0, "\r[#############.............] " FOUR ", ETA 12 s\033[K"}, /* not known */
    };
    int keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), screen = -1;
    if (keyboard < 0 || grantpt(keyboard) < 0 || unlockpt(keyboard) < 0 ||
        (screen = open(ptsname(keyboard), O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
        test_skip("there are no terminals");
        return;
    }
    int before = dup(STDERR_FILENO);
    struct progress_line p = {.drawn = true};
    struct bar b = {.turns = 1};
    expect(dup2(screen, STDERR_FILENO) == STDERR_FILENO);
    progress_line_init(&p);
    bar_init(&b);
    expect(p.terminal && !p.drawn && b.is_shown && b.turns == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = drawn_within(keyboard, rows[i].columns);
        expect(strcmp(text, rows[i].line) == 0);
        mem_free(text);
    }
    expect(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    close(before);
    close(screen);
    close(keyboard);
}

static uint64_t first(const void *counts)
{
    return ((const uint64_t *)counts)[0];
}

static uint64_t second(const void *counts)
{
    return ((const uint64_t *)counts)[1];
}

/* Runs are parts of the whole that are equally long, however many jobs were expected in one. */
TEST(bar_counts_runs_and_jobs)
{
    static const struct {
        uint32_t run;
        uint64_t jobs_total, over;
        const char *line;
    } rows[] = {
        {0, 4, 0, "\r[..........................] late (1 of 4): 0 of 4 jobs"},
        {0, 4, 2, "\r[###.......................] late (1 of 4): 2 of 4 jobs"},
        {2, 4, 2, "\r[################..........] late (3 of 4): 2 of 4 jobs"},
        {2, 4, 4, "\r[###################.......] late (3 of 4): 4 of 4 jobs"},
        {2, 4, 5, "\r[###################.......] late (3 of 4): 5 of 4 jobs"},
        {2, 0, 5, "\r[#############.............] late (3 of 4): 5 jobs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t counts[] = {rows[i].over, UINT64_C(50000000000)};
        struct bar b = {.label = "late",
                        .run = rows[i].run,
                        .run_count = 4,
                        .jobs_total = rows[i].jobs_total,
                        .jobs_over = first,
                        .events = second,
                        .ctx = counts,
                        .is_shown = true,
                        .turns = 77,
                        .begun_us = -1};
        struct turn turn = {0};
        struct err err;
        struct capture c;
        char want[200];
        bar_restart(&b);
        expect(b.turns == 0 && b.begun_us > 0 && b.drawn_us == b.begun_us);
        b.turns = 1023;
        b.begun_us -= INT64_C(10000000000);
        b.drawn_us -= 100000; /* it is just due */
        capture_begin(&c, STDERR_FILENO);
        expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
        bar_clear(&b);
        snprintf(want, sizeof want, "%s, 5.00 million events/s\033[K\r\033[K", rows[i].line);
        expect(ends(&c, want));
    }
}

/* The process that draws reads them. */
TEST(bar_shares_what_it_would_draw)
{
    uint64_t counts[] = {5, 7};
    _Atomic uint64_t progress[BAR_PROGRESS] = {0};
    struct bar b = {.label = "late",
                    .run_count = 1,
                    .jobs_over = first,
                    .events = second,
                    .ctx = counts,
                    .progress = progress,
                    .is_shown = true};
    struct turn turn = {0};
    struct err err;
    struct capture c;
    capture_begin(&c, STDERR_FILENO);
    for (int i = 0; i < 1023; i++)
        expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    expect(progress[BAR_JOBS] == 0 && progress[BAR_EVENTS] == 0);
    expect(bar_tap(&b).turn(&b, &turn, &err) == 0);
    expect(progress[BAR_JOBS] == 5 && progress[BAR_EVENTS] == 7);
    bar_clear(&b);
    expect(ends(&c, ""));
}
