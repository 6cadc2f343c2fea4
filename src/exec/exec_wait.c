/* exec_wait.c - one wait for everything that can happen, and how a run ends early.
 *
 * Sources of events: the packets of runners, signals, the clock, and answers to decisions that are
 * known at once. Whatever comes with the clock has a place in one list of due times (exec_wait.h);
 * a file that learns of an earlier time says so by exec_due, and is asked when the time has come.
 * Everything that one wake-up finds is one batch; while a batch is being decided and its commits
 * are synced, more accumulates, so batches grow with the load and one sync serves them all.
 *
 * An interrupt does not go through the brain: the run is over, whatever policy it had. Attempts get
 * their grace, their ends are not emitted, and a resumed run finds them without an ending in the
 * journal, just as after a crash. But outputs that have become visible are reported first, to the
 * brain and to all that watch: to the user these tasks are done. */
#include "exec/exec_wait.h"

#include <errno.h>
#include <string.h>

#include "base/os/clock.h"
#include "exec/exec_attempt.h"
#include "exec/exec_commit.h"
#include "exec/exec_control.h"
#include "exec/exec_fail.h"
#include "exec/exec_feed.h"
#include "exec/exec_full.h"
#include "exec/exec_hold.h"
#include "exec/exec_job.h"
#include "exec/exec_launch.h"
#include "exec/exec_node.h"
#include "exec/exec_output.h"
#include "exec/exec_presence.h"
#include "exec/exec_queue.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/process/sys.h"

enum {
    EXEC_EVENTS = 64,
    EXEC_SIGNALS = 8,
    EXEC_FRESH_US = 200,
    /* Looks at the clock in a row that bring no event, with nothing running and nothing to come,
     * until it is a stall. */
    EXEC_IDLE_TURNS = 100,
    /* After a second signal: for runners elsewhere, which end everything by themselves. */
    EXEC_FAREWELL_US = 1000000,
};

void exec_wait_hold(struct exec *x, bool wait)
{
    sigset_t stop;

    if (x->options.supervised || sigismember(&x->old_mask, SIGTSTP))
        return;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigprocmask(wait ? SIG_BLOCK : SIG_UNBLOCK, &stop, NULL);
}

/* The last of those that hold the run and have it go on counts. */
static void exec_signal(struct exec *x, uint32_t sig, bool *held)
{
    if (sig == SIGTSTP || sig == SIGCONT)
        *held = sig == SIGTSTP;
    else
        x->interrupted++;
}

/* Sleeps until something comes in or until the time has come, and takes everything that is there.
 */
static void exec_poll(struct exec *x, int64_t until_us)
{
    struct epoll_event events[EXEC_EVENTS];
    struct signalfd_siginfo signals[EXEC_SIGNALS];
    bool held = false;

    exec_wait_hold(x, true);
    until_us = exec_runner_turn(x, until_us);
    int timeout_ms = clock_timeout_ms(clock_now_us(), until_us);
    int n = sys_epoll_wait(x->epoll_fd, events, EXEC_EVENTS, timeout_ms);
    if (n < 0 && errno != EINTR)
        exec_fail_run(x, "cannot wait for events: %s", strerror(errno));
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 >= EXEC_TAG_GROUPS) {
            exec_runner_event(x, events[i].data.u64);
        } else if (events[i].data.u64 == EXEC_TAG_FEED) {
            exec_feed_read(x);
        } else {
            ssize_t got = read(x->signal_fd, signals, sizeof signals);
            for (size_t k = 0; got > 0 && k < (size_t)got / sizeof *signals; k++)
                exec_signal(x, signals[k].ssi_signo, &held);
        }
    }
    if (held)
        exec_hold(x);
    exec_runner_turn(x, until_us);
    exec_wait_hold(x, false);
    x->wait.polled_us = clock_now_us();
}

static void exec_end_live(struct exec *x, int64_t grace_us)
{
    for (uint32_t i = 0; i < x->attempts.at.count; i++)
        if (attempt_row_lives(exec_row(x, i)))
            exec_attempt_end(x, i, grace_us);
}

/* Until when to wait for the dead. */
static int64_t exec_farewell(const struct exec *x)
{
    return x->options.groups && x->interrupted > 1 ? clock_now_us() + EXEC_FAREWELL_US : INT64_MAX;
}

/* Ends all attempts with grace, or at once when a second signal comes; returns when they are dead.
 */
