/* exec.c - the coordinator's side of body 2: one wait for everything that can happen.
 *
 * Sources of events: the guardian's packets, signals, the clock (timers, jobs whose time has come),
 * and answers to decisions that are known at once. Everything that one wake-up finds is one batch;
 * while a batch is being decided and its commits are synced, more accumulates, so batches grow with
 * the load and one sync serves them all.
 *
 * The coordinator is single-threaded and starts no process but the guardian. It is a subreaper, too:
 * if the guardian is killed, the processes it left come to us, we end them, and the run fails.
 *
 * An interrupt does not go through the brain: the run is over, whatever policy it had. Attempts get
 * their grace, nothing is told of their ends, and whoever resumes finds them without an ending in
 * the journal, just as after a crash. */
#include "exec/exec.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "exec/clock.h"
#include "exec/exec_state.h"
#include "exec/guardian.h"
#include "exec/place.h"
#include "exec/sys.h"

enum {
    EXEC_EVENTS = 8,
    /* Turns of nothing but timers, with nothing running and nothing to come, until it is called a stall. */
    EXEC_IDLE_TURNS = 100,
};

enum { SOURCE_LINK, SOURCE_SIGNAL };

/* ---- telling ---- */

struct event *exec_tell(struct exec *x, uint8_t type, struct attempt_ref at, struct node_id node)
{
    vec_push(&x->told, ((struct event){.type = type, .at = at, .node = node}));
    return &x->told.at[x->told.count - 1];
}

void exec_refuse(struct exec *x, const struct decision *d, uint8_t cause)
{
    struct event *e = exec_tell(x, EV_REFUSED, d->at, d->node);

    e->cause = cause;
    e->u.refused.decision = d->id;
    e->u.refused.decision_type = d->type;
}

void exec_break(struct exec *x, const char *format, ...)
{
    va_list args;

    if (x->is_broken)
        return;
    x->is_broken = true;
    x->broken.kind = ERR_SYSTEM;
    va_start(args, format);
    vsnprintf(x->broken.text, sizeof x->broken.text, format, args);
    va_end(args);
}

int exec_say(struct exec *x, const struct packet *p)
{
    if (link_send(&x->link, p) == 0)
        return 0;
    if (errno == EMSGSIZE)
        return -1;
    if (errno != EPIPE && errno != ECONNRESET) /* those two come with an end that says more */
        exec_break(x, "cannot speak to the guardian process: %s", strerror(errno));
    return 0;
}

uint8_t exec_cause(int error)
{
    return error == ENOSPC || error == EDQUOT ? CAUSE_DISK_FULL : CAUSE_SYSTEM;
}

bool exec_interrupted(const struct exec *x)
{
    return x->interrupted > 0;
}

const char *exec_failure(const struct exec *x)
{
    return x->failure;
}

/* ---- making ---- */

/* Blocks the signals that end a run, so that they can be waited for; ignored ones stay ignored. */
static int exec_catch(struct exec *x)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t mask;
    struct sigaction now;

    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&mask, signals[i]);
    sigprocmask(SIG_BLOCK, &mask, &x->old_mask);
    x->signal_fd = sys_signalfd(&mask);
    return x->signal_fd < 0 ? -1 : 0;
}

static int exec_watch(struct exec *x, int op, int fd, uint32_t events, uint64_t source)
{
    struct epoll_event e = {.events = events, .data.u64 = source};
    return sys_epoll_ctl(x->epoll_fd, op, fd, &e);
}

static int exec_open(struct exec *x, struct err *err)
{
    int fd;

    x->dir = place_open(x->options.dir, &x->lock_fd, err);
    if (!x->dir || exec_job_draw(x, err) < 0)
        return -1;
    if (exec_catch(x) < 0 || tree_init(&x->tree) < 0)
        return err_system(err, "cannot prepare for signals and orphans: %s", strerror(errno));
    struct guardian_options options = {x->lock_fd, x->options.shell};
    x->guardian = guardian_start(&options, &fd, err);
    if (x->guardian < 0)
        return -1;
    link_init(&x->link, fd);
    x->epoll_fd = sys_epoll_create();
    if (x->epoll_fd < 0 || exec_watch(x, EPOLL_CTL_ADD, fd, EPOLLIN, SOURCE_LINK) < 0 ||
        exec_watch(x, EPOLL_CTL_ADD, x->signal_fd, EPOLLIN, SOURCE_SIGNAL) < 0)
        return err_system(err, "cannot wait for events: %s", strerror(errno));
    return 0;
}

