#include "exec/process/progress.h"

#include <string.h>

#include "tests/unit/test.h"

static bool feed(struct progress_reader *p, const char *text)
{
    return progress_feed(p, text, strlen(text));
}

TEST(progress_reads_pairs_and_shares)
{
    struct progress_reader p = {0};

    expect(feed(&p, "3 10\n") && p.done == 3 && p.total == 10);
    expect(!feed(&p, "3 10\n"));
    expect(feed(&p, "0.5\n") && p.done == 500000 && p.total == 1000000);
    expect(feed(&p, "1\n") && p.done == 1000000);
    expect(feed(&p, "0\n") && p.done == 0);
}

TEST(progress_joins_pieces_and_keeps_the_last_line)
{
    struct progress_reader p = {0};

    expect(!feed(&p, "1 1"));
    expect(feed(&p, "0\n2 10\n7 1") && p.done == 2 && p.total == 10);
    expect(feed(&p, "0\n") && p.done == 7);
}

TEST(progress_ignores_nonsense)
{
    static const char *const bad[] = {"\n",     "x\n",    "1 2 3\n", "-1 2\n", "1 0\n", "1.5\n",
                                      "-0.1\n", "1 -2\n", "nan\n",   "1 x\n",  " 1\n",  "1  2\n"};
    struct progress_reader p = {0};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(!feed(&p, bad[i]));
    expect(p.total == 0);
    expect(feed(&p, "12 10\n") && p.done == 10 && p.total == 10); /* more than all is all */
}

TEST(progress_survives_an_endless_line)
{
    struct progress_reader p = {0};

    for (int i = 0; i < 1000; i++)
        expect(!feed(&p, "1 2 this goes on "));
    expect(!feed(&p, "\n"));
    expect(feed(&p, "4 5\n") && p.done == 4);
}
