#include "jobs/task/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/limits.h"
#include "tests/unit/test.h"

TEST(counters_add_up)
{
    struct counters c = {0};

    counters_add(&c, "lines", "long", 3);
    counters_add(&c, "lines", "bad", 1);
    counters_add(&c, "files", "x", 7);
    counters_add(&c, "lines", "long", -5);
    expect(c.at.count == 3);
    expect(strcmp(c.at.at[0].group, "files") == 0 && c.at.at[0].sum == 7);
    expect(strcmp(c.at.at[1].name, "bad") == 0 && c.at.at[1].sum == 1);
    expect(strcmp(c.at.at[2].name, "long") == 0 && c.at.at[2].sum == -2);
    counters_add(&c, "files", "x", INT64_MAX);
    expect(c.at.at[0].sum == INT64_MAX);
    counters_fini(&c);
}

TEST(counters_cut_names_after_two_hundred_bytes)
{
    struct counters c = {0};
    enum { LONGEST = 200 };
    char name[LONGEST + 2];

    memset(name, 'x', sizeof name);
    name[LONGEST + 1] = '\0';
    counters_add(&c, "group", name, 1); /* a byte too long */
    name[LONGEST] = '\0';
    counters_add(&c, "group", name, 1);
    expect(c.at.count == 1 && c.at.at[0].sum == 2 && strlen(c.at.at[0].name) == LONGEST);
    counters_fini(&c);
}

TEST(counters_that_are_written_are_read)
{
    struct counters c = {0}, d = {0};
    struct err err;
    char path[64];

    snprintf(path, sizeof path, "/tmp/dolly-counters.%d", (int)getpid());
    counters_add(&c, "a group\tof words", "a\nname", INT64_MIN);
    counters_add(&c, "", "", 4);
    expect(counters_write(&c, path, &err) == 0);
    expect(counters_read(&d, path, &err) == 0 && counters_read(&d, path, &err) == 0);
    expect(d.at.count == 2 && d.at.at[0].sum == 8 && d.at.at[1].sum == INT64_MIN);
    expect(strcmp(d.at.at[1].group, "a group of words") == 0);
    expect(strcmp(d.at.at[1].name, "a name") == 0);
    counters_fini(&c);
    counters_fini(&d);

    static const char *const bad[] = {"a\tb\tc\n", "a\tb\t1\na\tb\n", "\n", "a\tb\t1x\n"};
    char want[128];
    snprintf(want, sizeof want, "%s: not a file of counters", path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FILE *f = fopen(path, "w");
        fputs(bad[i], f);
        fclose(f);
        expect(counters_read(&d, path, &err) < 0 && err.kind == ERR_INPUT);
        expect(strcmp(err.text, want) == 0);
        counters_fini(&d);
    }
    unlink(path);
    expect(counters_read(&d, path, &err) < 0 && strstr(err.text, "No such file"));
    counters_fini(&d);
}

TEST(counters_have_an_end)
{
    struct counters c = {0};
    int result = 0, made = 0;
    char name[16];

    for (; result == 0; made++) {
        snprintf(name, sizeof name, "%d", made);
        result = counters_add(&c, "all", name, 1);
    }
    expect(made == 10001 && c.at.count == 10000);
    expect(counters_add(&c, "all", "5", 1) == 0); /* those that are there go on */
    expect(counters_add(&c, COUNTERS_OWN, "Map input records", 1) == 0 && c.own == 1);
    expect(counters_add(&c, "all", "x", 1) < 0);
    counters_fini(&c);
}

TEST(counters_are_written_whole_or_not_at_all)
{
    struct counters c = {0}, d = {0};
    struct err err;
    char dir[] = "/tmp/dolly-counters-XXXXXX", path[64];
    int result = -1;

    expect(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/counters", dir);
    counters_add(&c, "a", "b", 1);
    counters_add(&c, "a", "c", 2);
    for (rlim_t bytes = 0; result < 0; bytes++) {
        struct rlimit limit = limits_bytes(bytes);
        result = counters_write(&c, path, &err);
        setrlimit(RLIMIT_FSIZE, &limit);
        expect(result == 0 || strstr(err.text, "File too large"));
        expect((access(path, F_OK) == 0) == (result == 0));
        expect(result == 0 || (rmdir(dir) == 0 && mkdir(dir, 0700) == 0)); /* nothing is left */
    }
    expect(counters_read(&d, path, &err) == 0 && d.at.count == 2);
    unlink(path);
    expect(rmdir(dir) == 0);
    counters_fini(&c);
    counters_fini(&d);
}
