/* runner.c - attempts from their launch to their burial.
 *
 * One epoll, which is the caller's: SIGCHLD as a descriptor, and one progress pipe per attempt,
 * which stays where it is when the next attempt takes the place. A descriptor per process (pidfd)
 * was tried and left: orphans become our children without being opened by anybody, so SIGCHLD and
 * "wait for any" are needed anyway, and then they are enough.
 *
 * System calls that fail are answered in packets where they concern one attempt, tried again
 * shortly where they concern the dead, and otherwise are the end (`fatal`). */
#include "runner/runner.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "runner/clock.h"
#include "runner/slowdown.h"
#include "runner/sys.h"

enum {
    CREW_RETRY_US = 2000, /* after an inconclusive look at the dead */
    CREW_LAG_US = 5000,   /* news that can wait for others wait so long */
    CREW_SPARE_FDS = 64,  /* for everything but attempts */
};

enum { SOURCE_SIGNAL, SOURCE_WARDS }; /* of epoll, from options.source on: SOURCE_WARDS + index */

static void crew_watch(struct runner *c, int fd, uint64_t source)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = c->options.source + source};

    if (sys_epoll_ctl(c->options.epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
        c->options.fatal(c->options.ctx, "epoll_ctl");
}

static void crew_say(struct runner *c, const struct packet *m)
{
    c->options.hear(c->options.ctx, m);
}

/* ---- what the coordinator asks for ---- */

/* Queues the starts that are certain by now. */
static void crew_starts(struct runner *c)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < c->begun.count; i++) {
        struct process *ward = &c->wards.at.at[c->begun.at[i]];
        struct packet m = {.type = PACKET_STARTED, .handle = ward->handle};
        if (!start_done(ward))
            c->begun.at[left++] = c->begun.at[i];
        else
            crew_say(c, &m);
    }
    c->begun.count = left;
}

static void crew_launch(struct runner *c, const struct packet *m)
{
    struct process *ward = processes_add(&c->wards, m->handle);
    bool watched = ward->progress_fd >= 0;

    if (start_process(&c->launcher, &c->wards, ward, m) < 0) {
        struct packet answer = {
            .type = PACKET_LAUNCH_FAILED, .handle = m->handle, .u.error = errno};
        if (!watched) { /* a pipe that nobody listens to must not be had by the next */
            sys_close(&ward->progress_fd);
            sys_close(&ward->pipe_fd);
        }
        processes_remove(&c->wards, ward);
        crew_say(c, &answer);
        return;
    }
    uint32_t index = processes_index(&c->wards, ward);
    if (!watched)
        crew_watch(c, ward->progress_fd, SOURCE_WARDS + index);
    if (ward->stdin_fd >= 0 && c->tick_us == INT64_MAX)
        c->tick_us = clock_now_us() + RUNNER_REPORT_US;
    ward->extra = m->u.launch.extra;
    idle_cores_launched(&c->spare, &c->wards, ward, ward->started_us);
    ward->slow_milli = m->u.launch.slow_milli;
    ward->since_us = ward->started_us;
    if (ward->slow_milli)
        c->drag_us = 0;
    /* A short attempt's start and end are told in one breath: that saves a wake-up of the
     * coordinator for each. */
    vec_push(&c->begun, index);
}

static void crew_kill(struct runner *c, const struct packet *m)
{
    struct process *ward = processes_by_handle(&c->wards, m->handle);

    if (!ward)
        return;
    reaper_kill(&c->reaper, ward, clock_now_us(), m->u.grace_us);
    c->bury = true;
    if (ward->kill_at_us < c->grace_us)
        c->grace_us = ward->kill_at_us;
}

void runner_order(struct runner *c, const struct packet *m)
{
    if (m->type == PACKET_LAUNCH)
        crew_launch(c, m);
    else if (m->type == PACKET_KILL)
        crew_kill(c, m);
}

/* ---- progress ---- */

/* What the dead left in the pipe is of no use. */
static void crew_drain(struct process *ward)
{
    char text[4096];

    /* As often as the pipe is long, should somebody have hidden well enough to go on writing. */
    for (int i = 0; i < 16; i++)
        if (read(ward->progress_fd, text, sizeof text) < (ssize_t)sizeof text)
            return;
}

static void crew_read(struct runner *c, struct process *ward)
{
    char text[4096];

    if (ward->state == WARD_FREE) { /* an event from before its end */
        crew_drain(ward);
        return;
    }
    ssize_t n = sys_read(ward->progress_fd, text, sizeof text);
    if (n > 0 && progress_feed(&ward->progress, text, (size_t)n) && c->tick_us == INT64_MAX)
        c->tick_us = clock_now_us() + RUNNER_REPORT_US;
}

static int64_t crew_taken(const struct process *ward)
{
    off_t at = ward->stdin_fd >= 0 ? sys_lseek(ward->stdin_fd, 0, SEEK_CUR) : 0;
    return at > 0 ? at : 0;
}

/* Reports whoever has moved. What a task says counts for more than what it has read. */
static void crew_tick(struct runner *c)
{
    bool again = false;

    crew_starts(c);
    for (uint32_t i = 0; i < c->wards.at.count; i++) {
        struct process *ward = &c->wards.at.at[i];
        struct packet m = {.type = PACKET_PROGRESS, .handle = ward->handle};
        if (ward->state != WARD_RUNNING || !start_done(ward))
            continue;
        bool says = ward->progress.total > 0;
        if (!says && ward->stdin_fd < 0)
            continue;
        m.u.progress.done = says ? ward->progress.done : crew_taken(ward);
        m.u.progress.total = says ? ward->progress.total : ward->stdin_bytes;
        again |= !says;
        if (m.u.progress.done == ward->told_done && m.u.progress.total == ward->told_total)
            continue;
        ward->told_done = m.u.progress.done;
        ward->told_total = m.u.progress.total;
        again = true;
        crew_say(c, &m);
    }
    c->tick_us = again ? clock_now_us() + RUNNER_REPORT_US : INT64_MAX;
}

