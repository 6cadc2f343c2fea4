/* The guardian's loop.
 *
 * One thread, one epoll: the coordinator's socket, SIGCHLD as a descriptor, and one progress pipe
 * per attempt, which stays where it is when the next attempt takes the place. A descriptor per
 * process (pidfd) was tried and left: orphans become our children without being opened by anybody,
 * so SIGCHLD and "wait for any" are needed anyway, and then they are enough.
 *
 * System calls that fail are answered in the conversation where they concern one attempt, tried
 * again shortly where they concern the dead, and otherwise are the end: the guardian says why
 * (PACKET_FATAL), ends everything and leaves, and the coordinator fails the run. */
#include "exec/guardian.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/check.h"
#include "exec/clock.h"
#include "exec/drag.h"
#include "exec/folder.h"
#include "exec/launch.h"
#include "exec/link.h"
#include "exec/reap.h"
#include "exec/spawn.h"
#include "exec/sys.h"

enum {
    GUARDIAN_RETRY_US = 2000,  /* after an inconclusive look at the dead */
    GUARDIAN_TICK_US = 250000, /* between two reports on one attempt */
    GUARDIAN_LAG_US = 5000,    /* news that can wait for others wait so long */
    GUARDIAN_EVENTS = 64,
    GUARDIAN_FDS_FROM = 100, /* ours lie above those of attempts */
};

enum { SOURCE_LINK, SOURCE_SIGNAL, SOURCE_WARDS }; /* epoll data: SOURCE_WARDS + index */

struct guardian {
    struct link link;
    int epoll_fd, signal_fd;
    bool writing; /* waits for room in the socket */
    bool bury;    /* somebody died or was told to */
    struct kin kin;
    struct tree tree;
    struct wards wards;
    struct reaper reaper;
    struct launcher launcher;
    VEC(uint32_t) begun; /* wards whose start was not told yet */
    int64_t say_us;      /* when what waits to be said is said; INT64_MAX: nothing waits */
    int64_t tick_us;     /* next round of reports; INT64_MAX: nobody can have progressed */
    int64_t grace_us;    /* next end of a grace; INT64_MAX: none */
    const char *scratch; /* to be removed at the end, or NULL */
    int64_t drag_us;     /* next stop or go of somebody to be slowed; INT64_MAX: none */
    void (*orphaned)(void *ctx, int keep_fd);
    void *orphaned_ctx;
    int keep_fd; /* -1: none */
};

/* Ends everything and leaves: the coordinator is gone, or there is no going on. */
__attribute__((noreturn)) static void guardian_leave(struct guardian *g, int status)
{
    if (g->orphaned)
        g->orphaned(g->orphaned_ctx, g->keep_fd);
    if (g->tree.self) /* else there was no time to start anybody */
        tree_end_all(&g->tree);
    if (g->scratch)
        folder_remove(g->scratch);
    _exit(status);
}

/* Says why, ends everything, leaves. */
__attribute__((noreturn)) static void guardian_die(struct guardian *g, const char *what)
{
    char text[160];
    struct packet m = {.type = PACKET_FATAL, .u.text = text};

    snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    if (g->link.packet)
        link_send(&g->link, &m);
    guardian_leave(g, 1);
}

static void guardian_watch(struct guardian *g, int op, int fd, uint32_t events, uint64_t source)
{
    struct epoll_event e = {.events = events, .data.u64 = source};

    if (sys_epoll_ctl(g->epoll_fd, op, fd, &e) < 0)
        guardian_die(g, "epoll_ctl");
}

static void guardian_say(struct guardian *g, const struct packet *m)
{
    if (link_send(&g->link, m) < 0)
        guardian_die(g, "send");
}

/* ---- what the coordinator asks for ---- */

/* Queues the starts that are certain by now. */
static void guardian_starts(struct guardian *g)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < g->begun.count; i++) {
        struct ward *ward = &g->wards.at.at[g->begun.at[i]];
        struct packet m = {.type = PACKET_STARTED, .handle = ward->handle};
        if (!launch_done(ward))
            g->begun.at[left++] = g->begun.at[i];
        else if (link_later(&g->link, &m) < 0)
            guardian_die(g, "send");
    }
    g->begun.count = left;
}

static void guardian_launch(struct guardian *g, const struct packet *m)
{
    struct ward *ward = wards_add(&g->wards, m->handle);
    bool watched = ward->progress_fd >= 0;

    if (launch_ward(&g->launcher, &g->wards, ward, m) < 0) {
        struct packet answer = {
            .type = PACKET_LAUNCH_FAILED, .handle = m->handle, .u.error = errno};
        if (!watched) { /* a pipe that nobody listens to must not be had by the next */
            sys_close(&ward->progress_fd);
            sys_close(&ward->pipe_fd);
        }
        wards_remove(&g->wards, ward);
        guardian_say(g, &answer);
        return;
    }
    uint32_t index = wards_index(&g->wards, ward);
    if (!watched)
        guardian_watch(g, EPOLL_CTL_ADD, ward->progress_fd, EPOLLIN, SOURCE_WARDS + index);
    if (ward->stdin_fd >= 0 && g->tick_us == INT64_MAX)
        g->tick_us = clock_now_us() + GUARDIAN_TICK_US;
    ward->slow_milli = m->u.launch.slow_milli;
    ward->since_us = ward->started_us;
    if (ward->slow_milli)
        g->drag_us = 0;
    /* A short attempt's start and end are told in one breath: that saves a wake-up of the
     * coordinator for each. */
    vec_push(&g->begun, index);
}

