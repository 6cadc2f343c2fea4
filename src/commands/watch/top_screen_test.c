/* What a small screen has room for. */
#include "commands/watch/top_screen.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "commands/commands.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

#define HEAD                                                                                       \
    "dolly top: run   running   0 s\n"                                                             \
    "0 of 9 tasks done, 8 running, 1 waiting\n"                                                    \
    "its end is not known: no task of five has ended\n"                                            \
    "\n"                                                                                           \
    "one                [++++++++++++++++++++++++]   0 %  0 of 2 done, 2 running\n"                \
    "two                [++++++++++++++++++++++++]   0 %  0 of 2 done, 2 running\n"                \
    "three              [++++++++++++++++++++++++]   0 %  0 of 2 done, 2 running\n"                \
    "four               [++++++++++++++++++++++++]   0 %  0 of 1 done, 1 running\n"                \
    "  and 1 phase more\n"                                                                         \
    "\n"
#define TABLE "  RUNNING            NODE               AGE   DONE      LEFT COPIES\n"
#define ROW(task, node)                                                                            \
    "  " task "            " node "               0.0 s      -         -      -\n"
#define SIX                                                                                        \
    ROW("one/0  ", "n1")                                                                           \
    ROW("one/1  ", "n1")                                                                           \
    ROW("two/0  ", "n2") ROW("two/1  ", "n0") ROW("three/0", "n0") ROW("three/1", "n3")
#define NODES "NODES  4 up, 0 down; 8 attempts on 8 slots\n"

/* With a row for all but the last of the attempts the last has it. */
static const struct {
    struct top_size size;
    const char *screen;
} sizes[] = {
    {{80, 30}, HEAD TABLE SIX ROW("four/0 ", "n2") ROW("five/0 ", "n3") "\n" NODES},
    {{80, 22}, HEAD TABLE SIX ROW("four/0 ", "n2") ROW("five/0 ", "n3") "\n" NODES},
    {{80, 21}, HEAD TABLE SIX "  and 2 attempts more\n\n" NODES},
    {{80, 16}, HEAD TABLE ROW("one/0  ", "n1") "  and 7 attempts more\n\n" NODES},
    {{80, 15}, HEAD TABLE "  and 8 attempts more\n\n" NODES},
    {{80, 14}, HEAD NODES},
    {{20, 3}, "dolly top: run   run\n0 of 9 tasks done, 8\nits end is not known\n"},
};

/* At the end of what is there. Draws the run if eight attempts run. */
struct drawing {
    struct followed_run run;
    bool drawn;
    void (*look)(struct drawing *d, struct snapshot *s);
};

/* Down to the second row and no further up than the first. */
static void choose_and_tell(const struct snapshot *s, const struct followed_run *f,
                            struct top_choice *choice)
{
    struct top_size size = {80, 30}, narrow = {24, 6};
    struct str text = {0};

    top_screen(s, f, size, choice, &text);
    expect(choice->shown.count == 8 && !choice->any && !strstr(text.text, ">"));
    top_screen_choose(choice, true);
    expect(choice->any && attempt_compare(choice->at, choice->shown.at[0]) == 0);
    top_screen_choose(choice, false);
    top_screen_choose(choice, false);
    top_screen_choose(choice, true);
    str_cut(&text, 0);
    top_screen(s, f, size, choice, &text);
    expect(strstr(text.text, "\n >one/1 ") && !strstr(text.text, ">one/0"));
    str_cut(&text, 0);
    expect(top_screen_story(s, f, size, choice->at, 0, &text) == 0);
    expect(strstr(text.text, "\n\nTask 1 of phase one of job 0 (sort): "));
    expect(strstr(text.text, "Attempt 0 (first) was launched at "));
    str_cut(&text, 0);
    size_t over = top_screen_story(s, f, narrow, choice->at, 0, &text);
    expect(over > 2 && strstr(text.text, "\n\nTask 1 of phase one of\njob 0 (sort): "));
    str_cut(&text, 0);
    expect(top_screen_story(s, f, narrow, choice->at, 1, &text) == over - 1);
    expect(strstr(text.text, "\n\njob 0 (sort): "));
    str_free(&text);
}

static void look_at_sizes(struct drawing *d, struct snapshot *s)
{
    struct top_choice choice = {.any = false};
    struct str text = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        top_screen(s, &d->run, sizes[i].size, &choice, &text);
        expect(text_was(&text, sizes[i].screen));
    }
    choose_and_tell(s, &d->run, &choice);
    top_screen_choice_fini(&choice);
    str_free(&text);
}

static bool draw(void *ctx, bool idle)
{
    struct drawing *d = ctx;
    struct snapshot s;

    if (!idle || !d->run.open)
        return idle ? false : true;
    snapshot_init(&s, &d->run);
    d->drawn = s.running == 8;
    if (d->drawn)
        d->look(d, &s);
    snapshot_fini(&s);
    return false;
}

