/* What a small screen has room for. */
#include "commands/watch/top_screen.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
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
};

static bool draw(void *ctx, bool idle)
{
    struct drawing *d = ctx;
    struct str text = {0};
    struct snapshot s;

    if (!idle || !d->run.open)
        return idle ? false : true;
    snapshot_init(&s, &d->run);
    d->drawn = s.running == 8;
    for (size_t i = 0; d->drawn && i < sizeof sizes / sizeof *sizes; i++) {
        top_screen(&s, &d->run, sizes[i].size, &text);
        expect(text_was(&text, sizes[i].screen));
    }
    snapshot_fini(&s);
    str_free(&text);
    return false;
}

TEST(top_screen_leaves_out_what_has_no_room)
{
    struct command_folder f;
    struct drawing d = {.drawn = false};
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
