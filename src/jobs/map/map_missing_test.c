#include "jobs/map/map_missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/command.h"

/* Returns true if a task with this stderr repeats an earlier one. */
static bool again(struct map_missing *m, const char *text, uint64_t seq)
{
    command_file("stderr", text);
    return map_missing_again(m, "stderr", seq);
}

static bool prints(const struct map_missing *m, const char *text)
{
    char *out;
    size_t length;
    FILE *to = open_memstream(&out, &length);

    map_missing_print(m, to);
    fclose(to);
    bool same = strcmp(out, text) == 0;
    free(out);
    return same;
}

TEST(map_missing_keeps_the_line_of_the_first_task)
{
    struct map_missing m = {0};
    struct command_folder f;

    command_begin(&f);
    expect(!again(&m, "/bin/bash: line 1: nosuch: command not found\n", 4));
    expect(prints(&m, "")); /* the shell's line says it all */
    expect(again(&m, "/bin/bash: line 1: nosuch: command not found\n", 1));
    expect(!again(&m, "/bin/bash: line 1: other: command not found\n", 2));
    expect(!again(&m, "warning\n/bin/bash: line 1: nosuch: command not found\n", 3));
    expect(!again(&m, "/bin/bash: line 1: nosuch: command not found", 3));
    expect(!again(&m, "", 3));
    expect(prints(&m, "dolly map: nosuch: no such command (tasks 4, 1)\n"));
    for (uint64_t seq = 5; seq < 15; seq++)
        expect(again(&m, "/bin/bash: line 1: nosuch: command not found\n", seq));
    expect(prints(&m, "dolly map: nosuch: no such command (tasks 4, 1, 5 and 9 more)\n"));
    map_missing_fini(&m);
    command_end(&f);
}

TEST(map_missing_knows_the_words_of_shells)
{
    struct map_missing m = {0};
    struct command_folder f;

    command_begin(&f);
    expect(!again(&m, "a key was not found\n", 1) && !m.line); /* a program's own words */
    expect(!again(&m, ": not found\n", 1) && !m.line);
    expect(!again(&m, "sh: 1: ./a b: not found\n", 1));
    expect(again(&m, "sh: 1: ./a b: not found\n", 2));
    expect(prints(&m, "dolly map: ./a b: no such command (tasks 1, 2)\n"));
    map_missing_fini(&m);
    command_end(&f);
}

/* A line that is cut off, or that is not one, is not compared with others. */
TEST(map_missing_takes_one_line_of_text)
{
    struct map_missing m = {0};
    struct command_folder f;
    char text[600], line[] = "sh: 1: a\0b: not found\n";
    int longest = 511;

    command_begin(&f);
    for (int length = longest; length <= longest + 2; length++) {
        memset(text, 'x', sizeof text);
        memcpy(text, "sh: 1: ", 7);
        strcpy(text + length - 12, ": not found\n");
        expect(!again(&m, text, 1) && again(&m, text, 2) == (length == longest));
        map_missing_fini(&m);
    }
    FILE *file = fopen("stderr", "w");
    expect(file && fwrite(line, 1, sizeof line - 1, file) == sizeof line - 1 && fclose(file) == 0);
    expect(!map_missing_again(&m, "stderr", 1) && !m.line);
    expect(!map_missing_again(&m, "nowhere", 1) && !m.line);
    expect(!again(&m, "\n", 1) && !again(&m, "x: not found\n", 1) && !m.line);
    expect(!again(&m, "sh: 1: : not found\n", 1) && !m.line && m.tasks == 0);
    map_missing_fini(&m);
    command_end(&f);
}
