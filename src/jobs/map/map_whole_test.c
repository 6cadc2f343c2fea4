#include "jobs/map/map_whole.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

/* Three tasks, in a folder that is not there. */
static void begin(struct map *m)
{
    static char *argv[] = {"map", "echo", ":::", "a", "b", "c"};
    struct err err;

    *m = (struct map){.dir = mem_strdup("a dir")};
    expect(options_parse(&m->options, 6, argv, &err) == 0 && map_open(m, &err) == 0);
}

/* Looks at the outputs of task 1, `out` and `err`. Returns true if this is printed about it. */
static bool looks(struct map *m, const struct map_end *end, const char *want, struct map_output *p)
{
    struct capture c;
    struct str text = {0};

    *p = (struct map_output){.task = 1,
                             .end = end,
                             .has_out = end->state == MAP_TASK_FAILED || end->received > 0,
                             .out = path_of("out"),
                             .err = path_of("err")};
    capture_begin(&c, STDERR_FILENO);
    map_whole_look(m, p);
    char *printed = capture_end(&c);
    str_add(&text, printed);
    mem_free(printed);
    bool same = text_was(&text, want);
    str_free(&text);
    return same;
}

TEST(map_whole_names_an_output_that_has_changed)
{
    static const char ends[] = "; when the run is over: dolly resume 'a dir' --retry-failed\n";
    static const struct {
        const char *out, *err; /* NULL: it is gone */
        int64_t received, said;
        bool silent, failed, again;
        uint64_t checksum;
        const char *why; /* NULL: nothing is wrong */
    } rows[] = {
        {"abc", "xy", 3, 2, false, false, false, 0, NULL},
        {"abc", NULL, 3, 0, true, false, false, 0, NULL},
        {NULL, NULL, 0, 0, true, false, false, 0, NULL},
        {"ab", NULL, 3, 0, true, false, false, 0, "it has 2 bytes now and had 3"},
        {"abcd", NULL, 3, 0, true, false, false, 0, "it has 4 bytes now and had 3"},
        {NULL, NULL, 3, 0, true, false, false, 0, "No such file or directory"},
        {"abc", "x", 3, 2, false, false, false, 0, "it has 1 bytes now and had 2"},
        {"abc", NULL, 3, 2, false, false, false, 0, "No such file or directory"},
        {"abc", NULL, 3, 0, false, false, false, 0, NULL}, /* its length is not known */
        {"abc", NULL, 3, 0, true, false, true, 1, "it has changed since the task ended"},
        {"abc", NULL, 3, 0, true, false, false, 1, NULL},
        {"abcd", NULL, 3, 0, true, true, true, 1, NULL}, /* of a task that failed any */
        {NULL, NULL, 3, 0, true, true, false, 0, NULL},
    };
    struct command_folder f;
    struct str want = {0};
    int open_before = limits_open();

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map m;
        struct map_output p;
        struct map_end end = {.state = rows[i].failed ? MAP_TASK_FAILED : MAP_TASK_DONE,
                              .received = rows[i].received,
                              .said = rows[i].said,
                              .silent = rows[i].silent,
                              .checksum = rows[i].checksum,
                              .exit = 5};
        begin(&m);
        m.again = rows[i].again;
        m.counts.done = 1;
        if (rows[i].out)
            command_file("out", rows[i].out);
        if (rows[i].err)
            command_file("err", rows[i].err);
        str_cut(&want, 0);
        str_add(&want, "");
        if (rows[i].why)
            str_addf(&want, "dolly: task 2 failed: its output cannot be read: %s%s", rows[i].why,
                     ends);
        expect(looks(&m, &end, want.text, &p));
        expect(m.counts.done == (rows[i].why ? 0 : 1) && m.counts.failed == (rows[i].why ? 1 : 0));
        expect(rows[i].why
                   ? p.end == &p.unread && p.end->exit == -1 && p.end->state == MAP_TASK_FAILED
                   : p.end == &end);
        unlink("out");
        unlink("err");
        m.again = false;
        map_close(&m);
    }
    str_free(&want);
    command_end(&f);
    expect(limits_open() == open_before);
}

/* It has become shorter while it was printed; a task is counted as failed once. */
TEST(map_whole_fails_a_task_once)
{
    struct map m;
    struct map_end end = {.state = MAP_TASK_FAILED, .exit = 3};
    struct map_output p = {.task = 0, .end = &end};
    struct capture c;

    begin(&m);
    m.dir_private = true; /* so there is nothing to resume */
    capture_begin(&c, STDERR_FILENO);
    map_whole_unread(&m, &p, 0);
    map_whole_unread(&m, &p, 5);
    char *text = capture_end(&c);
    expect(strcmp(text, "dolly: task 1 failed: its output cannot be read: it has become "
                        "shorter\n") == 0);
    expect(m.counts.failed == 0 && p.end == &p.unread && p.end->exit == -1);
    mem_free(text);
    m.dir_private = false;
    map_close(&m);
}

TEST(map_whole_runs_a_task_again_unless_it_may_run_only_once)
{
    static const struct {
        bool once, clone, pure, done;
        const char *text;
    } rows[] = {
        {false, false, false, true,
         "dolly: task 2: its output is damaged or gone: it runs again\n"},
        {false, false, false, false,
         "dolly: task 2: its output is damaged or gone: it runs again\n"},
        {true, true, false, true, "dolly: task 2: its output is damaged or gone: it runs again\n"},
        {true, false, true, true, "dolly: task 2: its output is damaged or gone: it runs again\n"},
        {true, false, false, true,
         "dolly: task 2: its output is damaged or gone; --once forbids a second run\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct map_end ends[3] = {{0}, {.state = rows[i].done ? MAP_TASK_DONE : MAP_TASK_OPEN}};
        bool refused = i == 4;
        struct capture c;
        struct err err;
        struct map m;
        begin(&m);
        m.print.ends = ends;
        m.counts.done = 2;
        m.once = rows[i].once;
        m.options.clone = rows[i].clone;
        m.options.pure = rows[i].pure;
        capture_begin(&c, STDERR_FILENO);
        expect(map_whole_again(&m, (struct attempt_ref){.task = 1}) == !refused);
        char *text = capture_end(&c);
        expect(strcmp(text, rows[i].text) == 0);
        mem_free(text);
        expect(m.counts.done == (rows[i].done && !refused ? 1 : 2) && m.refused == refused);
        expect(ends[1].state == (refused ? MAP_TASK_DONE : MAP_TASK_OPEN));
        expect(map_whole_refuse(&m, &err) == (refused ? -1 : 0));
        expect(!refused || strcmp(err.text, "a dir: 1 command was run before; --once forbids a "
                                            "second run") == 0);
        map_close(&m);
    }
}