static void exec_tell_nodes(struct exec *x)
{
    const struct cluster *cluster = x->options.cluster;

    for (uint32_t i = 0; i < cluster->node_count; i++) {
        struct event *e =
            exec_tell(x, EV_NODE_UP, (struct attempt_ref){0}, (struct node_id){i});
        e->u.node.capacity = cluster->nodes[i].capacity;
        e->u.node.rack = cluster->nodes[i].rack;
        e->u.node.name = cluster->nodes[i].name;
    }
}

struct exec *exec_create(const struct exec_options *options, struct err *err)
{
    struct exec *x = mem_zalloc(1, sizeof *x);

    x->options = *options;
    x->lock_fd = x->epoll_fd = x->signal_fd = x->link.fd = x->tree.list_fd = -1;
    x->guardian = -1;
    sigprocmask(SIG_BLOCK, NULL, &x->old_mask);
    if (exec_open(x, err) < 0) {
        exec_destroy(x);
        return NULL;
    }
    exec_tell_nodes(x);
    x->start_us = clock_now_us();
    return x;
}

/* Ends the guardian, if there is one, and all that is left after it. Returns its wait status. */
static int exec_dismiss(struct exec *x)
{
    int status = 0;

    link_fini(&x->link);
    while (x->guardian > 0 && wait4(x->guardian, &status, 0, NULL) < 0 && errno == EINTR)
        ;
    x->guardian = -1;
    if (x->tree.self)
        tree_end_all(&x->tree);
    return status;
}

void exec_destroy(struct exec *x)
{
    char path[PATH_MAX];

    if (!x)
        return;
    exec_dismiss(x);
    if (x->dir) {
        for (uint32_t i = 0; i < x->spares.count; i++)
            place_clear(x->dir, x->spares.at[i], false);
        snprintf(path, sizeof path, "%s/attempts", x->dir);
        rmdir(path); /* unless a failed attempt's stderr is kept there */
    }
    sys_close(&x->lock_fd);
    sys_close(&x->epoll_fd);
    sys_close(&x->signal_fd);
    tree_fini(&x->tree);
    sigprocmask(SIG_SETMASK, &x->old_mask, NULL);
    exec_job_fini(x);
    roster_fini(&x->roster);
    vec_free(&x->alarms.at);
    vec_free(&x->commits);
    vec_free(&x->env);
    vec_free(&x->spares);
    vec_free(&x->told);
    vec_free(&x->batch);
    mem_free(x->dir);
    mem_free(x);
}

/* ---- waiting ---- */

/* The conversation has ended although we did not end it. */
static void exec_lost_guardian(struct exec *x, int error)
{
    if (error)
        exec_break(x, "the conversation with the guardian process broke: %s", strerror(error));
    int status = exec_dismiss(x);
    if (x->fatal[0])
        exec_break(x, "the guardian process could not go on: %s; every attempt was ended",
                   x->fatal);
    else if (WIFSIGNALED(status))
        exec_break(x, "the guardian process was killed by signal %d; every attempt was ended",
                   WTERMSIG(status));
    else
        exec_break(x, "the guardian process left with status %d; every attempt was ended",
                   WEXITSTATUS(status));
}

static void exec_listen(struct exec *x)
{
    struct packet p;
    int got;

    if (link_flush(&x->link) < 0 && errno != EPIPE && errno != ECONNRESET)
        exec_break(x, "cannot speak to the guardian process: %s", strerror(errno));
    while ((got = link_receive(&x->link, &p)) > 0)
        exec_hear(x, &p);
    if (got < 0)
        exec_lost_guardian(x, errno == ECONNRESET ? 0 : errno);
}

/* Sleeps until something comes in or until the time has come, and takes everything that is there. */
static void exec_poll(struct exec *x, int64_t until_us)
{
    struct epoll_event events[EXEC_EVENTS];
    struct signalfd_siginfo signals[EXEC_EVENTS];

    if (link_waiting(&x->link) != x->writing) {
        x->writing = !x->writing;
        if (exec_watch(x, EPOLL_CTL_MOD, x->link.fd, EPOLLIN | (x->writing ? EPOLLOUT : 0u),
                       SOURCE_LINK) < 0)
            exec_break(x, "cannot wait for events: %s", strerror(errno));
    }
    int timeout_ms = clock_timeout_ms(clock_now_us(), until_us);
    int n = sys_epoll_wait(x->epoll_fd, events, EXEC_EVENTS, timeout_ms);
    if (n < 0 && errno != EINTR)
        exec_break(x, "cannot wait for events: %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 == SOURCE_LINK) {
            exec_listen(x);
        } else {
            ssize_t got = read(x->signal_fd, signals, sizeof signals);
            x->interrupted += got > 0 ? (int)((size_t)got / sizeof *signals) : 0;
        }
    }
}

