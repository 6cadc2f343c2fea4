/* Guardians that are killed, fail or cannot be reached. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/os/tree.h"
#include "exec/process/descendants.h"
#include "tests/unit/deny.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

#include "exec/process/link_stage_test.h"

/* The caller knows at once that a guardian cannot get an order. */
TEST(guardian_takes_no_order_that_is_too_long)
{
    char *longest = mem_zalloc(PACKET_BYTES_MAX + 1, 1);
    struct link_stage s;

    expect(stage_open(&s, false, NULL));
    memset(longest, 'x', PACKET_BYTES_MAX);
    expect(stage_order(&s, 1, longest, "", s.dir) == -1);
    stage_launch(&s, 7, "true", "");
    expect(stage_wait(&s, PACKET_EXITED) && s.last.handle == 7 && !s.lost[0]);
    stage_close(&s);
    mem_free(longest);
}

/* The end of a conversation is reported with its reason. */
TEST(guardian_that_cannot_be_reached_is_lost)
{
    static const char *const calls[] = {"recvmmsg", "sendmmsg"};
    static const char *const why[] = {
        "the connection to the guardian process broke: Input/output error",
        "cannot send to the guardian process: Input/output error"};
    struct packet m = {.type = PACKET_KILL, .handle = 1};

    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = EIO, .count = &count, .call = calls[i]};
        struct link_stage s;
        expect(stage_open(&s, false, NULL));
        if (i == 0)
            stage_launch(&s, 1, "true", "");
        sys_plan_set(&plan);
        expect(i == 0 || s.link->order(s.link, &m) == 0);
        expect(!stage_wait(&s, PACKET_TYPE_END) && strcmp(s.lost, why[i]) == 0);
        sys_plan_set(NULL);
        stage_close(&s);
    }
}

/* A runner that cannot be opened leaves neither a process nor a descriptor. */
TEST(runner_that_cannot_be_opened_says_why)
{
    static const struct {
        bool here;
        const char *call;
        int error;
        const char *why;
    } rows[] = {
        {false, "socketpair", EMFILE, "cannot make a socket: Too many open files"},
        {false, "fork", EAGAIN,
         "cannot start the guardian process: Resource temporarily unavailable"},
        {false, "epoll_ctl", ENOSPC, "cannot wait for events: No space left on device"},
        {true, "signalfd", EMFILE, "cannot prepare for attempts: Too many open files"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1,
                                rows[i].error, &count,          rows[i].call};
        struct link_stage s;
        struct err err;
        struct runner_options options = stage_options(&s, NULL);
        int before = limits_open();
        sys_plan_set(&plan);
        expect(!runner_link_open(&options, rows[i].here, &err) && err.kind == ERR_SYSTEM);
        sys_plan_set(NULL);
        expect(strcmp(err.text, rows[i].why) == 0 && limits_open() == before);
        expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
        sigprocmask(SIG_SETMASK, &s.old_mask, NULL);
        close(s.epoll_fd);
        expect(stage_lock_free(&s, 0));
        tree_remove(s.dir);
    }
}

/* Kernels that give orphans to no other process than the first. */
static bool no_orphans(void)
{
    struct link_stage s;
    struct err err;
    struct runner_options options = stage_options(&s, NULL);
    bool refused = true;

    deny_call(SYS_prctl, EPERM);
    for (int here = 0; here < 2; here++)
        refused &=
            !runner_link_open(&options, here, &err) && err.kind == ERR_SYSTEM &&
            strcmp(err.text, here ? "cannot prepare for attempts: Operation not permitted"
                                  : "cannot prepare for orphans: Operation not permitted") == 0;
    tree_remove(s.dir);
    return refused;
}

TEST(runner_needs_the_orphans)
{
    deny_test(no_orphans);
}

/* When the guardian is killed, main processes die with it, and the rest becomes ours. */
TEST(guardian_killed_leaves_nobody)
{
    struct link_stage s;
    struct descendants children;
    char command[256];

    while (waitpid(-1, NULL, WNOHANG) > 0) /* what tests before us have left */
        ;
    expect(stage_open(&s, false, NULL));
    snprintf(command, sizeof command,
             "(setsid sh -c 'echo $$ > %s/a; exec sleep 3600' &) ; sleep 3600 | sleep 3600", s.dir);
    stage_launch(&s, 1, command, "");
    expect(stage_await(&s, "a"));
    expect(descendants_init(&children) == 0 && descendants_list(&children) == 0);
    expect(children.pids.count == 1 && kill(children.pids.at[0], SIGKILL) == 0);
    descendants_fini(&children);
    expect(!stage_wait(&s, PACKET_TYPE_END));
    expect(strcmp(s.lost, "the guardian process was killed by signal 9; every attempt was ended") ==
           0);
    struct packet m = {.type = PACKET_KILL, .handle = 1};
    expect(s.link->order(s.link, &m) == 0); /* to no effect */
    stage_close(&s);
}

/* Whatever call fails, the guardian answers or leaves; it never hangs and nobody is left. */
TEST(guardian_bears_any_failing_call)
{
    int64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool complete = false;

    for (int64_t at = 1; !complete && at < 400; at++) {
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_GUARDIAN, at, EIO, count, NULL};
        struct link_stage s;
        uint32_t ends = 0;

        *count = 0;
        sys_plan_set(&plan);
        bool open = stage_open(&s, false, NULL);
        expect(open);
        sys_plan_set(NULL);
        if (!open)
            break;
        stage_launch(&s, 1, "(setsid sleep 3600 &); echo 1 2 >&3; sleep 0.02", "/dev/null");
        stage_launch(&s, 2, "(env -i setsid sleep 3600 &); sleep 3600", "");
        stage_kill(&s, 2, 1000);
        int64_t until_us = clock_now_us() + PATIENCE_US;
        while (ends < 2 && stage_next(&s, until_us))
            ends += s.last.type == PACKET_EXITED || s.last.type == PACKET_KILLED ||
                    s.last.type == PACKET_LAUNCH_FAILED;
        expect(clock_now_us() < until_us);
        complete = *count < at;
        if (complete)
            expect(ends == 2 && !s.lost[0]);
        stage_close(&s);
    }
    expect(complete);
    munmap(count, 4096);
}
