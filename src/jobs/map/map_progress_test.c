#include "jobs/map/map_progress.h"

#include <unistd.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"

/* Draws the last line of a run. */
static bool draws(struct map *m, int64_t now_us, const char *want)
{
    struct capture c;
    struct str text = {0};

    capture_begin(&c, STDERR_FILENO);
    map_progress_draw(m, now_us, true);
    char *drawn = capture_end(&c);
    str_add(&text, drawn);
    mem_free(drawn);
    bool same = text_was(&text, want);
    str_free(&text);
    return same;
}

TEST(map_progress_counts_tasks_and_guesses_the_end)
{
    struct map m = {.tasks = 10, .slot_count = 4};

    expect(draws(&m, 5000000, "")); /* it was not asked for */
    m.options.progress = true;
    expect(draws(&m, 5000000, "dolly: 0 of 10 tasks done, 0 running\n"));
    m.counts.done = 3;
    m.counts.failed = 1;
    expect(draws(&m, 6000000, "dolly: 3 of 10 tasks done, 1 failed, 0 running, ETA 9 s\n"));
    m.cloning = true;
    m.counts.extras = 5;
    m.counts.extras_won = 2;
    m.counts.done = 9;
    expect(draws(&m, 7000000, "dolly: 9 of 10 tasks done, 1 failed, 0 running, 5 clones, 2 won\n"));
    m.counts.done = m.counts.failed = 0;
    m.past.count = 2;
    m.past.times_us[0] = 2000000;
    m.past.times_us[1] = 4000000;
    expect(draws(&m, 8000000, "dolly: 0 of 10 tasks done, 0 running, 5 clones, 2 won, ETA 9 s\n"));
    map_slots_fini(&m.slots);
}

TEST(map_progress_says_that_the_allocation_ends)
{
    struct map m = {.tasks = 10, .dir = "a dir", .dir_private = true};
    struct capture c;
    struct str text = {0};

    m.counts.done = 4;
    m.counts.failed = 1;
    for (int i = 0; i < 3; i++) {
        m.dir_private = i == 0;
        capture_begin(&c, STDERR_FILENO);
        map_progress_ending(&m, 61900000, i == 2 ? 4 : i == 1 ? 1 : 9);
        char *line = capture_end(&c);
        str_add(&text, line);
        mem_free(line);
    }
    expect(text_was(&text, "dolly: the allocation ends in 61 s: 9 tasks run, 0 wait\n"
                           "dolly: the allocation ends in 61 s: 1 task runs, 4 wait; to continue "
                           "later: dolly resume 'a dir'\n"
                           "dolly: the allocation ends in 61 s: 4 tasks run, 1 waits; to continue "
                           "later: dolly resume 'a dir'\n"));
    str_free(&text);
}
