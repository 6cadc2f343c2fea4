/* pump.c - a command of the user as a child process.
 *
 * It may write before it has read everything, and to both outputs, so we wait for whatever can go
 * on and never for one pipe alone. A command that closes its input has read enough: that is no
 * error, its status tells. What it has left running may keep its standard error open: once the
 * command itself has ended, we take what is there of it and go. */
#include "jobs/task/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "exec/process/sys.h"
#include "jobs/task/memory_limit.h"

enum { PIPE_BYTES = 1 << 20, READ_BYTES = 1 << 18 };

enum { IN, OUT, ERR, PIPES };

struct pumping {
    const struct pump *pump;
    pid_t pid;
    int ended;                      /* readable once the command has ended; -1: not known */
    int ours[PIPES], theirs[PIPES]; /* -1: none, or closed */
    const char *at;                 /* of what feed gave, ... */
    size_t left;                    /* ... what is not written yet */
    char *buffer;                   /* its own: what it takes may pump another command */
    int64_t printed;                /* bytes, as far as we know: if it has our standard output */
    struct err *err;
};

static int open_pipe(struct pumping *p, int which)
{
    int fds[2], reads = which == IN;

    if (pipe2(fds, O_CLOEXEC) < 0)
        return err_system(p->err, "pipe: %s", strerror(errno));
    p->theirs[which] = fds[!reads];
    p->ours[which] = fds[reads];
    fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES); /* or what we are given */
    fcntl(p->ours[which], F_SETFL, O_NONBLOCK);
    return 0;
}

/* What is run. */
struct pump_program {
    const char *path;
    char *const *argv;
};

/* In the new process: returns, with errno, only if the command could not be run. */
static void become(const struct pumping *p, const struct pump_program *what)
{
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (p->pump->limit)
        memory_limit_enter(p->pump->limit);
    for (int i = 0; i < PIPES; i++)
        if (p->theirs[i] >= 0 && dup2(p->theirs[i], i) < 0)
            return;
    execve(what->path, what->argv, p->pump->env);
}

/* Below a limit of memory, which counts what is written here, too. 0 or an errno. */
static int fork_command(struct pumping *p, const struct pump_program *what)
{
    p->pid = fork();
    if (p->pid != 0)
        return p->pid < 0 ? errno : 0;
    become(p, what);
    _exit(errno == ENOEXEC ? 126 : 127);
}

/* In our memory, as a fork would copy the tables of all that we sort in; we sleep meanwhile. Not by
 * posix_spawn, which asks for each signal whether we handle it: a twentieth of a small task's cost,
 * and no handler of ours does anything that could not be done here. 0 or an errno. */
static int vfork_command(struct pumping *p, const struct pump_program *what)
{
    volatile int error = 0;

    p->pid = vfork();
    if (p->pid == 0) {
        become(p, what);
        error = errno;
        _exit(127);
    }
    if (p->pid < 0)
        return errno;
    if (error)
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    return error;
}

static int start(struct pumping *p)
{
    if (open_pipe(p, IN) < 0 || (p->pump->take && open_pipe(p, OUT) < 0) ||
        (p->pump->note && open_pipe(p, ERR) < 0))
        return -1;
    char *shell[] = {"sh", "-c", (char *)(uintptr_t)p->pump->command, NULL};
    struct pump_program what = {"/bin/sh", shell};
    if (p->pump->words)
        what = (struct pump_program){p->pump->words[0], p->pump->words};
    int error = p->pump->limit && p->pump->limit->bytes > 0 ? fork_command(p, &what)
                                                            : vfork_command(p, &what);
    if (error) {
        p->pid = -1;
        return err_system(p->err, "%s: %s", what.path, strerror(error));
    }
    for (int i = 0; i < PIPES; i++)
        sys_close(&p->theirs[i]);
    if (p->pump->note)
        p->ended = (int)syscall(SYS_pidfd_open, p->pid, 0);
    return 0;
}

