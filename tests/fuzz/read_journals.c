/* Journals, for each command that reads them. Every checksum is right: see fuzz_signed. */
#include <stdio.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "tests/fuzz/fuzz.h"

/* The journal stands wherever a word is NULL. */
static void show(const uint8_t *at, size_t length, int (*command)(int, char **), char **words,
                 int count)
{
    uint8_t *mended = fuzz_signed(at, length);

    for (int i = 1; i < count; i++)
        if (!words[i])
            words[i] = (char *)(uintptr_t)fuzz_file(mended, length);
    command(count, words);
    fflush(stdout);
    mem_free(mended);
}

void fuzz_journal(const uint8_t *at, size_t length)
{
    char *records[] = {"journal", NULL}, *sums[] = {"journal", NULL, "--stats", "--json"};

    show(at, length, cmd_journal, records, 2);
    show(at, length, cmd_journal, sums, 4);
}

void fuzz_verify(const uint8_t *at, size_t length)
{
    char *words[] = {"journal", NULL, "--verify"};

    show(at, length, cmd_journal, words, 3);
}

void fuzz_explain(const uint8_t *at, size_t length)
{
    char *run[] = {"explain", NULL}, *job[] = {"explain", NULL, "0"},
         *task[] = {"explain", NULL, "0/0/0"}, *json[] = {"explain", NULL, "0/0", "--json"};

    show(at, length, cmd_explain, run, 2);
    show(at, length, cmd_explain, job, 3);
    show(at, length, cmd_explain, task, 3);
    show(at, length, cmd_explain, json, 4);
}

void fuzz_report(const uint8_t *at, size_t length)
{
    char *page[] = {"report", NULL, "-o", "-"};
    char *two[] = {"report", "--compare", NULL, NULL, "-o", "-"};

    show(at, length, cmd_report, page, 4);
    show(at, length, cmd_report, two, 6);
}

void fuzz_replay(const uint8_t *at, size_t length)
{
    char *stats[] = {"trace", "stats", NULL};
    char *words[] = {"replay", NULL, "--policy", "dolly+late"};

    show(at, length, cmd_trace, stats, 3);
    show(at, length, cmd_replay, words, 4);
}

void fuzz_whatif(const uint8_t *at, size_t length)
{
    char *words[] = {"whatif", NULL, "--no-stragglers"};

    show(at, length, cmd_whatif, words, 3);
}
