#include "remote/fleet/slurm_tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "exec/process/sys.h"
#include "tests/unit/test.h"

enum { SOURCE = 40 };

/* Runs the command to its end, at time 0, or at this time once it has said something. */
static enum slurm_tool_end tool_runs(const char *command, int64_t late_us, char why[200])
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
    int epoll_fd = sys_epoll_create(), got = 0;
    int64_t now_us = 0, next_us;
    struct epoll_event e;
    struct slurm_tool t;

    expect(slurm_tool_start(&t, epoll_fd, SOURCE, argv, false, 0) == 0 && slurm_tool_runs(&t));
    do {
        next_us = INT64_MAX;
        if (slurm_tool_turn(&t, now_us, &next_us))
            break;
        if (late_us && t.streams[0].text.count > 0)
            now_us += late_us; /* it is asked to end, and then made to */
        expect(t.late || next_us == SLURM_TOOL_LIMIT_US);
        got = epoll_wait(epoll_fd, &e, 1, late_us ? 10 : 60000);
        expect(got == 0 || (e.data.u64 >= SOURCE && e.data.u64 < SOURCE + SLURM_TOOL_TAGS));
    } while (got >= 0);
    enum slurm_tool_end end = slurm_tool_end(&t, why, 200);
    slurm_tool_clear(&t);
    slurm_tool_clear(&t);
    expect(!slurm_tool_runs(&t) && !slurm_tool_turn(&t, 0, &next_us));
    close(epoll_fd);
    return end;
}

TEST(slurm_tool_says_how_a_command_went)
{
    char why[200];

    expect(tool_runs("echo 5", 0, why) == SLURM_TOOL_WELL && !why[0]);
    expect(tool_runs("echo warning >&2", 0, why) == SLURM_TOOL_WELL);
    expect(tool_runs("exit 3", 0, why) == SLURM_TOOL_SAID_NO && strstr(why, "status 3"));
    expect(tool_runs("echo no such partition >&2; exit 1", 0, why) == SLURM_TOOL_SAID_NO);
    expect(strcmp(why, "no such partition") == 0);
    expect(tool_runs("echo x: Connection refused >&2; exit 1", 0, why) == SLURM_TOOL_NOTHING);
    expect(strcmp(why, "x: Connection refused") == 0);
    /* Of a long one the beginning counts. */
    expect(tool_runs("head -c 5000 /dev/zero | tr '\\0' x >&2; exit 1", 0, why) ==
           SLURM_TOOL_SAID_NO);
    expect(strspn(why, "x") == strlen(why) && why[0]);
    expect(tool_runs("kill -9 $$", 0, why) == SLURM_TOOL_NOTHING && strcmp(why, "killed") == 0);
}

TEST(slurm_tool_ends_a_command_that_takes_too_long)
{
    char why[200];

    /* At its limit, and not a moment before. */
    expect(tool_runs("echo x; exec sleep 1000", SLURM_TOOL_LIMIT_US, why) == SLURM_TOOL_NOTHING);
    expect(strcmp(why, "no answer in 30 s") == 0);
    expect(tool_runs("echo x; sleep 0.1; exit 0", 1, why) == SLURM_TOOL_WELL);
    /* It is asked first; one that does not listen is killed. */
    expect(tool_runs("trap 'echo bye >&2; exit 4' TERM; echo x; while :; do sleep 0.01; done",
                     SLURM_TOOL_LIMIT_US, why) == SLURM_TOOL_NOTHING);
    expect(tool_runs("trap '' TERM; echo x; while :; do sleep 0.01; done", SLURM_TOOL_LIMIT_US,
                     why) == SLURM_TOOL_NOTHING);
}

/* A read that was interrupted is read on; what is due sooner stays due. */
TEST(slurm_tool_reads_all_that_a_command_has_said)
{
    char *argv[] = {"sh", "-c", "echo 5; echo no >&2; exit 1", NULL}, why[200];
    int epoll_fd = sys_epoll_create();
    int64_t count = 0, next_us = 5;
    struct slurm_tool t = {0};

    expect(!slurm_tool_wait(&t, INT64_MAX)); /* nothing runs */
    expect(slurm_tool_start(&t, epoll_fd, SOURCE, argv, false, 0) == 0);
    expect(t.limit_us == SLURM_TOOL_LIMIT_US);
    if (!slurm_tool_turn(&t, 0, &next_us))
        expect(next_us == 5);
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EINTR, .count = &count, .call = "read"});
    t.limit_us = INT64_MAX;
    expect(slurm_tool_wait(&t, INT64_MAX) && slurm_tool_runs(&t));
    sys_plan_set(NULL);
    expect(t.streams[0].text.count == 2 && memcmp(t.streams[0].text.at, "5\n", 2) == 0);
    expect(slurm_tool_end(&t, why, sizeof why) == SLURM_TOOL_SAID_NO && strcmp(why, "no") == 0);
    slurm_tool_clear(&t);
    close(epoll_fd);
}

TEST(slurm_tool_takes_no_more_output_than_it_has_room_for)
{
    char why[200];

    expect(tool_runs("head -c 67108864 /dev/zero", 0, why) == SLURM_TOOL_WELL);
    expect(tool_runs("head -c 67108865 /dev/zero", 0, why) == SLURM_TOOL_NOTHING);
    expect(strcmp(why, "too much output") == 0);
}

/* Whatever it lacks, it says what that was, and keeps no descriptor. */
TEST(slurm_tool_that_cannot_start_says_why)
{
    static const struct {
        const char *call;
        int64_t at;
    } cases[] = {{"pipe", 1},      {"pipe", 2},      {"fork", 1},
                 {"epoll_ctl", 1}, {"epoll_ctl", 2}, {"epoll_ctl", 3}};
    char *argv[] = {"sleep", "1000", NULL};
    int epoll_fd = sys_epoll_create(), free_fd = dup(epoll_fd);

    close(free_fd);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t count = 0;
        struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                .at = cases[i].at,
                                .error = ENOSPC,
                                .count = &count,
                                .call = cases[i].call};
        struct slurm_tool t;
        sys_plan_set(&plan);
        int result = slurm_tool_start(&t, epoll_fd, SOURCE, argv, false, 0);
        int error = errno;
        sys_plan_set(NULL);
        expect(count >= cases[i].at && result < 0 && error == ENOSPC && !slurm_tool_runs(&t));
        int fd = dup(epoll_fd);
        expect(fd == free_fd);
        close(fd);
    }
    close(epoll_fd);
}
