#include "inputs/formats/trace_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "tests/unit/command.h"

/* Returns true if these are the files of the paths, each with a blank behind it; or why not. */
static bool lists(const char *const *paths, uint32_t count, const char *want)
{
    struct trace_files files = {0};
    struct str text = {0};
    struct err err;

    str_add(&text, "");
    if (trace_files_list(paths, count, &files, &err) < 0)
        str_add(&text, err.text);
    else
        for (uint32_t i = 0; i < files.at.count; i++)
            str_addf(&text, "%s ", files.at.at[i]);
    bool same = strcmp(text.text, want) == 0;
    if (!same)
        printf("%s\n    not\n%s\n", text.text, want);
    vec_free_each(&files.at);
    str_free(&text);
    return same;
}

#define LISTS(want, ...)                                                                           \
    lists((const char *const[]){__VA_ARGS__},                                                      \
          sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), want)

TEST(trace_files_of_a_folder_come_by_name)
{
    struct command_folder f;
    command_begin(&f);
    expect(mkdir("t", 0700) == 0 && mkdir("none", 0700) == 0 && mkdir("deep", 0700) == 0 &&
           mkdir("deep/er", 0700) == 0);
    command_file("t/b", "");
    command_file("t/a", "");
    command_file("t/.hidden", "");
    command_file("t/_done", "");
    command_file("t/appstatus_x", "");
    command_file("none/.x", "");
    expect(LISTS("t/a t/b ", "t"));
    expect(LISTS("t/a t/b ", "t/"));
    expect(LISTS("x t/a t/b y ", "x", "t", "y"));
    expect(LISTS("none: is a folder without files; expected those of a trace", "t", "none"));
    expect(
        LISTS("deep/er: not a file, in a folder that should hold a trace; name its files", "deep"));
    command_end(&f);
}

/* Rolled logs: in order of their numbers, and what a compact file holds is left out. */
TEST(trace_files_of_a_rolled_log_are_in_order)
{
    struct command_folder f;
    command_begin(&f);
    expect(mkdir("t", 0700) == 0 && mkdir("t/eventlog_v2_app", 0700) == 0);
    command_file("t/a", "");
    command_file("t/eventlog_v2_app/events_10_app", "");
    command_file("t/eventlog_v2_app/events_9_app", "");
    command_file("t/eventlog_v2_app/events_2_app", "");
    command_file("t/eventlog_v2_app/events_1_app", "");
    command_file("t/eventlog_v2_app/appstatus_app", "");
    command_file("t/z", "");
    expect(LISTS("t/a t/eventlog_v2_app/events_1_app t/eventlog_v2_app/events_2_app "
                 "t/eventlog_v2_app/events_9_app t/eventlog_v2_app/events_10_app t/z ",
                 "t"));
    command_file("t/eventlog_v2_app/events_2_app.compact", "");
    expect(LISTS("t/a t/eventlog_v2_app/events_2_app.compact t/eventlog_v2_app/events_9_app "
                 "t/eventlog_v2_app/events_10_app t/z ",
                 "t"));
    expect(mkdir("t/eventlog_v2_app/eventlog_v2_x", 0700) == 0);
    expect(LISTS("t/eventlog_v2_app/eventlog_v2_x: not a file, in a folder that should hold a "
                 "trace; name its files",
                 "t"));
    expect(mkdir("u", 0700) == 0); /* a file of such a name is one */
    command_file("u/eventlog_v2_file", "");
    expect(LISTS("u/eventlog_v2_file ", "u"));
    command_end(&f);
}