static void draw_run(void (*look)(struct drawing *d, struct snapshot *s))
{
    struct command_folder f;
    struct drawing d = {.look = look};
    struct followed_pause pause = {.ctx = &d, .pause = draw};
    struct stat st;
    struct err err;

    command_begin(&f);
    command_file("w", "job sort\n"
                      "  phase one tasks=2 size=10s\n"
                      "  phase two tasks=2 size=10s\n"
                      "  phase three tasks=2 size=10s\n"
                      "  phase four tasks=1 size=10s\n"
                      "  phase five tasks=2 size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 4x2 --policy none --journal run", NULL,
                       NULL) == 0);
    check(stat("run", &st) == 0);
    for (off_t cut = st.st_size - 1; cut > 0 && !d.drawn; cut--) {
        check(truncate("run", cut) == 0);
        expect(followed_run_init(&d.run, "run", &err) == 0);
        followed_run_read(&d.run, &pause, &err);
        followed_run_fini(&d.run);
    }
    expect(d.drawn);
    command_end(&f);
}

TEST(top_screen_leaves_out_what_has_no_room)
{
    draw_run(look_at_sizes);
}

static void fail_one(struct failures *f, const char *phase, uint64_t number)
{
    vec_push(&f->v, ((struct failure){.number = number,
                                      .phase = mem_strdup(phase),
                                      .node = mem_strdup("n1"),
                                      .why = mem_strdup("failed with exit status 3")}));
    f->count++;
}

/* Those of jobs that are over come first; no more than three have a line. */
static void look_at_failures(struct drawing *d, struct snapshot *s)
{
    static const char head[] = "\nFAILED\n  old/7 on n1: failed with exit status 3\n",
                      second[] = "  new/0 on n1: failed with exit status 3\n",
                      third[] = "  new/1 on n1: failed with exit status 3\n";
    struct top_choice choice = {.any = false};
    struct str text = {0};

    top_screen(s, &d->run, (struct top_size){80, 40}, &choice, &text);
    expect(!strstr(text.text, "FAILED"));
    fail_one(&d->run.failures, "old", 7);
    for (uint64_t i = 0; i < 4; i++) {
        char more[32] = "";
        str_cut(&text, 0);
        s->sums.tasks_failed = 1 + i;
        top_screen(s, &d->run, (struct top_size){80, 40}, &choice, &text);
        if (i > 2)
            snprintf(more, sizeof more, "  and %d more\n", (int)i - 2);
        struct str want = {0};
        str_addf(&want, "%s%s%s%s\n", head, i > 0 ? second : "", i > 1 ? third : "", more);
        expect(command_has_part(text.text, want.text));
        str_cut(&want, 0);
        str_addf(&want, "done, %d FAILED, 8 running", (int)i + 1);
        expect(command_has_part(text.text, want.text));
        str_free(&want);
        fail_one(&s->failures, "new", i);
    }
    top_screen_choice_fini(&choice);
    str_free(&text);
}

TEST(top_screen_lists_tasks_that_failed)
{
    draw_run(look_at_failures);
}

/* What is known of the end of a run at 10 s. */
TEST(top_screen_line_counts_tasks_and_says_when_it_ends)
{
    static char reduce[] = "reduce";
    static const struct {
        enum followed_state state;
        double low_s, about_s, high_s;
        uint64_t running, failed;
        const char *line;
    } rows[] = {
        {FOLLOWED_RUNNING, 30, 40, 70, 2, 0,
         "5 of 9 tasks done, 2 running, 1 waiting; ends in about 30 s (20 s to 60 s)"},
        {FOLLOWED_RUNNING, 40, 40, 40, 2, 1,
         "5 of 9 tasks done, 1 FAILED, 2 running, 1 waiting; ends in about 30 s"},
        {FOLLOWED_SILENT, 40, 40, 40, 0, 0,
         "5 of 9 tasks done, 0 running, 1 waiting; ends in about 30 s"},
        {FOLLOWED_INTERRUPTED, 40, 40, 40, 2, 0, "5 of 9 tasks done, 2 running, 1 waiting"},
        {FOLLOWED_RUNNING, -1, -1, -1, 2, 0,
         "5 of 9 tasks done, 2 running, 1 waiting; its end is not known: no task of reduce has "
         "ended"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct snapshot s = {.state = rows[i].state,
                             .now_us = 10000000,
                             .running = rows[i].running,
                             .waiting = 1,
                             .ends_unknown = reduce};
        struct str text = {0};
        s.sums.tasks = 9;
        s.sums.tasks_done = 5;
        s.sums.tasks_failed = rows[i].failed;
        s.ends_us[ENDING_LOW] = rows[i].low_s * 1e6;
        s.ends_us[ENDING_ABOUT] = rows[i].about_s * 1e6;
        s.ends_us[ENDING_HIGH] = rows[i].high_s * 1e6;
        top_screen_line(&s, &text);
        expect(text_was(&text, rows[i].line));
        if (i == 0) { /* nothing is left to end */
            s.running = s.waiting = 0;
            top_screen_line(&s, &text);
            expect(text_was(&text, "5 of 9 tasks done, 0 running, 0 waiting"));
        }
        str_free(&text);
    }
}