static int exec_wind_up(struct exec *x, struct err *err)
{
    int seen = x->interrupted;
    int64_t until_us = exec_farewell(x);

    exec_queue_end_all(x);
    exec_presence_due(x, exec_now_us(x));
    exec_end_live(x, seen > 1 ? 0 : x->options.grace_us);
    while (x->attempts.live > 0 && !x->is_aborted && clock_now_us() < until_us) {
        exec_poll(x, until_us);
        if (x->interrupted > seen && !x->is_aborted) {
            seen = x->interrupted;
            until_us = exec_farewell(x);
            exec_end_live(x, 0);
        }
    }
    return err_system(err, "interrupted");
}

static bool exec_has_news_of_commits(const struct exec *x)
{
    for (uint32_t i = 0; i < x->pending.count; i++)
        if (x->pending.at[i].type == EV_COMMITTED)
            return true;
    return false;
}

/* All that was asked for is done, and nothing runs any more. */
static bool exec_is_complete(const struct exec *x)
{
    return x->jobs.open == 0 && !x->jobs.next && !x->feed.open && x->attempts.live == 0 &&
           x->copies.live == 0 && x->commits.count == 0;
}

/* ---- the clock ---- */

static int64_t due_jobs(struct exec *x, int64_t now_us)
{
    while (x->jobs.next && x->jobs.next->submit_us <= now_us && !x->is_aborted)
        exec_job_submit(x);
    return x->jobs.next ? x->jobs.next->submit_us : INT64_MAX;
}

static int64_t due_timers(struct exec *x, int64_t now_us)
{
    uint32_t id;

    while (timers_take(&x->timers, now_us, &id))
        exec_emit(x, EV_TIMER, (struct attempt_ref){0}, NODE_NONE)->u.timer = id;
    return timers_next(&x->timers);
}

/* Written for programs that watch the run. It has no news for the brain, and a run is never kept
 * waiting for it: it comes due only where attempts run. */
static int64_t due_turns(struct exec *x, int64_t now_us)
{
    (void)now_us;
    turn_times_write(&x->turns);
    return INT64_MAX;
}

/* Each sees to what is due at this time of the run, and returns when the next is. */
static int64_t (*const due_calls[EXEC_DUES])(struct exec *x, int64_t now_us) = {
    [EXEC_DUE_JOB] = due_jobs,           [EXEC_DUE_TIMER] = due_timers,
    [EXEC_DUE_TICK] = exec_control_tick, [EXEC_DUE_LIMIT] = exec_control_limits,
    [EXEC_DUE_DOOM] = exec_control_doom, [EXEC_DUE_NODE] = exec_control_nodes,
    [EXEC_DUE_OWED] = exec_presence_due, [EXEC_DUE_LOOK] = exec_full_due,
    [EXEC_DUE_LAUNCH] = exec_launch_due, [EXEC_DUE_COMMIT] = exec_commit_due,
    [EXEC_DUE_TURNS] = due_turns,
};

/* Sees to whatever the clock brings. Returns when it brings the next, by the monotonic clock. */
static int64_t wait_due(struct exec *x)
{
    int64_t now_us = exec_now_us(x), next_us = INT64_MAX;

    for (uint32_t i = 0; i < EXEC_DUES; i++)
        if (x->wait.due_us[i] <= now_us) {
            x->wait.due_us[i] = INT64_MAX;
            exec_due(x, i, due_calls[i](x, now_us));
        }
    for (uint32_t i = 0; i < EXEC_DUES; i++)
        next_us = x->wait.due_us[i] < next_us ? x->wait.due_us[i] : next_us;
    return next_us == INT64_MAX ? INT64_MAX : x->start_us + next_us;
}

/* ---- the wait ---- */

/* 0 when the run is complete, -1 with *err when it never will be, else 1. A timer that is set is
 * waited for, however often something wakes us meanwhile that is no event (agents tell each second
 * that they live); what follows from one that has come is up to the brain. */
static int exec_hope(struct exec *x, int64_t next_us, bool woken, struct err *err)
{
    if (x->pending.count || x->attempts.live || x->copies.live || x->commits.count ||
        x->jobs.next || x->feed.open || exec_control_hopes(x)) {
        x->wait.idle_turns = 0;
        return 1;
    }
    if (x->jobs.open == 0)
        return 0;
    if (woken && timers_next(&x->timers) != INT64_MAX)
        return 1;
    if (next_us == INT64_MAX || ++x->wait.idle_turns > EXEC_IDLE_TURNS)
        return exec_job_stalled(x, err);
    return 1;
}

