/* spawn - how fast this machine starts programs, for `make bench`: nothing but the calls it takes.
 *
 *     spawn TASKS AT_ONCE bare|pipes PROGRAM [ARGUMENT...]
 *
 * AT_ONCE threads start PROGRAM and wait for it, over and over, until TASKS have been run; prints
 * the seconds it took. Each start is one clone with VM and VFORK (nothing is copied, the thread
 * sleeps until the program is executed) and PIDFD, on which the thread then waits. That is the
 * least a launcher can do, and the quickest way of doing it that we know: a thread per running
 * program, because VFORK holds its caller up during the exec.
 *
 * `bare` gives the program /dev/null for stdin, stdout and stderr. `pipes` captures stdout and
 * stderr through two pipes, which are read to their ends into memory and forgotten.
 *
 * What it does not do: no shell, no process group, no look at grandchildren, no environment of its
 * own per task, no files, no log. Statuses other than 0 end it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE_MAX = 256, STACK_BYTES = 65536 };

static atomic_long left;
static char *const *command;
static _Alignas(16) char stacks[AT_ONCE_MAX][STACK_BYTES]; /* of children until they exec */
static int null_fd;
static int pipes;

extern char **environ;

static void fail(const char *what)
{
    fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
    exit(1);
}

struct streams {
    int out[2], err[2];
};

/* In the child, on the parent's memory. */
static int become(void *arg)
{
    const struct streams *s = arg;

    dup2(null_fd, 0);
    dup2(pipes ? s->out[1] : null_fd, 1);
    dup2(pipes ? s->err[1] : null_fd, 2);
    execve(command[0], command, environ);
    _exit(127);
}

static int start(const struct streams *streams, char *stack)
{
    int pidfd = -1;

    if (clone(become, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
              (void *)(uintptr_t)streams, &pidfd) < 0)
        fail("clone");
    return pidfd;
}

static void drain(int out, int err)
{
    struct pollfd at[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
    char bytes[4096];

    while (at[0].fd >= 0 || at[1].fd >= 0) {
        if (poll(at, 2, -1) < 0 && errno != EINTR)
            fail("poll");
        for (int i = 0; i < 2; i++)
            if (at[i].fd >= 0 && at[i].revents && read(at[i].fd, bytes, sizeof bytes) <= 0)
                at[i].fd = -1;
    }
    close(out);
    close(err);
}

static void finish(int pidfd)
{
    struct pollfd end = {pidfd, POLLIN, 0};
    siginfo_t info = {0};

    while (poll(&end, 1, -1) < 0)
        if (errno != EINTR)
            fail("poll");
    if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0)
        fail("waitid");
    if (info.si_code != CLD_EXITED || info.si_status != 0) {
        fprintf(stderr, "spawn: the program failed\n");
        exit(1);
    }
    close(pidfd);
}

static void *work(void *stack)
{
    while (atomic_fetch_sub(&left, 1) > 0) {
        struct streams s = {{-1, -1}, {-1, -1}};
        if (pipes && (pipe2(s.out, O_CLOEXEC) < 0 || pipe2(s.err, O_CLOEXEC) < 0))
            fail("pipe2");
        int pidfd = start(&s, stack);
        if (pipes) {
            close(s.out[1]);
            close(s.err[1]);
            drain(s.out[0], s.err[0]);
        }
        finish(pidfd);
    }
    return NULL;
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    pthread_t threads[AT_ONCE_MAX];
    int count = argc > 4 ? atoi(argv[2]) : 0;

    if (count < 1 || count > AT_ONCE_MAX || atol(argv[1]) < 1 ||
        (strcmp(argv[3], "bare") != 0 && strcmp(argv[3], "pipes") != 0)) {
        fprintf(stderr, "usage: spawn TASKS AT_ONCE bare|pipes PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    left = atol(argv[1]);
    pipes = argv[3][0] == 'p';
    command = argv + 4;
    null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0)
        fail("/dev/null");
    double begin = now_s();
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, stacks[i]) != 0)
            fail("pthread_create");
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%.6f\n", now_s() - begin);
    return 0;
}