/* Writes until the pipe is full or there is no more. */
static int feed(struct pumping *p)
{
    while (p->ours[IN] >= 0) {
        if (p->left == 0) {
            int64_t n = p->pump->feed(p->pump->ctx, &p->at, p->err);
            if (n < 0)
                return -1;
            p->left = (size_t)n;
            if (n == 0) {
                sys_close(&p->ours[IN]);
                return 0;
            }
        }
        ssize_t n = write(p->ours[IN], p->at, p->left);
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n < 0 && errno == EPIPE) {
            sys_close(&p->ours[IN]);
            return 0;
        }
        if (n < 0 && errno != EINTR)
            return err_system(p->err, "the command's input: %s", strerror(errno));
        if (n > 0) {
            p->at += n;
            p->left -= (size_t)n;
        }
    }
    return 0;
}

static int drain(struct pumping *p, int which)
{
    ssize_t n = read(p->ours[which], p->buffer, READ_BYTES);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR
                   ? 0
                   : err_system(p->err, "the command's output: %s", strerror(errno));
    if (n == 0) {
        sys_close(&p->ours[which]);
        return 0;
    }
    return (which == OUT ? p->pump->take : p->pump->note)(p->pump->ctx, p->buffer, (size_t)n,
                                                          p->err);
}

/* Takes what is left of standard error after the end. */
static int drain_end(struct pumping *p)
{
    struct pollfd left = {p->ours[ERR], POLLIN, 0};

    while (p->ours[ERR] >= 0 && poll(&left, 1, 0) > 0)
        if (drain(p, ERR) < 0)
            return -1;
    sys_close(&p->ours[ERR]);
    return 0;
}

/* Nothing has moved for the time that is allowed; but it may print where we do not look. */
static int judge_quiet(struct pumping *p)
{
    struct stat st;

    if (!p->pump->take && fstat(STDOUT_FILENO, &st) == 0 && st.st_size != p->printed) {
        p->printed = st.st_size;
        return 0;
    }
    const char *status = p->pump->status ? p->pump->status : "";
    return err_set(p->err,
                   "the command has not moved for %g s: it has read and printed nothing%s%s",
                   p->pump->quiet_ms / 1e3, *status ? "; its status: " : "", status);
}

static int turn(struct pumping *p)
{
    struct pollfd polls[PIPES + 1];
    bool only_err = p->ours[IN] < 0 && p->ours[OUT] < 0;

    for (int i = 0; i < PIPES; i++)
        polls[i] = (struct pollfd){p->ours[i], i == IN ? POLLOUT : POLLIN, 0};
    polls[PIPES] = (struct pollfd){only_err ? p->ended : -1, POLLIN, 0};
    int quiet_ms = p->pump->quiet_ms > 0 ? p->pump->quiet_ms : -1;
    int due_ms = p->pump->due_ms ? p->pump->due_ms(p->pump->ctx) : -1;
    bool is_due = due_ms >= 0 && (quiet_ms < 0 || due_ms < quiet_ms);
    int n = poll(polls, PIPES + 1, is_due ? due_ms : quiet_ms);
    if (n == 0)
        return is_due ? 0 : judge_quiet(p);
    if (n < 0)
        return errno == EINTR ? 0 : err_system(p->err, "poll: %s", strerror(errno));
    if (polls[PIPES].revents)
        return drain_end(p);
    if (polls[OUT].revents && drain(p, OUT) < 0)
        return -1;
    if (polls[ERR].revents && drain(p, ERR) < 0)
        return -1;
    return polls[IN].revents ? feed(p) : 0;
}

int pump_run(const struct pump *pump, int *status, struct err *err)
{
    struct pumping p = {.pump = pump,
                        .ours = {-1, -1, -1},
                        .theirs = {-1, -1, -1},
                        .err = err,
                        .pid = -1,
                        .ended = -1};
    int result = start(&p);

    p.buffer = mem_resize(NULL, READ_BYTES, 1);
    while (result == 0 && (p.ours[IN] >= 0 || p.ours[OUT] >= 0 || p.ours[ERR] >= 0))
        result = turn(&p);
    mem_free(p.buffer);
    for (int i = 0; i < PIPES; i++) {
        sys_close(&p.ours[i]);
        sys_close(&p.theirs[i]);
    }
    sys_close(&p.ended);
    if (result < 0 && p.pid > 0)
        kill(p.pid, SIGKILL);
    while (p.pid > 0 && waitpid(p.pid, status, 0) < 0)
        if (errno != EINTR)
            return result < 0 ? -1 : err_system(err, "wait: %s", strerror(errno));
    return result;
}