static void exec_end_live(struct exec *x, int64_t grace_us)
{
    for (uint32_t i = 0; i < x->roster.at.count; i++) {
        struct packet p = {.type = PACKET_KILL, .handle = i, .u.grace_us = grace_us};
        if (entry_lives(&x->roster.at.at[i]))
            exec_say(x, &p);
    }
}

/* Ends all attempts with grace, or at once when a second signal comes; returns when they are dead. */
static int exec_wind_up(struct exec *x, struct err *err)
{
    int seen = x->interrupted;

    exec_end_live(x, seen > 1 ? 0 : x->options.grace_us);
    while (x->roster.live > 0 && !x->is_broken) {
        exec_poll(x, INT64_MAX);
        if (x->interrupted > seen && !x->is_broken) {
            seen = x->interrupted;
            exec_end_live(x, 0);
        }
    }
    return err_system(err, "interrupted");
}

/* Whatever the clock brings. Returns when it brings the next. */
static int64_t exec_due(struct exec *x)
{
    int64_t now_us = clock_now_us() - x->start_us;
    uint32_t id;

    while (x->next_job && x->next_job->submit_us <= now_us && !x->is_broken)
        exec_job_submit(x);
    while (alarms_take(&x->alarms, now_us, &id))
        exec_tell(x, EV_TIMER, (struct attempt_ref){0}, NODE_NONE)->u.timer = id;
    int64_t next_us = alarms_next(&x->alarms);
    if (x->next_job && x->next_job->submit_us < next_us)
        next_us = x->next_job->submit_us;
    return next_us == INT64_MAX ? INT64_MAX : x->start_us + next_us;
}

/* 0 when the run is complete, -1 with *err when it never will be, else 1. */
static int exec_hope(struct exec *x, int64_t next_us, struct err *err)
{
    if (x->told.count || x->roster.live || x->next_job) {
        x->idle_turns = 0;
        return 1;
    }
    if (x->jobs_open == 0)
        return 0;
    if (next_us == INT64_MAX || ++x->idle_turns > EXEC_IDLE_TURNS)
        return exec_job_stalled(x, err);
    return 1;
}

static int exec_wait(void *body, struct batch *batch, struct err *err)
{
    struct exec *x = body;

    do {
        int64_t next_us = exec_due(x);
        int hope = x->is_broken ? 1 : exec_hope(x, next_us, err);
        if (hope <= 0)
            return hope;
        if (!x->is_broken)
            exec_poll(x, x->told.count ? 0 : next_us);
        if (x->is_broken) {
            *err = x->broken;
            return -1;
        }
        if (x->interrupted)
            return exec_wind_up(x, err);
    } while (x->told.count == 0);

    struct exec_events old = x->batch;
    x->batch = x->told;
    x->told = old;
    vec_clear(&x->told);
    *batch = (struct batch){clock_now_us() - x->start_us, x->batch.at, x->batch.count};
    return 1;
}

/* ---- performing ---- */

static void exec_perform_one(struct exec *x, const struct decision *d)
{
    check(d->type > 0 && d->type < DO_TYPE_END);
    switch ((enum decision_type)d->type) {
    case DO_LAUNCH:
        exec_launch(x, d);
        break;
    case DO_WITHDRAW:
        exec_withdraw(x, d);
        break;
    case DO_KILL:
        exec_kill(x, d);
        break;
    case DO_COMMIT:
        exec_commit(x, d);
        break;
    case DO_ASSIGN_READ:
        exec_assign_read(x, d);
        break;
    case DO_DISCARD_OUTPUT:
        exec_discard(x, d);
        break;
    case DO_REPLICATE: { /* one machine has one disk */
        struct event *e = exec_tell(x, EV_REPLICA_FAILED, d->at, d->node);
        e->cause = CAUSE_SYSTEM;
        e->detail = ENOTSUP;
        break;
    }
    case DO_SET_TIMER:
        alarms_set(&x->alarms, d->u.timer.id, d->u.timer.at_us);
        break;
    case DO_CANCEL_TIMER:
        alarms_cancel(&x->alarms, d->u.timer.id);
        break;
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        exec_job_end(x, d);
        break;
    case DO_REVOKE_READ: /* a command that has started reads what it likes */
    case DO_AVOID_NODE:
    case DO_VERDICT:
    case DO_TYPE_END:
        break;
    }
}

static void exec_perform(void *body, const struct decision *at, uint32_t count)
{
    struct exec *x = body;

    for (uint32_t i = 0; i < count; i++)
        exec_perform_one(x, &at[i]);
    /* Last, because syncing takes long: launches and kills are on their way by now. */
    exec_commit_all(x);
}

const struct body_ops exec_body = {"exec", exec_wait, exec_perform};
