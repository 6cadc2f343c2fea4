/* The guardian's loop: one thread, one epoll, with the coordinator's socket and what the attempts
 * need (crew.h). When there is no going on, the guardian says why (PACKET_FATAL), ends everything
 * and leaves, and the coordinator fails the run. */
#include "runner/guardian.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/check.h"
#include "runner/clock.h"
#include "runner/packet_socket.h"
#include "runner/runner.h"
#include "runner/spawn.h"
#include "runner/sys.h"

enum {
    GUARDIAN_EVENTS = 64,
    GUARDIAN_FDS_FROM = 100, /* ours lie above those of attempts */
};

enum { SOURCE_LINK, SOURCE_CREW }; /* epoll data: SOURCE_CREW and more are the crew's */

struct guardian {
    struct packet_socket link;
    int epoll_fd;
    bool writing; /* waits for room in the socket */
    struct runner runner;
    struct runner_hooks hooks;
    bool alone; /* the coordinator is gone: nobody listens */
};

/* Ends everything and leaves: the coordinator is gone, or there is no going on. */
__attribute__((noreturn)) static void guardian_leave(struct guardian *g, int status)
{
    bool began = g->runner.tree.self; /* else there was no time to start anybody */

    if (g->hooks.orphaned)
        g->hooks.orphaned(g->hooks.ctx, g->hooks.orphaned_fds);
    if (began && !g->alone && g->hooks.ended) { /* who has ended until now */
        g->alone = true;
        g->runner.bury = true;
        runner_turn(&g->runner);
    }
    if (began)
        descendants_end_all(&g->runner.tree);
    if (g->hooks.left)
        g->hooks.left(g->hooks.ctx);
    _exit(status);
}

/* Says why, ends everything, leaves. */
__attribute__((noreturn)) static void guardian_die(struct guardian *g, const char *what)
{
    char text[160];
    struct packet m = {.type = PACKET_FATAL, .u.text = text};

    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    if (g->link.packet)
        packet_socket_send(&g->link, &m);
    guardian_leave(g, 1);
}

static void guardian_watch(struct guardian *g, int op, int fd, uint32_t events, uint64_t source)
{
    struct epoll_event e = {.events = events, .data.u64 = source};

    if (sys_epoll_ctl(g->epoll_fd, op, fd, &e) < 0)
        guardian_die(g, "epoll_ctl");
}

/* A short attempt's start and end are told in one breath: that saves a wake-up of the coordinator
 * for each. */
static void guardian_say(void *ctx, const struct packet *m)
{
    struct guardian *g = ctx;

    if (g->alone)
        return;
    if ((m->type == PACKET_STARTED ? packet_socket_later(&g->link, m)
                                   : packet_socket_send(&g->link, m)) < 0)
        guardian_die(g, "send");
}

static void guardian_fatal(void *ctx, const char *what)
{
    guardian_die(ctx, what);
}

static void guardian_listen(struct guardian *g)
{
    struct packet m;
    int got;

    while ((got = packet_socket_receive(&g->link, &m)) > 0)
        runner_order(&g->runner, &m);
    if (got < 0 && (errno == 0 || errno == ECONNRESET))
        guardian_leave(g, 0); /* the coordinator is gone */
    if (got < 0)
        guardian_die(g, "receive");
}

/* ---- the loop ---- */

