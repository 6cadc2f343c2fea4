#include "exec/process/supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "exec/process/spawn.h"
#include "exec/process/sys.h"
#include "tests/unit/deny.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* In a process of its own: below a supervisor waits for a signal, prints a byte before, and exits
 * with what came. */
static int watched(int fd)
{
    static char *leave[] = {"true", NULL};
    struct err err;
    sigset_t all;
    int status, signo = 0;
    int side = supervisor_enter(leave, &status, &err);

    if (side != 0)
        return side == 1 && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
    sigprocmask(SIG_SETMASK, NULL, &all);
    if (sigisemptyset(&all) != 1)
        return 98;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (write(fd, "x", 1) != 1)
        return 97;
    do
        signo = sigwaitinfo(&all, NULL);
    while (signo == SIGTSTP || signo == SIGCONT);
    return signo;
}

/* A signal that comes while the supervisor is not waiting for one is handed on as well. */
TEST(supervisor_hands_on_what_comes_while_it_is_stopped)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int fds[2], status = 0;
        char byte;
        expect(pipe(fds) == 0);
        pid_t pid = fork();
        if (pid == 0)
            _exit(watched(fds[1]));
        close(fds[1]);
        expect(read(fds[0], &byte, 1) == 1);
        kill(pid, SIGTSTP);
        expect(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
        kill(pid, signals[i]);
        kill(pid, SIGCONT);
        expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        expect(WEXITSTATUS(status) == signals[i]);
        close(fds[0]);
    }
}

/* In a process of its own, that holds back what a supervisor hands on, and another signal: returns
 * true if the one below holds back the latter alone. */
static bool hands_on_what_was_held_back(void)
{
    static char *leave[] = {"true", NULL};
    static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCHLD};
    struct err err;
    sigset_t held, now;
    int status = 0;

    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
        sigaddset(&held, handed_on[i]);
    sigprocmask(SIG_SETMASK, &held, NULL);
    int side = supervisor_enter(leave, &status, &err);
    if (side != 0)
        return side == 1 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
    bool good = sigprocmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) == 1;
    for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
        good &= sigismember(&now, handed_on[i]) == 0;
    good &= getsid(0) == getpid();
    _exit(good ? 7 : 8);
}

TEST(supervisor_hands_on_what_was_held_back_before)
{
    if (!test_lacks_subreaper())
        deny_test(hands_on_what_was_held_back);
}

TEST(supervisor_reports_that_it_cannot_start_another_process)
{
    static char *leave[] = {"true", NULL};
    int64_t count = 0;
    struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1, EAGAIN, &count, "fork"};
    struct err err;
    sigset_t before = {0}, after = {0};
    int status, open = limits_open();

    sigprocmask(SIG_SETMASK, NULL, &before);
    sys_plan_set(&plan);
    expect(supervisor_enter(leave, &status, &err) == -1 && err.kind == ERR_SYSTEM);
    sys_plan_set(NULL);
    expect(strcmp(err.text, "cannot start another process: Resource temporarily unavailable") == 0);
    sigprocmask(SIG_SETMASK, NULL, &after);
    expect(memcmp(&before, &after, sizeof before) == 0 && limits_open() == open);
}

/* Each in a process of its own, whose SPAWN_LOCK_FD is the lock: it ends what that has started. */
static char lock[TEST_FOLDER + 8], other[TEST_FOLDER + 8];

/* Returns true if the lock that is held lets it leave; or else why it does not. */
static bool leaves(const char *held, bool may)
{
    char want[TEST_FOLDER + 80];
    struct err err = {.text = ""};
    int fd = held ? open(held, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1, status = 0;
    if (held && (dup2(fd, SPAWN_LOCK_FD) < 0 || close(fd) < 0))
        return false;
    if (held && held != lock && may) /* it was removed with its folder */
        unlink(held);
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    snprintf(want, sizeof want, "%s: not the lock of a run that this process belongs to", lock);
    bool left = supervisor_leave(may && held != lock ? other : lock, &err) == 0;
    bool gone = waitpid(child, &status, WNOHANG) < 0;
    if (!gone)
        kill(child, SIGKILL);
    return left == may && gone == may && strcmp(err.text, may ? "" : want) == 0;
}

static bool leaves_with_its_lock(void)
{
    return leaves(lock, true);
}

static bool leaves_with_a_lock_that_is_gone(void)
{
    return leaves(other, true);
}

static bool stays_with_another_lock(void)
{
    return leaves(other, false);
}

static bool stays_without_a_lock(void)
{
    return leaves(NULL, false);
}

/* It is there, but not where it is said to be. */
static bool stays_with_a_lock_elsewhere(void)
{
    struct err err;
    int fd = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return unlink(lock) == 0 && dup2(fd, SPAWN_LOCK_FD) >= 0 && supervisor_leave(lock, &err) == -1;
}

/* Kernels that give orphans to no other process than the first. */
static bool cannot_find_the_processes_left(void)
{
    static char *arguments[] = {"true", NULL};
    struct err err;
    int status, fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (dup2(fd, SPAWN_LOCK_FD) < 0)
        return false;
    deny_call(SYS_prctl, EPERM);
    return supervisor_leave(lock, &err) == -1 && err.kind == ERR_SYSTEM &&
           strcmp(err.text, "cannot find the processes left: Operation not permitted") == 0 &&
           supervisor_enter(arguments, &status, &err) == -1 && err.kind == ERR_SYSTEM &&
           strcmp(err.text, "cannot prepare for orphans: Operation not permitted") == 0;
}

TEST(supervisor_leave_ends_processes_of_its_own_run)
{
    char dir[TEST_FOLDER];

    test_folder(dir);
    snprintf(lock, sizeof lock, "%s/lock", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    deny_test(stays_without_a_lock);
    deny_test(leaves_with_its_lock);
    deny_test(stays_with_another_lock);
    deny_test(stays_with_a_lock_elsewhere);
    deny_test(leaves_with_a_lock_that_is_gone);
    deny_test(cannot_find_the_processes_left);
    tree_remove(dir);
}