static void guardian_kill(struct guardian *g, const struct packet *m)
{
    struct ward *ward = wards_by_handle(&g->wards, m->handle);

    if (!ward)
        return;
    reap_kill(&g->reaper, ward, clock_now_us(), m->u.grace_us);
    g->bury = true;
    if (ward->kill_at_us < g->grace_us)
        g->grace_us = ward->kill_at_us;
}

static void guardian_listen(struct guardian *g)
{
    struct packet m;
    int got;

    while ((got = link_receive(&g->link, &m)) > 0) {
        if (m.type == PACKET_LAUNCH)
            guardian_launch(g, &m);
        else if (m.type == PACKET_KILL)
            guardian_kill(g, &m);
    }
    if (got < 0 && (errno == 0 || errno == ECONNRESET))
        guardian_leave(g, 0); /* the coordinator is gone */
    if (got < 0)
        guardian_die(g, "receive");
}

/* ---- progress ---- */

/* What the dead left in the pipe is of no use. */
static void guardian_drain(struct ward *ward)
{
    char text[4096];

    /* As often as the pipe is long, should somebody have hidden well enough to go on writing. */
    for (int i = 0; i < 16; i++)
        if (read(ward->progress_fd, text, sizeof text) < (ssize_t)sizeof text)
            return;
}

static void guardian_read(struct guardian *g, struct ward *ward)
{
    char text[4096];

    if (ward->state == WARD_FREE) { /* an event from before its end */
        guardian_drain(ward);
        return;
    }
    ssize_t n = sys_read(ward->progress_fd, text, sizeof text);
    if (n > 0 && progress_feed(&ward->progress, text, (size_t)n) && g->tick_us == INT64_MAX)
        g->tick_us = clock_now_us() + GUARDIAN_TICK_US;
}

static int64_t guardian_taken(const struct ward *ward)
{
    off_t at = ward->stdin_fd >= 0 ? sys_lseek(ward->stdin_fd, 0, SEEK_CUR) : 0;
    return at > 0 ? at : 0;
}

/* Reports whoever has moved. What a task says counts for more than what it has read. */
static void guardian_tick(struct guardian *g)
{
    bool again = false;

    guardian_starts(g);
    for (uint32_t i = 0; i < g->wards.at.count; i++) {
        struct ward *ward = &g->wards.at.at[i];
        struct packet m = {.type = PACKET_PROGRESS, .handle = ward->handle};
        if (ward->state != WARD_RUNNING || !launch_done(ward))
            continue;
        bool says = ward->progress.total > 0;
        if (!says && ward->stdin_fd < 0)
            continue;
        m.u.progress.done = says ? ward->progress.done : guardian_taken(ward);
        m.u.progress.total = says ? ward->progress.total : ward->stdin_bytes;
        again |= !says;
        if (m.u.progress.done == ward->told_done && m.u.progress.total == ward->told_total)
            continue;
        ward->told_done = m.u.progress.done;
        ward->told_total = m.u.progress.total;
        again = true;
        guardian_say(g, &m);
    }
    g->tick_us = again ? clock_now_us() + GUARDIAN_TICK_US : INT64_MAX;
}

/* ---- ends ---- */

/* Its start was not told, and will not be. */
static void guardian_unsay(struct guardian *g, uint32_t index)
{
    for (uint32_t i = 0; i < g->begun.count; i++)
        if (g->begun.at[i] == index)
            g->begun.at[i--] = g->begun.at[--g->begun.count];
}

static void guardian_ended(void *ctx, struct ward *ward)
{
    struct guardian *g = ctx;
    struct packet m = {.handle = ward->handle};
    int error = launch_failure(ward);

    if (error) {
        guardian_unsay(g, wards_index(&g->wards, ward));
        m.type = PACKET_LAUNCH_FAILED;
        m.u.error = error;
    } else {
        m.type = ward->killed ? PACKET_KILLED : PACKET_EXITED;
        m.u.end = ward->end;
        m.u.end.wall_us = clock_now_us() - ward->started_us;
        m.u.end.read_bytes = guardian_taken(ward);
    }
    guardian_starts(g);
    guardian_say(g, &m);
    guardian_drain(ward);
    wards_remove(&g->wards, ward);
}

static void guardian_bury(struct guardian *g)
{
    struct signalfd_siginfo sink[8];

    (void)!read(g->signal_fd, sink, sizeof sink); /* one of a kind waits at most */
    g->bury = g->reaper.again = false;
    reap_dead(&g->reaper);
    reap_sweep(&g->reaper, guardian_ended, g);
}

/* ---- the loop ---- */

