#include "remote/fleet/fleet_ways.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/process/cores.h"
#include "tests/unit/test.h"

static void nobody_ends(void *ctx, const char *name, const char *why)
{
    (void)ctx, (void)name, (void)why;
}

/* Each agent of this machine gets its share of the cores, and connects to this machine. */
TEST(fleet_local_shares_the_cores)
{
    static char key[FLEET_KEY_TEXT + 1];
    char dir[TEST_FOLDER], program[TEST_FOLDER + 16], asked[TEST_FOLDER + 16], text[4096] = "";
    char want[128];
    struct err err;

    test_folder(dir);
    snprintf(program, sizeof program, "%s/program", dir);
    snprintf(asked, sizeof asked, "%s/asked", dir);
    FILE *f = fopen(program, "we");
    expect(f && fprintf(f, "#!/bin/sh\necho \"$@\" >>%s\nexec sleep 1000\n", asked) > 0);
    expect(fclose(f) == 0 && chmod(program, 0700) == 0);
    memset(key, 'a', FLEET_KEY_TEXT - 1);
    key[FLEET_KEY_TEXT - 1] = '\n';
    struct fleet_options o = {.spec = "2-3",
                              .key = key,
                              .host = "far",
                              .port = 7,
                              .at_file = "/run/at",
                              .program = program,
                              .dir = dir,
                              .on_ended = nobody_ends,
                              .epoll_fd = epoll_create1(EPOLL_CLOEXEC)};
    struct fleet *fleet = fleet_local_open(&o, &err);
    expect(fleet && fleet->min == 2 && fleet->max == 3);
    fleet->turn(fleet, &(struct fleet_need){0});
    for (int64_t end_us = clock_now_us() + 60000000; clock_now_us() < end_us; usleep(1000)) {
        f = fopen(asked, "re");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        text[n] = '\0';
        if (f)
            fclose(f);
        const char *first = strchr(text, '\n');
        if (first && strchr(first + 1, '\n'))
            break;
    }
    long share = (long)cores_allowed_here() / 3;
    for (int i = 1; i <= 2; i++) {
        snprintf(want, sizeof want, " --name local%d --cores %ld\n", i, share > 1 ? share : 1);
        expect(strstr(text, want));
    }
    expect(strncmp(text, "agent --connect 127.0.0.1:7 ", 28) == 0 && !strstr(text, "local3"));
    fleet->close(fleet);
    o.spec = "none";
    expect(!fleet_local_open(&o, &err) && err.text[0]);
    close(o.epoll_fd);
    tree_remove(dir);
}