/* A start is told together with what comes next, and the coordinator may be busy: the event says
 * how long ago it was. Until now it had the time of the start by our clock. */
static void exec_date_starts(struct exec *x)
{
    for (uint32_t i = 0; i < x->wait.batch.count; i++) {
        struct event *e = &x->wait.batch.at[i];
        if (e->type != EV_ATTEMPT_STARTED)
            continue;
        int64_t launched_us = exec_row(x, attempt_table_find(&x->attempts, e->at))->launched_us;
        e->u.late_us = x->wait.batch_us + x->start_us - e->u.late_us;
        e->u.late_us = x->wait.batch_us - event_started_us(e, x->wait.batch_us, launched_us);
    }
}

static void exec_hand_out(struct exec *x, struct batch *batch)
{
    struct exec_events old = x->wait.batch;
    int64_t now_us = exec_now_us(x);

    exec_output_free_partitions(&old);
    vec_clear(&old);
    x->wait.batch = x->pending;
    x->pending = old;
    if (now_us > x->wait.batch_us)
        x->wait.batch_us = now_us;
    exec_date_starts(x);
    *batch = (struct batch){x->wait.batch_us, x->wait.batch.at, x->wait.batch.count, NULL};
    turn_times_begin(&x->turns, clock_now_us());
}

/* What the coordinator did since it handed out events is over: it waits. */
static void exec_turn_over(struct exec *x)
{
    turn_times_end(&x->turns, clock_now_us());
    if (x->turns.unwritten && x->attempts.live > 0)
        exec_due(x, EXEC_DUE_TURNS, exec_now_us(x) + TURN_TIMES_EVERY_US);
}

/* Whether the event may lead to the end of a job that is not done. */
static bool exec_threatens(const struct event *e)
{
    return e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LAUNCH_FAILED ||
           e->type == EV_ATTEMPT_LOST || e->type == EV_NODE_DOWN || e->type == EV_OUTPUT_LOST ||
           e->type == EV_COMMIT_FAILED || e->type == EV_JOB_CANCELLED;
}

/* Commits what waits for others, if one of the events could have it discarded, and tells of that
 * before them. */
static void exec_settle(struct exec *x)
{
    struct exec_events later = x->pending;
    uint32_t i = 0;

    while (i < later.count && !exec_threatens(&later.at[i]))
        i++;
    if (i == later.count || x->commits.count == 0)
        return;
    x->pending = (struct exec_events){0};
    exec_commit_all(x);
    for (i = 0; i < later.count; i++)
        vec_push(&x->pending, later.at[i]);
    vec_free(&later);
}

/* Ends a run that was interrupted, as exec_wait. Its nodes take nothing new meanwhile. */
static int exec_part(struct exec *x, struct batch *batch, struct err *err)
{
    exec_commit_all(x);
    if (x->is_aborted) {
        *err = x->aborted;
        return -1;
    }
    if (!exec_has_news_of_commits(x))
        return exec_is_complete(x) ? 0 : exec_wind_up(x, err);
    exec_node_pause(x, true);
    exec_hand_out(x, batch);
    return 1;
}

int exec_wait(void *body, struct batch *batch, struct err *err)
{
    struct exec *x = body;
    bool woken = false;

    exec_turn_over(x);
    if (x->interrupted && !x->is_aborted)
        return exec_part(x, batch, err);
    do {
        int64_t next_us = wait_due(x);
        if (exec_full_stop(x, err) < 0)
            return -1;
        int hope = x->is_aborted ? 1 : exec_hope(x, next_us, woken, err);
        if (hope <= 0)
            return hope;
        bool more = x->pending.count > 0;
        /* After a look a moment ago we hand out what there is without another. */
        if (!x->is_aborted && !(more && clock_now_us() - x->wait.polled_us < EXEC_FRESH_US))
            exec_poll(x, more ? 0 : next_us);
        if (x->is_aborted) {
            *err = x->aborted;
            return -1;
        }
        if (x->interrupted)
            return exec_part(x, batch, err);
        woken = true;
    } while (x->pending.count == 0);
    exec_settle(x);
    exec_hand_out(x, batch);
    return 1;
}
