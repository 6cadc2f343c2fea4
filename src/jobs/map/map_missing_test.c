#include "jobs/map/map_missing.h"

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
