/* runner.c - attempts from their launch to their end.
 *
 * One epoll, which is the owner's: SIGCHLD as a descriptor, and one progress pipe per attempt,
 * which stays where it is when the next attempt takes its entry. A descriptor per process (pidfd)
 * was rejected: orphans become our children without being opened, so SIGCHLD and "wait for any" are
 * needed anyway, and then they are enough.
 *
 * System calls that fail are reported in packets where they concern one attempt, tried again
 * shortly where they concern the dead, and otherwise are the end (on_lost). */
#include "exec/process/runner.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "base/os/clock.h"
#include "exec/process/slowdown.h"
#include "exec/process/sys.h"

enum {
    RUNNER_RETRY_US = 2000, /* after an inconclusive look at the dead */
    RUNNER_LAG_US = 5000,   /* how long a start waits to be reported together with other news */
    RUNNER_SPARE_FDS = 64,  /* descriptors for everything but attempts */
};

/* Of epoll: TAG_PROCESSES + 2 * index for the pipe, + 1 for the control socket. */
enum { TAG_SIGNAL, TAG_PROCESSES };

static void runner_cannot_watch(struct runner *r)
{
    char text[160];

    snprintf(text, sizeof text, "cannot watch attempts: epoll_ctl: %s", strerror(errno));
    r->options.on_lost(r->options.ctx, text);
}

static void runner_watch(struct runner *r, int fd, uint64_t tag)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = r->options.epoll_tag + tag};

    if (sys_epoll_ctl(r->options.epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
        runner_cannot_watch(r);
}

static void runner_report(struct runner *r, const struct packet *m)
{
    r->options.on_packet(r->options.ctx, m);
}

/* ---- orders ---- */

/* Reports the starts that are certain by now. */
static void runner_report_starts(struct runner *r)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < r->begun.count; i++) {
        struct process *p = &r->processes.at.at[r->begun.at[i]];
        struct packet m = {
            .type = PACKET_STARTED, .handle = p->handle, .u.started_us = p->started_us};
        if (!start_done(p))
            r->begun.at[left++] = r->begun.at[i];
        else
            runner_report(r, &m);
    }
    r->begun.count = left;
}

/* ---- control sockets ---- */

/* An attempt that is a program of ours (`dolly task`) is told through its control socket what to
 * read, and tells how that goes. We pass packets on, note that it has said what it leaves, and
 * never wait for an attempt that does not read. The program lets no command below it have the
 * socket. */
static void runner_watch_control(struct runner *r, const struct process *p)
{
    uint64_t tag = TAG_PROCESSES + 2 * (uint64_t)process_index(&r->processes, p) + 1;

    if (p->control->fd >= 0 &&
        packet_socket_watch(p->control, r->options.epoll_fd, r->options.epoll_tag + tag) < 0)
        runner_cannot_watch(r);
}

/* Passes on what the attempt has said. It speaks for itself alone; one that breaks off, or says
 * what attempts have no business to say, is not listened to any more. */
static void runner_hear(struct runner *r, struct process *p)
{
    struct packet m;
    int got = 0;

    while (p->control->fd >= 0 && (got = packet_socket_receive(p->control, &m)) > 0) {
        if ((m.type < PACKET_FETCH_STARTED || m.type > PACKET_STATUS) &&
            m.type != PACKET_NO_SPACE) {
            got = -1;
            break;
        }
        p->told |= m.type == PACKET_RESULT;
        runner_report_starts(r);
        m.handle = p->handle;
        runner_report(r, &m);
    }
    if (got < 0)
        packet_socket_renew(p->control, -1);
}

static void runner_tell(struct runner *r, const struct packet *m)
{
    struct process *p = process_by_handle(&r->processes, m->handle);

    if (!p || !p->control || p->control->fd < 0)
        return; /* it has ended, or does not listen */
    if (packet_socket_send(p->control, m) < 0)
        packet_socket_renew(p->control, -1);
    runner_watch_control(r, p);
}

/* Stops and continues the attempts that are to be slow, if it is time for it. */
static void runner_slow(struct runner *r, int64_t now_us)
{
    if (now_us >= r->slowdown_us && !r->held_us)
        r->slowdown_us = slowdown_all(&r->processes, now_us);
}

