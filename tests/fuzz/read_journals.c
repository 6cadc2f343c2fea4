/* Journals. Every checksum is right: see fuzz_signed. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "explain/cmd_explain.h"
#include "tests/fuzz/fuzz.h"

static void show(const uint8_t *at, size_t length, int (*command)(int, char **), char **words,
                 int count)
{
    uint8_t *mended = fuzz_signed(at, length);

    words[1] = (char *)(uintptr_t)fuzz_file(mended, length);
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