/* ---- ends ---- */

/* Its start was not told, and will not be. */
static void crew_unsay(struct runner *c, uint32_t index)
{
    for (uint32_t i = 0; i < c->begun.count; i++)
        if (c->begun.at[i] == index)
            c->begun.at[i--] = c->begun.at[--c->begun.count];
}

static void crew_ended(void *ctx, struct process *ward)
{
    struct runner *c = ctx;
    struct packet m = {.handle = ward->handle};
    int error = start_failure(ward);

    if (error) {
        crew_unsay(c, processes_index(&c->wards, ward));
        m.type = PACKET_LAUNCH_FAILED;
        m.u.error = error;
    } else {
        m.type = ward->killed ? PACKET_KILLED : PACKET_EXITED;
        m.u.end = ward->end;
        m.u.end.wall_us = clock_now_us() - ward->started_us;
        m.u.end.read_bytes = crew_taken(ward);
        const struct runner_hooks *hooks = c->options.hooks;
        if (!ward->killed && hooks->ended)
            hooks->ended(hooks->ctx, hooks->ended_fd, start_dir(ward), &m.u.end);
        idle_cores_ended(&c->spare, ward, &m.u.end);
    }
    crew_starts(c);
    crew_say(c, &m);
    crew_drain(ward);
    processes_remove(&c->wards, ward);
}

static void crew_bury(struct runner *c)
{
    struct signalfd_siginfo sink[8];

    (void)!read(c->signal_fd, sink, sizeof sink); /* one of a kind waits at most */
    c->bury = c->reaper.again = false;
    reaper_dead(&c->reaper);
    reaper_sweep(&c->reaper, crew_ended, c);
}

/* ---- the turn ---- */

void runner_event(struct runner *c, uint64_t source)
{
    if (source == c->options.source + SOURCE_SIGNAL)
        c->bury = true;
    else
        crew_read(c, &c->wards.at.at[source - c->options.source - SOURCE_WARDS]);
}

/* Says what has waited for long enough. */
static void crew_speak(struct runner *c, int64_t now_us)
{
    if (now_us >= c->say_us) {
        crew_starts(c);
        c->say_us = INT64_MAX;
    }
    if (c->begun.count == 0)
        c->say_us = INT64_MAX;
    else if (c->say_us == INT64_MAX)
        c->say_us = now_us + CREW_LAG_US;
}

int64_t runner_turn(struct runner *c)
{
    int64_t now_us = clock_now_us();

    if (now_us >= c->grace_us) {
        c->grace_us = reaper_overdue(&c->reaper, now_us);
        c->bury = true;
    }
    if (c->bury)
        crew_bury(c);
    if (now_us >= c->tick_us)
        crew_tick(c);
    if (now_us >= c->drag_us)
        c->drag_us = slowdown_all(&c->wards, now_us);
    crew_speak(c, now_us);
    struct packet cores;
    if (idle_cores_look(&c->spare, &c->wards, now_us, &cores))
        crew_say(c, &cores);

    int64_t next_us = c->tick_us < c->grace_us ? c->tick_us : c->grace_us;
    if (c->drag_us < next_us)
        next_us = c->drag_us;
    if (c->say_us < next_us)
        next_us = c->say_us;
    if (c->spare.on && c->spare.next_us < next_us)
        next_us = c->spare.next_us;
    /* A look that told nothing is repeated. */
    c->bury = c->reaper.again;
    if (c->bury && now_us + CREW_RETRY_US < next_us)
        next_us = now_us + CREW_RETRY_US;
    return next_us;
}

/* Attempts must not take the last descriptors: we need some to see to those that run. */
static int crew_fd_most(void)
{
    struct rlimit now;

    if (getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur > INT_MAX)
        return INT_MAX;
    int most = (int)now.rlim_cur;
    return most - (most / 8 < CREW_SPARE_FDS ? most / 8 : CREW_SPARE_FDS);
}

int runner_init(struct runner *c, const struct runner_options *options)
{
    sigset_t mask;

    *c = (struct runner){.options = *options,
                         .signal_fd = -1,
                         .tree.list_fd = -1,
                         .say_us = INT64_MAX,
                         .tick_us = INT64_MAX,
                         .grace_us = INT64_MAX,
                         .drag_us = INT64_MAX};
    c->reaper = (struct reaper){&c->wards, &c->tree, &c->kin, false};
    c->launcher = (struct starter){.shell = options->shell ? options->shell : "/bin/sh",
                                   .workdir = options->workdir,
                                   .kin = &c->kin,
                                   .files = options->files,
                                   .fd_most = crew_fd_most(),
                                   .null_fd = options->null_fd};
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    /* Stopping somebody is no news. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    if (descendants_init(&c->tree) < 0 || lineage_init(&c->kin) < 0)
        return -1;
    c->signal_fd = sys_signalfd(&mask);
    if (c->signal_fd < 0)
        return -1;
    crew_watch(c, c->signal_fd, SOURCE_SIGNAL);
    return 0;
}

void runner_fini(struct runner *c)
{
    for (uint32_t i = 0; i < c->wards.at.count; i++)
        start_forget(&c->wards.at.at[i]);
    processes_fini(&c->wards);
    starter_fini(&c->launcher);
    descendants_fini(&c->tree);
    sys_close(&c->signal_fd);
    vec_free(&c->begun);
}