static void runner_launch(struct runner *r, const struct packet *m)
{
    struct process *p = process_add(&r->processes, m->handle);
    bool watched = p->progress_fd >= 0;

    if (start_process(&r->starter, &r->processes, p, m) < 0) {
        struct packet answer = {
            .type = PACKET_LAUNCH_FAILED, .handle = m->handle, .u.error = errno};
        answer.u.ours = !r->starter.input_failed;
        if (!watched) { /* the next attempt must not get a pipe that is not watched */
            sys_close(&p->progress_fd);
            sys_close(&p->pipe_fd);
        }
        process_remove(&r->processes, p);
        runner_report(r, &answer);
        return;
    }
    uint32_t index = process_index(&r->processes, p);
    if (!watched)
        runner_watch(r, p->progress_fd, TAG_PROCESSES + 2 * (uint64_t)index);
    if (m->u.launch.control)
        runner_watch_control(r, p);
    if (p->stdin_fd >= 0 && r->tick_us == INT64_MAX)
        r->tick_us = clock_now_us() + RUNNER_REPORT_US;
    p->extra = m->u.launch.extra;
    idle_cores_launched(&r->idle_cores, &r->processes, p, p->started_us);
    p->slow_milli = m->u.launch.slow_milli;
    p->since_us = p->started_us;
    if (p->slow_milli)
        r->slowdown_us = 0;
    /* The start of a short attempt is reported together with its end: that saves a wake-up of the
     * coordinator. */
    vec_push(&r->begun, index);
    /* Launches of many that follow each other may take longer than a slice: a slow attempt among
     * the first ones must not run ahead meanwhile. */
    if (r->slowdown_us != INT64_MAX)
        runner_slow(r, clock_now_us());
}

static void runner_kill(struct runner *r, const struct packet *m)
{
    struct process *p = process_by_handle(&r->processes, m->handle);

    if (!p)
        return;
    reaper_kill(&r->reaper, p, clock_now_us(), m->u.grace_us);
    r->reap = true;
    if (p->kill_at_us < r->grace_us)
        r->grace_us = p->kill_at_us;
}

/* The user has stopped the run, and with it the attempts; or they go on, and the time in between
 * does not count. Those that are being ended have to be able to end. */
static void runner_hold(struct runner *r, bool still)
{
    int64_t now_us = clock_now_us();

    if (still == (r->held_us > 0))
        return;
    for (uint32_t i = 0; i < r->processes.at.count; i++) {
        struct process *p = &r->processes.at.at[i];
        if (p->state != PROCESS_RUNNING)
            continue;
        if (!still) {
            p->started_us += now_us - r->held_us;
            p->since_us += now_us - r->held_us;
        }
        /* It has no group yet while it is being started. */
        int sig = still && !p->killed ? SIGSTOP : SIGCONT;
        if ((still || !p->stopped) && sys_kill(-p->pid, sig) < 0)
            sys_kill(p->pid, sig);
    }
    r->held_us = still ? now_us : 0;
}

void runner_order(struct runner *r, const struct packet *m)
{
    if (m->type == PACKET_HOLD)
        runner_hold(r, m->u.still);
    else if (m->type == PACKET_LAUNCH)
        runner_launch(r, m);
    else if (m->type == PACKET_KILL)
        runner_kill(r, m);
    else if (m->type == PACKET_READ || m->type == PACKET_PLACE || m->type == PACKET_KEY)
        runner_tell(r, m);
}

/* ---- progress ---- */

/* Drops what a dead attempt left in its pipe. */
static void runner_drain(struct process *p)
{
    char text[4096];

    /* As often as the pipe is long, should a hidden process go on writing. */
    for (int i = 0; i < 16; i++)
        if (read(p->progress_fd, text, sizeof text) < (ssize_t)sizeof text)
            return;
}

static void runner_read(struct runner *r, struct process *p)
{
    char text[4096];

    if (p->state == PROCESS_FREE) { /* an event from before its end */
        runner_drain(p);
        return;
    }
    ssize_t n = sys_read(p->progress_fd, text, sizeof text);
    if (n > 0 && progress_feed(&p->progress, text, (size_t)n) && r->tick_us == INT64_MAX)
        r->tick_us = clock_now_us() + RUNNER_REPORT_US;
}