static int guardian_timeout(const struct guardian *g)
{
    int64_t now = clock_now_us();
    int64_t at = g->tick_us < g->grace_us ? g->tick_us : g->grace_us;

    if (g->drag_us < at)
        at = g->drag_us;
    if (g->say_us < at)
        at = g->say_us;
    if (g->reaper.again && now + GUARDIAN_RETRY_US < at)
        at = now + GUARDIAN_RETRY_US;
    return clock_timeout_ms(now, at);
}

/* Says what has waited for long enough. */
static void guardian_speak(struct guardian *g, int64_t now_us)
{
    if (now_us >= g->say_us) {
        guardian_starts(g);
        g->say_us = INT64_MAX;
        if (!link_waiting(&g->link) && link_flush(&g->link) < 0)
            guardian_die(g, "send");
    }
    if (g->begun.count == 0)
        g->say_us = INT64_MAX;
    else if (g->say_us == INT64_MAX)
        g->say_us = now_us + GUARDIAN_LAG_US;
}

static void guardian_turn(struct guardian *g)
{
    struct epoll_event events[GUARDIAN_EVENTS];
    g->bury = g->reaper.again;
    int n = sys_epoll_wait(g->epoll_fd, events, GUARDIAN_EVENTS, guardian_timeout(g));
    if (n < 0 && errno != EINTR)
        guardian_die(g, "epoll_wait");
    for (int i = 0; i < n; i++) {
        uint64_t source = events[i].data.u64;
        if (source >= SOURCE_WARDS) {
            guardian_read(g, &g->wards.at.at[source - SOURCE_WARDS]);
            continue;
        }
        g->bury |= source == SOURCE_SIGNAL;
        if (source == SOURCE_LINK && link_flush(&g->link) < 0)
            guardian_die(g, "send");
        if (source == SOURCE_LINK)
            guardian_listen(g);
    }
    int64_t now = clock_now_us();
    if (now >= g->grace_us) {
        g->grace_us = reap_overdue(&g->reaper, now);
        g->bury = true;
    }
    if (g->bury)
        guardian_bury(g);
    if (now >= g->tick_us)
        guardian_tick(g);
    if (now >= g->drag_us)
        g->drag_us = drag_all(&g->wards, now);
    guardian_speak(g, now);
    if (link_waiting(&g->link) != g->writing) {
        g->writing = !g->writing;
        guardian_watch(g, EPOLL_CTL_MOD, g->link.fd, EPOLLIN | (g->writing ? EPOLLOUT : 0u),
                       SOURCE_LINK);
    }
}

/* Keeps the standard files and these descriptors, which move up in this order; closes all else. */
static int guardian_shed(int *const *fds, int count)
{
    int from = 3;

    for (int i = 0; i < count; i++) {
        if (*fds[i] < 0)
            continue;
        *fds[i] = fcntl(*fds[i], F_DUPFD_CLOEXEC, GUARDIAN_FDS_FROM);
        if (*fds[i] < 0)
            return -1;
    }
    for (int i = 0; i < count; i++) {
        if (*fds[i] < 0)
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
    sigset_t mask;
    int lock_fd = options->lock_fd;

    *g = (struct guardian){.epoll_fd = -1,
                           .signal_fd = -1,
                           .say_us = INT64_MAX,
                           .tick_us = INT64_MAX,
                           .grace_us = INT64_MAX,
                           .drag_us = INT64_MAX,
                           .orphaned = options->orphaned,
                           .orphaned_ctx = options->orphaned_ctx,
                           .keep_fd = options->keep_fd > 0 ? options->keep_fd : -1};
    if (guardian_shed((int *const[]){&fd, &lock_fd, &g->keep_fd}, 3) < 0)
        return -1;
    link_init(&g->link, fd);
    setsid();
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (spawn_prepare(lock_fd, &g->launcher.files) < 0)
        return -1;
    close(lock_fd);
    /* Stopping somebody is no news. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    prctl(PR_SET_NAME, "dolly-guardian", 0, 0, 0);
    g->reaper = (struct reaper){&g->wards, &g->tree, &g->kin, false};
    g->launcher.shell = options->shell ? options->shell : "/bin/sh";
    g->launcher.kin = &g->kin;
    g->scratch = options->scratch;
    if (options->workdir && chdir(options->workdir) < 0)
        return -1;
    errno = 0;
    if (options->nice && nice(options->nice) == -1 && errno)
        return -1;
    if (tree_init(&g->tree) < 0 || kin_init(&g->kin) < 0)
        return -1;
    g->epoll_fd = sys_epoll_create();
    g->signal_fd = sys_signalfd(&mask);
    return g->epoll_fd < 0 || g->signal_fd < 0 ? -1 : 0;
}

__attribute__((noreturn)) static void guardian_main(const struct guardian_options *options, int fd)
{
    struct guardian g;

    sys_role_set(SYS_GUARDIAN);
    if (guardian_init(&g, options, fd) < 0)
        guardian_die(&g, "start");
    guardian_watch(&g, EPOLL_CTL_ADD, g.link.fd, EPOLLIN, SOURCE_LINK);
    guardian_watch(&g, EPOLL_CTL_ADD, g.signal_fd, EPOLLIN, SOURCE_SIGNAL);
    for (;;)
        guardian_turn(&g);
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