/* Returns when to come back, whatever happens. */
static int64_t guardian_turn(struct guardian *g, int64_t until_us)
{
    struct epoll_event events[GUARDIAN_EVENTS];
    int n = sys_epoll_wait(g->epoll_fd, events, GUARDIAN_EVENTS,
                           clock_timeout_ms(clock_now_us(), until_us));

    if (n < 0 && errno != EINTR)
        guardian_die(g, "epoll_wait");
    for (int i = 0; i < n; i++) {
        uint64_t source = events[i].data.u64;
        if (source >= SOURCE_CREW) {
            runner_event(&g->runner, source);
            continue;
        }
        if (packet_socket_flush(&g->link) < 0)
            guardian_die(g, "send");
        guardian_listen(g);
    }
    until_us = runner_turn(&g->runner);
    if (!packet_socket_waiting(&g->link) && packet_socket_flush(&g->link) < 0)
        guardian_die(g, "send");
    if (packet_socket_waiting(&g->link) != g->writing) {
        g->writing = !g->writing;
        guardian_watch(g, EPOLL_CTL_MOD, g->link.fd, EPOLLIN | (g->writing ? EPOLLOUT : 0u),
                       SOURCE_LINK);
    }
    return until_us;
}

/* Keeps the standard files and these descriptors, which move up in this order; closes all else. */
static int guardian_shed(int *const *fds, int count)
{
    int from = 3;

    for (int i = 0; i < count; i++) {
        if (*fds[i] <= 0)
            continue;
        *fds[i] = fcntl(*fds[i], F_DUPFD_CLOEXEC, GUARDIAN_FDS_FROM);
        if (*fds[i] < 0)
            return -1;
    }
    for (int i = 0; i < count; i++) {
        if (*fds[i] <= 0)
            continue;
        check(*fds[i] >= from);
        if (*fds[i] > from)
            close_range((unsigned)from, (unsigned)*fds[i] - 1, 0);
        from = *fds[i] + 1;
    }
    close_range((unsigned)from, ~0u, 0);
    return 0;
}

static int guardian_init(struct guardian *g, const struct guardian_options *options, int fd)
{
    int lock_fd = options->lock_fd;
    struct runner_options crew = {.source = SOURCE_CREW,
                                  .shell = options->shell,
                                  .null_fd = SPAWN_NULL_FD,
                                  .hooks = &g->hooks,
                                  .hear = guardian_say,
                                  .fatal = guardian_fatal,
                                  .ctx = g};

    *g = (struct guardian){.epoll_fd = -1, .hooks = options->hooks};
    if (guardian_shed((int *const[]){&fd, &lock_fd, &g->hooks.orphaned_fds[0],
                                     &g->hooks.orphaned_fds[1], &g->hooks.ended_fd},
                      5) < 0)
        return -1;
    packet_socket_init(&g->link, fd);
    setsid();
    if (spawn_prepare(lock_fd, &crew.files) < 0)
        return -1;
    close(lock_fd);
    prctl(PR_SET_NAME, "dolly-guardian", 0, 0, 0);
    if (options->workdir && chdir(options->workdir) < 0)
        return -1;
    errno = 0;
    if (options->nice && nice(options->nice) == -1 && errno)
        return -1;
    crew.epoll_fd = g->epoll_fd = sys_epoll_create();
    if (g->epoll_fd < 0 || runner_init(&g->runner, &crew) < 0)
        return -1;
    guardian_watch(g, EPOLL_CTL_ADD, g->link.fd, EPOLLIN, SOURCE_LINK);
    return 0;
}

__attribute__((noreturn)) static void guardian_main(const struct guardian_options *options, int fd)
{
    struct guardian g;
    int64_t until_us = INT64_MAX;

    sys_role_set(SYS_GUARDIAN);
    if (guardian_init(&g, options, fd) < 0)
        guardian_die(&g, "start");
    for (;;)
        until_us = guardian_turn(&g, until_us);
}

pid_t guardian_start(const struct guardian_options *options, int *fd, struct err *err)
{
    int fds[2];

    if (sys_socketpair(SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, fds) < 0)
        return err_system(err, "cannot make a socket: %s", strerror(errno));
    fflush(NULL); /* or the child could write it a second time */
    pid_t pid = sys_fork();
    if (pid == 0) {
        close(fds[0]);
        guardian_main(options, fds[1]);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return err_system(err, "cannot start the guardian process: %s", strerror(errno));
    }
    *fd = fds[0];
    return pid;
}