static int64_t runner_taken(const struct process *p)
{
    off_t at = p->stdin_fd >= 0 ? sys_lseek(p->stdin_fd, 0, SEEK_CUR) : 0;
    return at > 0 ? at : 0;
}

/* Reports progress. What a task reports counts for more than what it has read. */
static void runner_tick(struct runner *r)
{
    bool again = false;

    runner_report_starts(r);
    for (uint32_t i = 0; i < r->processes.at.count; i++) {
        struct process *p = &r->processes.at.at[i];
        struct packet m = {.type = PACKET_PROGRESS, .handle = p->handle};
        if (p->state != PROCESS_RUNNING || !start_done(p))
            continue;
        bool reports = p->progress.total > 0;
        if (!reports && p->stdin_fd < 0)
            continue;
        m.u.progress.done = reports ? p->progress.done : runner_taken(p);
        m.u.progress.total = reports ? p->progress.total : p->stdin_bytes;
        again |= !reports;
        if (m.u.progress.done == p->reported_done && m.u.progress.total == p->reported_total)
            continue;
        p->reported_done = m.u.progress.done;
        p->reported_total = m.u.progress.total;
        again = true;
        runner_report(r, &m);
    }
    r->tick_us = again ? clock_now_us() + RUNNER_REPORT_US : INT64_MAX;
}

/* ---- ends ---- */

static void runner_ended(void *ctx, struct process *p)
{
    struct runner *r = ctx;
    const struct runner_hooks *hooks = &r->options.hooks;
    struct packet m = {.handle = p->handle};
    uint32_t index = process_index(&r->processes, p);
    int error = start_failure(p);

    if (error) {
        for (uint32_t i = 0; i < r->begun.count; i++) /* it has no start to report */
            if (r->begun.at[i] == index)
                r->begun.at[i--] = r->begun.at[--r->begun.count];
        m.type = PACKET_LAUNCH_FAILED;
        m.u.error = error;
    } else {
        if (p->control)
            runner_hear(r, p); /* its last words */
        m.type = p->killed ? PACKET_KILLED : PACKET_EXITED;
        m.u.end = p->end;
        m.u.end.told = p->told;
        m.u.end.left = p->killed ? PACKET_LEFT_UNSEEN : start_left(p, p->end.status == 0);
        m.u.end.wall_us = clock_now_us() - p->started_us;
        m.u.end.read_bytes = runner_taken(p);
        if (!p->killed && hooks->ended)
            hooks->ended(hooks->ctx, hooks->ended_fd, p->flight->name, &m.u.end);
        if (r->idle_cores.active)
            idle_cores_ended(&r->idle_cores, p, &m.u.end);
    }
    runner_report_starts(r);
    runner_report(r, &m);
    runner_drain(p);
    process_remove(&r->processes, p);
}

static void runner_reap(struct runner *r)
{
    struct signalfd_siginfo sink[8];

    (void)!read(r->signal_fd, sink, sizeof sink); /* at most one of a kind is pending */
    r->reap = r->reaper.again = false;
    reaper_dead(&r->reaper);
    reaper_sweep(&r->reaper, runner_ended, r);
}

/* ---- the turn ---- */

static void runner_control(struct runner *r, struct process *p)
{
    if (p->state == PROCESS_FREE || !p->control) /* an event from before its end */
        return;
    if (p->control->full && packet_socket_flush(p->control) < 0)
        packet_socket_renew(p->control, -1);
    runner_hear(r, p);
    runner_watch_control(r, p);
}

void runner_event(struct runner *r, uint64_t tag)
{
    if (tag == TAG_SIGNAL)
        r->reap = true;
    else if ((tag - TAG_PROCESSES) % 2 == 0)
        runner_read(r, &r->processes.at.at[(tag - TAG_PROCESSES) / 2]);
    else
        runner_control(r, &r->processes.at.at[(tag - TAG_PROCESSES) / 2]);
}

/* Reports starts that have waited for long enough. */
static void runner_report_late_starts(struct runner *r, int64_t now_us)
{
    if (now_us >= r->starts_us) {
        runner_report_starts(r);
        r->starts_us = INT64_MAX;
    }
    if (r->begun.count == 0)
        r->starts_us = INT64_MAX;
    else if (r->starts_us == INT64_MAX)
        r->starts_us = now_us + RUNNER_LAG_US;
}

