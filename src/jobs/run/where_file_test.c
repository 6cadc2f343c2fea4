#include "jobs/run/where_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/test.h"

static char path[64];

static void put(const char *text)
{
    snprintf(path, sizeof path, "/tmp/dolly-on-file.%d", (int)getpid());
    FILE *f = fopen(path, "w");
    fputs(text, f);
    expect(fclose(f) == 0);
}

TEST(where_file_says_what_was_asked_for)
{
    struct where_options where = {.spec = "slurm:2-10",
                                  .slurm = "--partition=main --time=2:00:00",
                                  .grow_us = 30,
                                  .idle_us = 40,
                                  .drain_us = 50,
                                  .pull = true,
                                  .slots = 3},
                         back = {.grow_us = 1};
    char *text = NULL;
    struct err err;

    put("");
    expect(where_file_write(&where, path, &err) == 0 &&
           where_file_read(&back, &text, path, &err) == 0);
    expect(strcmp(back.spec, where.spec) == 0 && strcmp(back.slurm, where.slurm) == 0);
    expect(!back.scratch && !back.linger && back.slots == 3 && back.pull);
    expect(back.grow_us == 30 && back.idle_us == 40 && back.drain_us == 50);
    where.slurm = "two\nlines";
    expect(where_file_write(&where, path, &err) < 0 && strstr(err.text, "--slurm"));
    mem_free(text);
    unlink(path);
}

TEST(where_file_is_not_there_without_agents)
{
    struct where_options none = {0};
    char *text = NULL;
    struct err err;

    put("");
    unlink(path);
    expect(where_file_write(&none, path, &err) == 0 && access(path, F_OK) < 0);
    expect(where_file_read(&none, &text, path, &err) == 0 && !none.spec);
}

TEST(where_file_that_is_none_is_refused)
{
    static const char *const bad[] = {"",
                                      "on",
                                      "where local:2",
                                      "cloud x\n",
                                      "slots 2\n",
                                      "where local:2\nslots -1\n",
                                      "where local:2\nslots x\n",
                                      "where local:2\n\n"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct where_options where = {0};
        char *text = NULL;
        struct err err;
        put(bad[i]);
        expect(where_file_read(&where, &text, path, &err) < 0);
        mem_free(text);
    }
    unlink(path);
}
