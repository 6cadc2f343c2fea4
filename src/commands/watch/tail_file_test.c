#include "commands/watch/tail_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/command.h"

TEST(tail_file_tells_growth_from_a_cut_and_another_file)
{
    struct command_folder folder;
    struct tail_file t;
    struct err err;

    command_begin(&folder);
    expect(tail_file_init(&t, "journal", &err) < 0 && strstr(err.text, "cannot open"));
    command_file("journal", "12345");
    expect(tail_file_init(&t, "journal", &err) == 0 && t.size == 5);
    expect(tail_file_look(&t) == TAIL_SAME);
    command_file("more", "1234567");
    command_file("journal", "1234567");
    expect(tail_file_look(&t) == TAIL_SAME && t.size == 7);
    expect(truncate("journal", 6) == 0 && tail_file_look(&t) == TAIL_CUT);
    expect(rename("more", "journal") == 0 && tail_file_look(&t) == TAIL_REPLACED);
    expect(unlink("journal") == 0 && tail_file_look(&t) == TAIL_GONE);
    expect(strcmp(tail_file_words(TAIL_GONE), "is gone") == 0);
    command_end(&folder);
}

TEST(tail_file_knows_when_it_was_written)
{
    struct tail_file t = {.written_us = INT64_MAX / 2};

    expect(tail_file_age_us(&t) == 0); /* a clock that is behind */
    t.written_us = 0;
    expect(tail_file_age_us(&t) > INT64_C(1000000) * 3600 * 24 * 365);
}