/* What attempts leave of the machine to clones. */
static void runner_look(struct runner *r, int64_t now_us)
{
    struct packet told;

    if (idle_cores_look(&r->idle_cores, &r->processes, now_us, &told))
        runner_report(r, &told);
    if (idle_cores_look_pressure(&r->idle_cores, &r->processes, now_us, &told))
        runner_report(r, &told);
}

int64_t runner_turn(struct runner *r)
{
    int64_t now_us = clock_now_us();

    if (now_us >= r->grace_us) {
        r->grace_us = reaper_overdue(&r->reaper, now_us);
        r->reap = true;
    }
    if (r->reap)
        runner_reap(r);
    if (now_us >= r->tick_us)
        runner_tick(r);
    runner_slow(r, now_us);
    runner_report_late_starts(r, now_us);
    if (idle_cores_next_us(&r->idle_cores) <= now_us)
        runner_look(r, now_us);

    r->reap = r->reaper.again; /* an inconclusive look is repeated */
    int64_t times[] = {r->tick_us,
                       r->grace_us,
                       r->held_us ? INT64_MAX : r->slowdown_us,
                       r->starts_us,
                       idle_cores_next_us(&r->idle_cores),
                       r->reap ? now_us + RUNNER_RETRY_US : INT64_MAX};
    int64_t next_us = INT64_MAX;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        next_us = times[i] < next_us ? times[i] : next_us;
    return next_us;
}

/* ---- making and ending ---- */

/* Attempts must not take the last descriptors: we need some to look after those that run. */
static int runner_fd_most(void)
{
    struct rlimit now;

    if (getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur > INT_MAX)
        return INT_MAX;
    int most = (int)now.rlim_cur;
    return most - (most / 8 < RUNNER_SPARE_FDS ? most / 8 : RUNNER_SPARE_FDS);
}

/* Whether SPAWN_LOCK_FD is the lock already: a supervised process has it for its whole life
 * (supervisor_leave). */
static bool runner_has_lock(int lock_fd)
{
    struct stat ours, there;

    return sys_fstat(lock_fd, &ours) == 0 && fstat(SPAWN_LOCK_FD, &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

int runner_init(struct runner *r, const struct runner_options *options)
{
    struct rlimit files;
    sigset_t mask;

    *r = (struct runner){.options = *options,
                         .signal_fd = -1,
                         .null_fd = -1,
                         .descendants.list_fd = -1,
                         .had_lock = runner_has_lock(options->lock_fd),
                         .starts_us = INT64_MAX,
                         .tick_us = INT64_MAX,
                         .grace_us = INT64_MAX,
                         .slowdown_us = INT64_MAX};
    int niceness = getpriority(PRIO_PROCESS, 0) + options->nice;
    if (options->nice && setpriority(PRIO_PROCESS, 0, niceness) < 0)
        return -1;
    if (spawn_prepare(options->lock_fd, &files, &r->null_fd) < 0)
        return -1;
    r->reaper = (struct reaper){&r->processes, &r->descendants, &r->lineage, false};
    r->starter = (struct starter){.shell = options->shell ? options->shell : "/bin/sh",
                                  .workdir = options->workdir,
                                  .hooks = &r->options.hooks,
                                  .lineage = &r->lineage,
                                  .files = files,
                                  .fd_most = runner_fd_most(),
                                  .null_fd = r->null_fd};
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    /* Children that are stopped raise no signal. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    spawn_find_caught(&r->starter.caught);
    if (descendants_init(&r->descendants) < 0 || lineage_init(&r->lineage) < 0)
        return -1;
    r->signal_fd = sys_signalfd(&mask);
    if (r->signal_fd < 0)
        return -1;
    runner_watch(r, r->signal_fd, TAG_SIGNAL);
    return 0;
}

void runner_fini(struct runner *r)
{
    int lock_fd = SPAWN_LOCK_FD;

    for (uint32_t i = 0; i < r->processes.at.count; i++)
        start_forget(&r->processes.at.at[i]);
    process_table_fini(&r->processes);
    start_fini(&r->starter);
    descendants_fini(&r->descendants);
    sys_close(&r->signal_fd);
    sys_close(&r->null_fd);
    if (!r->had_lock)
        sys_close(&lock_fd);
    vec_free(&r->begun);
}
