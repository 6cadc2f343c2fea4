/* exec.c - the coordinator's side of body 2: making it, ending it, and what decisions lead to.
 *
 * The coordinator is single-threaded and starts no attempt itself: launches and kills are packets
 * to runners (exec_runner.c). All waiting happens in exec_wait.c, all syncing in exec_commit.c. */
#include "exec/exec.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/check.h"
#include "base/os/clock.h"
#include "exec/exec_attempt.h"
#include "exec/exec_commit.h"
#include "exec/exec_control.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_job.h"
#include "exec/exec_launch.h"
#include "exec/exec_node.h"
#include "exec/exec_output.h"
#include "exec/exec_packets.h"
#include "exec/exec_presence.h"
#include "exec/exec_reads.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/exec_wait.h"
#include "exec/folder/run_dir.h"
#include "exec/process/sys.h"

bool exec_interrupted(const struct exec *x)
{
    return x->interrupted > 0;
}

const char *exec_failure(const struct exec *x)
{
    return x->jobs.failure;
}

/* ---- what the user may do ---- */

void exec_cancel(struct exec *x, struct job_id job)
{
    struct exec_job *j = exec_job_find(x, job);

    if (j && !j->over)
        exec_emit(x, EV_JOB_CANCELLED, (struct attempt_ref){.job = job}, NODE_NONE);
}

void exec_pause(struct exec *x, bool pause)
{
    exec_node_pause(x, pause);
}

void exec_limit(struct exec *x, int64_t limit_us)
{
    check(x->options.timed);
    x->control.limit_us = limit_us;
    exec_due(x, EXEC_DUE_LIMIT, 0);
}

/* ---- making ---- */

/* Blocks the signals that end a run or hold it (exec_hold.c), so that they can be waited for;
 * ignored ones stay ignored. */
static int exec_catch(struct exec *x)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
    sigset_t mask;
    struct sigaction now;

    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&mask, signals[i]);
    if (x->options.supervised)
        sigaddset(&mask, SIGCONT);
    sigprocmask(SIG_BLOCK, &mask, &x->old_mask);
    exec_wait_hold(x, false);
    x->signal_fd = sys_signalfd(&mask);
    return x->signal_fd < 0 ? -1 : 0;
}

static int exec_open(struct exec *x, struct err *err)
{
    x->dir = run_dir_open(x->options.dir, &x->lock_fd, err);
    x->dirs.run = x->dir;
    if (!x->dir || exec_job_draw(x, err) < 0)
        return -1;
    turn_times_open(&x->turns, x->options.scratch ? NULL : x->dir);
    if (exec_catch(x) < 0)
        return err_system(err, "cannot prepare for signals: %s", strerror(errno));
    x->epoll_fd = sys_epoll_create();
    if (x->epoll_fd < 0 || exec_watch(x, EPOLL_CTL_ADD, x->signal_fd, EXEC_TAG_SIGNAL) < 0)
        return err_system(err, "cannot wait for events: %s", strerror(errno));
    if (x->options.hooks && x->options.hooks->feed) {
        if (exec_watch(x, EPOLL_CTL_ADD, x->options.hooks->feed_fd, EXEC_TAG_FEED) < 0)
            return err_system(err, "cannot wait for input: %s", strerror(errno));
        x->feed.open = true;
    }
    return exec_runner_open(x, &exec_packets, err);
}

struct exec *exec_create(const struct exec_options *options, struct err *err)
{
    struct exec *x = mem_zalloc(1, sizeof *x);

    x->options = *options;
    x->lock_fd = x->epoll_fd = x->signal_fd = x->turns.fd = -1;
    x->full.seen_us = x->full.extra_us = -1;
    for (uint32_t i = 0; i < EXEC_DUES; i++)
        x->wait.due_us[i] = INT64_MAX;
    if (options->lock_fd > 0)
        x->lock_fd = options->lock_fd;
    sigprocmask(SIG_BLOCK, NULL, &x->old_mask);
    if (exec_open(x, err) < 0) {
        exec_destroy(x);
        return NULL;
    }
    if (!options->again)
        exec_presence_first(x);
    x->start_us = clock_now_us();
    exec_control_init(x);
    return x;
}

int64_t exec_clock_us(const struct exec *x)
{
    return exec_now_us(x);
}

void exec_destroy(struct exec *x)
{
    if (!x)
        return;
    exec_runner_close(x);
    turn_times_close(&x->turns);
    if (x->dir) {
        attempt_dirs_clear_spare(&x->dirs);
        rmdir(path_of("%s/attempts", x->dir)
                  .text); /* unless a failed attempt's stderr is kept there */
    }
    if (x->options.lock_fd <= 0)
        sys_close(&x->lock_fd);
    sys_close(&x->epoll_fd);
    sys_close(&x->signal_fd);
    sigprocmask(SIG_SETMASK, &x->old_mask, NULL);
    exec_job_fini(x);
    exec_control_fini(x);
    attempt_table_fini(&x->attempts);
    vec_free(&x->timers.at);
    vec_free(&x->queue);
    vec_free(&x->commits);
    sync_files_fini(&x->commits.files);
    vec_free(&x->presence.owed);
    vec_free(&x->launch.env);
    vec_free(&x->reads.told);
    vec_free(&x->reads.again);
    vec_free(&x->copies);
    attempt_dirs_fini(&x->dirs);
    exec_output_free_partitions(&x->pending);
    exec_output_free_partitions(&x->wait.batch);
    vec_free(&x->pending);
    vec_free(&x->wait.batch);
    mem_free(x->dir);
    mem_free(x);
}

/* ---- performing ---- */

/* Decisions that are about one attempt. */
static void exec_perform_attempt(struct exec *x, const struct decision *d)
{
    uint32_t handle = attempt_table_find(&x->attempts, d->at);

    if (handle == ATTEMPT_TABLE_NONE)
        exec_fail_decision(x, d, CAUSE_UNKNOWN_ATTEMPT);
    else if (d->type == DO_KILL)
        exec_attempt_kill(x, d, handle);
    else if (d->type == DO_COMMIT)
        exec_commit(x, d, handle);
    else if (d->type == DO_ASSIGN_READ && x->options.data)
        exec_reads_assign(x, d, handle);
    else if (d->type == DO_ASSIGN_READ)
        exec_launch_assign_read(x, d, handle);
    else if (d->type == DO_DISCARD_OUTPUT)
        exec_commit_discard(x, d, handle);
    else
        exec_attempt_withdraw(x, d, handle);
}

static void exec_perform_one(struct exec *x, const struct decision *d)
{
    check(decision_is_type(d->type));
    switch ((enum decision_type)d->type) {
    case DO_LAUNCH:
        exec_launch(x, d);
        break;
    case DO_WITHDRAW:
    case DO_KILL:
    case DO_COMMIT:
    case DO_ASSIGN_READ:
    case DO_DISCARD_OUTPUT:
        exec_perform_attempt(x, d);
        break;
    case DO_REPLICATE:
        exec_copy_make(x, d);
        break;
    case DO_SET_TIMER:
        timers_set(&x->timers, d->u.timer.id, d->u.timer.at_us);
        exec_due(x, EXEC_DUE_TIMER, d->u.timer.at_us);
        break;
    case DO_JOB_DONE:
    case DO_JOB_FAILED:
        exec_job_end(x, d);
        break;
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
    exec_due(x, EXEC_DUE_COMMIT, exec_commit_due(x, exec_now_us(x)));
}

const struct body_ops exec_body = {exec_wait, exec_perform};
