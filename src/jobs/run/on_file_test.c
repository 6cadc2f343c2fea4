#include "jobs/run/on_file.h"

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

TEST(on_file_says_what_was_asked_for)
{
    struct on_options on = {.on = "slurm:2-10",
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
    expect(on_file_write(&on, path, &err) == 0 && on_file_read(&back, &text, path, &err) == 0);
    expect(strcmp(back.on, on.on) == 0 && strcmp(back.slurm, on.slurm) == 0);
    expect(!back.scratch && !back.linger && back.slots == 3 && back.pull);
    expect(back.grow_us == 30 && back.idle_us == 40 && back.drain_us == 50);
    on.slurm = "two\nlines";
    expect(on_file_write(&on, path, &err) < 0 && strstr(err.text, "--slurm"));
    mem_free(text);
    unlink(path);
}

TEST(on_file_is_not_there_without_agents)
{
    struct on_options none = {0};
    char *text = NULL;
    struct err err;

    put("");
    unlink(path);
    expect(on_file_write(&none, path, &err) == 0 && access(path, F_OK) < 0);
    expect(on_file_read(&none, &text, path, &err) == 0 && !none.on);
}

TEST(on_file_that_is_none_is_refused)
{
    static const char *const bad[] = {"",
                                      "on",
                                      "on local:2",
                                      "cloud x\n",
                                      "slots 2\n",
                                      "on local:2\nslots -1\n",
                                      "on local:2\nslots x\n",
                                      "on local:2\n\n"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct on_options on = {0};
        char *text = NULL;
        struct err err;
        put(bad[i]);
        expect(on_file_read(&on, &text, path, &err) < 0);
        mem_free(text);
    }
    unlink(path);
}
