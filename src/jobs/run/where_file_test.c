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
    put("before");
    expect(where_file_write(&where, path, &err) < 0 && err.kind == ERR_INPUT);
    expect(strcmp(err.text, "--slurm: expected one line") == 0);
    expect(where_file_read(&back, &text, path, &err) < 0 && strcmp(text, "before") == 0);
    where.slurm = NULL;
    expect(where_file_write(&where, "/dev/null/on", &err) < 0 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "/dev/null/on: Not a directory") == 0);
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
                                      "on local:2",
                                      "on \n",
                                      "on\nslots 2\n",
                                      "on\n local:2\n",
                                      "cloud x\n",
                                      "slots 2\n",
                                      "on local:2\nslots -1\n",
                                      "on local:2\nslots x\n",
                                      "on local:2\npull maybe\n",
                                      "on local:2\n\n"};
    struct where_options where = {0};
    char *text = NULL, why[200];
    struct err err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(bad[i]);
        snprintf(why, sizeof why, "%s: expected the nodes on which the job runs", path);
        expect(where_file_read(&where, &text, path, &err) < 0 && strcmp(err.text, why) == 0);
        expect(err.kind == ERR_INPUT && !where.spec && where.slots == 0 && !where.pull);
    }
    put("on local:2\n");
    expect(where_file_read(&where, &text, path, &err) == 0 && strcmp(where.spec, "local:2") == 0);
    mem_free(text);
    unlink(path);
}

/* The text has room for 65535 bytes. */
TEST(where_file_has_an_end)
{
    enum { MOST = (1 << 16) - 1 };
    struct where_options where = {0};
    char *text = NULL, *long_one = mem_zalloc(MOST + 2, 1);
    struct err err;

    memset(long_one, 'x', MOST + 1);
    memcpy(long_one, "on ", 3);
    long_one[MOST - 1] = '\n'; /* and more behind it */
    put(long_one);
    expect(where_file_read(&where, &text, path, &err) < 0 &&
           strstr(err.text, "expected the nodes"));
    long_one[MOST - 2] = '\n';
    long_one[MOST - 1] = 0;
    put(long_one);
    expect(where_file_read(&where, &text, path, &err) == 0 && strlen(where.spec) == MOST - 5);
    mem_free(text);
    mem_free(long_one);
    unlink(path);
}
