/* The guardian's loop: one thread, one epoll, with the coordinator's socket and what the runner
 * needs. When there is no going on, the guardian reports why (PACKET_FATAL), ends everything and
 * leaves, and the coordinator fails the run. */
#include "exec/process/guardian.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/check.h"
#include "base/os/clock.h"
#include "exec/process/packet_socket.h"
#include "exec/process/runner.h"
#include "exec/process/sys.h"

enum {
    GUARDIAN_EVENTS = 64,
    GUARDIAN_FDS_FROM = 100, /* ours lie above those of attempts */
};

enum { TAG_SOCKET, TAG_RUNNER }; /* epoll data: TAG_RUNNER and more are the runner's */

struct guardian {
    struct packet_socket socket;
    int epoll_fd;
    bool alone; /* the coordinator is gone: nothing is sent any more */
    struct runner runner;
};

/* Ends everything and leaves: the coordinator is gone, or there is no going on. */
__attribute__((noreturn)) static void guardian_leave(struct guardian *g, int status)
{
    const struct runner_hooks *hooks = &g->runner.options.hooks;
    bool began = g->runner.descendants.self; /* else nothing can have been started */

    if (hooks->orphaned)
        hooks->orphaned(hooks->ctx, hooks->orphaned_fds);
    if (began && !g->alone && hooks->ended) { /* for those that have ended until now */
        g->alone = true;
        g->runner.reap = true;
        runner_turn(&g->runner);
    }
    if (began)
        descendants_end_all(&g->runner.descendants);
    if (hooks->left)
        hooks->left(hooks->ctx);
    _exit(status);
}

__attribute__((noreturn)) static void guardian_lost(void *ctx, const char *why)
{
    struct guardian *g = ctx;
    struct packet m = {.type = PACKET_FATAL, .u.text = why};

    if (g->socket.packet)
        packet_socket_send(&g->socket, &m);
    guardian_leave(g, 1);
}

__attribute__((noreturn)) static void guardian_die(struct guardian *g, const char *what)
{
    char text[160];

    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    guardian_lost(g, text);
}

/* Starts wait for the next packet of another type: that saves wake-ups of the coordinator. */
static void guardian_send(void *ctx, const struct packet *m)
{
    struct guardian *g = ctx;

    if (g->alone)
        return;
    if ((m->type == PACKET_STARTED ? packet_socket_later(&g->socket, m)
                                   : packet_socket_send(&g->socket, m)) < 0)
        guardian_die(g, "send");
}

static void guardian_receive(struct guardian *g)
{
    struct packet m;
    int got;

    if (packet_socket_flush(&g->socket) < 0)
        guardian_die(g, "send");
    while ((got = packet_socket_receive(&g->socket, &m)) > 0)
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
        uint64_t tag = events[i].data.u64;
        if (tag >= TAG_RUNNER)
            runner_event(&g->runner, tag - TAG_RUNNER);
        else
            guardian_receive(g);
    }
    until_us = runner_turn(&g->runner);
    if (!g->socket.full && packet_socket_flush(&g->socket) < 0)
        guardian_die(g, "send");
    if (packet_socket_watch(&g->socket, g->epoll_fd, TAG_SOCKET) < 0)
        guardian_die(g, "epoll_ctl");
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

/* The user's standard input and output are not ours to keep open. */
static int guardian_silence(void)
{
    int null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);

    if (null < 0 || sys_dup2(null, 0) < 0 || sys_dup2(null, 1) < 0)
        return -1;
    if (null > 2)
        sys_close(&null);
    return 0;
}

/* Whether copies of us cost less than an exec: each has to be made of, and rid of, all pages that
 * we have. We have those that our coordinator had when it began, and they become hardly more. */
static bool guardian_is_small(void)
{
    enum { SMALL_BYTES = 64 << 20 };
    long size, resident = 0, shared = 0, most = SMALL_BYTES / sysconf(_SC_PAGESIZE);
    char text[128];

    return sys_read_text("/proc/self/statm", 0, text, sizeof text) > 0 &&
           sscanf(text, "%ld %ld %ld", &size, &resident, &shared) == 3 && resident - shared <= most;
}

static int guardian_init(struct guardian *g, const struct runner_options *options, int fd)
{
    struct runner_options own = *options;

    *g = (struct guardian){.epoll_fd = -1, .runner.options = own};
    if (guardian_shed((int *const[]){&fd, &own.lock_fd, &own.hooks.orphaned_fds[0],
                                     &own.hooks.orphaned_fds[1], &own.hooks.ended_fd},
                      5) < 0)
        return -1;
    if (!guardian_is_small())
        own.hooks.own = NULL;
    packet_socket_init(&g->socket, fd);
    setsid();
    prctl(PR_SET_NAME, "dolly-guardian", 0, 0, 0);
    g->epoll_fd = own.epoll_fd = sys_epoll_create();
    own.epoll_tag = TAG_RUNNER;
    own.ctx = g;
    own.on_packet = guardian_send;
    own.on_lost = guardian_lost;
    if (g->epoll_fd < 0 || guardian_silence() < 0 || runner_init(&g->runner, &own) < 0)
        return -1;
    close(own.lock_fd); /* the runner has another descriptor for it */
    return packet_socket_watch(&g->socket, g->epoll_fd, TAG_SOCKET);
}

__attribute__((noreturn)) static void guardian_main(const struct runner_options *options, int fd)
{
    struct guardian g;
    int64_t until_us = INT64_MAX;

    sys_role_set(SYS_GUARDIAN);
    if (guardian_init(&g, options, fd) < 0)
        guardian_die(&g, "start");
    for (;;)
        until_us = guardian_turn(&g, until_us);
}

pid_t guardian_start(const struct runner_options *options, int *fd, struct err *err)
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
