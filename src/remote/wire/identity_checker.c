/* A child and a socket that keeps the boundaries of questions and answers. */
#include "remote/wire/identity_checker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "exec/process/sys.h"

struct checker_question {
    unsigned char number[TLS_NUMBER];
    char text[IDENTITY_CHECKER_TEXT];
};

bool identity_checker_munge(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                            char why[IDENTITY_WHY], bool *wrong, char reply[IDENTITY_CHECKER_TEXT])
{
    struct identity *b = ctx;
    bool try = strcmp(text, IDENTITY_CHECKER_TRY) == 0;

    if (!try && !identity_check(b, IDENTITY_AGENT, text, number, why, wrong))
        return false;
    *wrong = false; /* from here on it is munged */
    char *own = identity_make(b, IDENTITY_COORDINATOR, number, why);
    bool good = own && (!try || identity_check(b, IDENTITY_COORDINATOR, own, number, why, wrong));
    if (good && snprintf(reply, IDENTITY_CHECKER_TEXT, "%s", own) >= IDENTITY_CHECKER_TEXT)
        good = false;
    mem_free(own);
    return good;
}

/* ---- the child ---- */

__attribute__((noreturn)) static void checker_work(const struct identity_checker *c, int fd,
                                                   pid_t parent)
{
    static struct checker_question q;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    die_with(parent, SIGKILL);
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    if (fd < 0 || dup2(fd, 3) < 0)
        _exit(1);
    close_range(4, ~0u, 0); /* the lock of the run and all else that is the parent's */
    while (recv(3, &q, sizeof q, 0) == (ssize_t)sizeof q) {
        struct identity_answer a = {0};
        a.good = c->judge(c->ctx, q.text, q.number, a.why, &a.wrong, a.reply);
        if (send(3, &a, sizeof a, MSG_NOSIGNAL) != (ssize_t)sizeof a)
            break;
    }
    _exit(0);
}

/* ---- the parent ---- */

static bool checker_start(struct identity_checker *c)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = c->epoll_tag};
    pid_t self = getpid();
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return false;
    c->pid = sys_fork();
    if (c->pid == 0)
        checker_work(c, fds[1], self);
    c->fd = fds[0];
    sys_close(&fds[1]);
    if (c->pid > 0 &&
        (c->epoll_fd < 0 || sys_epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, c->fd, &e) == 0))
        return true;
    int saved = errno;
    if (c->pid < 0)
        sys_close(&c->fd);
    identity_checker_close(c);
    errno = saved;
    return false;
}

bool identity_checker_ask(struct identity_checker *c, const char *text,
                          const unsigned char number[TLS_NUMBER])
{
    struct checker_question q = {0};

    if (snprintf(q.text, sizeof q.text, "%s", text) >= (int)sizeof q.text) {
        errno = EMSGSIZE;
        return false;
    }
    memcpy(q.number, number, sizeof q.number);
    /* One that was killed is found out when it is asked. */
    for (int i = 0; i < 2; i++) {
        if (c->pid <= 0 && !checker_start(c))
            return false;
        c->busy = sys_send(c->fd, &q, sizeof q, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof q;
        if (c->busy) {
            c->until_us = clock_now_us() + IDENTITY_CHECKER_US;
            return true;
        }
        int saved = errno;
        identity_checker_close(c);
        errno = saved;
    }
    return false;
}

bool identity_checker_hear(struct identity_checker *c, struct identity_answer *a)
{
    ssize_t n = c->pid > 0 ? recv(c->fd, a, sizeof *a, MSG_DONTWAIT) : -1;
    if (!c->busy) {
        if (n == 0) /* it was killed; the next question starts another */
            identity_checker_close(c);
        return false;
    }
    if (n == (ssize_t)sizeof *a) {
        c->busy = false;
        return true;
    }
    bool waits = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (waits && clock_now_us() < c->until_us)
        return false;
    identity_checker_close(c);
    *a = (struct identity_answer){0};
    snprintf(a->why, sizeof a->why, "MUNGE: %s",
             waits ? "munged does not answer" : "the process that asks munged was killed");
    return true;
}

void identity_checker_wait(struct identity_checker *c, struct identity_answer *a)
{
    while (!identity_checker_hear(c, a)) {
        struct pollfd at = {.fd = c->fd, .events = POLLIN};
        poll(&at, 1, clock_timeout_ms(clock_now_us(), c->until_us));
    }
}

void identity_checker_close(struct identity_checker *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        sys_close(&c->fd);
    }
    c->pid = 0;
    c->busy = false;
}
