/* exec_attempt.c - from requests to packets, and from packets to events.
 *
 * A runner answers every launch and reports every end once, after the last process of the attempt
 * is gone; so each packet is one step of an attempt's life and becomes the event of that step. A
 * kill that crosses the end of its attempt is answered by that end. */
#include "exec/exec_attempt.h"

#include <errno.h>
#include <signal.h>

#include "base/check.h"
#include "exec/chaos.h"
#include "exec/exec_fail.h"
#include "exec/exec_full.h"
#include "exec/exec_job.h"
#include "exec/exec_output.h"
#include "exec/exec_queue.h"
#include "exec/exec_reads.h"
#include "exec/exec_runner.h"
#include "exec/exec_state.h"
#include "exec/folder/ends.h"
#include "exec/folder/run_dir.h"

void exec_attempt_end(struct exec *x, uint32_t handle, int64_t grace_us)
{
    struct packet p = {.type = PACKET_KILL, .handle = handle, .u.grace_us = grace_us};
    exec_runner_send(x, &p);
}

void exec_attempt_kill(struct exec *x, const struct decision *d, uint32_t handle)
{
    if (!attempt_row_lives(exec_row(x, handle)))
        exec_fail_decision(x, d, CAUSE_ALREADY_ENDED);
    else if (!exec_queue_remove(x, handle, CAUSE_WITHDRAWN))
        exec_attempt_end(x, handle, d->u.grace_us);
}

/* A launch is sent to its runner at once unless it has to wait, so it is mostly too late; the brain
 * then kills what it does not want. */
void exec_attempt_withdraw(struct exec *x, const struct decision *d, uint32_t handle)
{
    if (!exec_queue_remove(x, handle, CAUSE_WITHDRAWN))
        exec_fail_decision(x, d,
                           attempt_row_lives(exec_row(x, handle)) ? CAUSE_ALREADY_STARTED
                                                                  : CAUSE_ALREADY_ENDED);
}

/* Emits the end of an attempt. */
static struct event *exec_emit_end(struct exec *x, struct attempt_row *e, uint8_t type,
                                   const struct packet_end *end)
{
    struct event *event = exec_emit(x, type, e->at, e->node);

    event->u.use = (struct usage){.wall_us = end->wall_us,
                                  .cpu_us = end->cpu_us,
                                  .read_bytes = end->read_bytes,
                                  .written_bytes = e->bytes,
                                  .peak_rss_kib = end->peak_rss_kib};
    return event;
}

/* A command that failed while the disk was full most likely failed of that. One of ours knows; and
 * by the time when we look it has given back what it had written. */
static void exec_failed(struct exec *x, struct attempt_row *e, const struct packet_end *end,
                        uint8_t cause, int32_t detail)
{
    exec_job_note(x, e->at, cause, detail); /* before there is room on the disk again */
    if (end->status == 0)
        ends_retract(x->dir, e->at);
    if ((cause == CAUSE_EXIT || cause == CAUSE_SIGNAL) && (e->no_space || exec_full_during(x, e)))
        cause = CAUSE_DISK_FULL;
    exec_output_forget(x, e); /* it may have exited well, and not be believed */
    e->state = ROW_GONE;
    if (cause == CAUSE_DISK_FULL && exec_full_withholds(x, e)) {
        exec_output_drop(x, e);
        return;
    }
    struct event *event = exec_emit_end(x, e, EV_ATTEMPT_FAILED, end);
    event->cause = cause;
    event->detail = detail;
    e->failed = true;
    if (x->options.keep_failed)
        attempt_dirs_clear_tmp(&x->dirs, e->dir);
    else
        attempt_dirs_clear(&x->dirs, e->dir, true);
    attempt_dirs_forget(&x->dirs, e->dir);
}

/* We ended it ourselves: the node is gone, its time was over, or chaos wanted it. */
static void exec_ended_by_us(struct exec *x, struct attempt_row *e, const struct packet_end *end)
{
    int32_t signal = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : SIGTERM;

    if (e->ended_by != CAUSE_NODE_DOWN) {
        exec_failed(x, e, end, e->ended_by, e->ended_by == CAUSE_INJECTED ? SIGKILL : signal);
        return;
    }
    exec_emit_end(x, e, EV_ATTEMPT_LOST, end)->cause = CAUSE_NODE_DOWN;
    exec_output_drop(x, e);
}

/* Size and checksum of the output: as the link has seen them, as the attempt has said, or we look.
 * 0, or -1 with errno. */
static int exec_look_at_output(struct exec *x, struct attempt_row *e, const struct packet_end *end)
{
    if (end->unseen) {
        errno = end->unseen;
        return -1;
    }
    if (end->seen) {
        e->bytes = end->seen_bytes;
        e->checksum = end->seen_checksum;
        return 0;
    }
    if (e->told)
        return 0;
    if (e->silent) {
        e->bytes = 0;
        e->checksum = run_dir_checksum_of_nothing();
        return 0;
    }
    return exec_output_look(x, e->at, exec_output_path(x, e).text, &e->bytes, &e->checksum);
}

void exec_attempt_exited(struct exec *x, struct attempt_row *e, const struct packet_end *end)
{
    e->silent = end->left == PACKET_LEFT_NOTHING && !x->options.groups;
    if (end->unseen && end->faulty && !exec_full_during(x, e)) {
        exec_full_rest(x, e, end->unseen);
        exec_failed(x, e, end, CAUSE_NODE_FAULT, end->unseen);
    } else if (WIFSIGNALED(end->status)) {
        exec_failed(x, e, end, CAUSE_SIGNAL, WTERMSIG(end->status));
    } else if (WEXITSTATUS(end->status) != 0) {
        exec_failed(x, e, end, CAUSE_EXIT, WEXITSTATUS(end->status));
    } else if (x->options.data && !e->told && !end->told) { /* by exit(0), say */
        exec_failed(x, e, end, CAUSE_EXIT, 0);
    } else if (exec_full_during(x, e)) { /* it may not have noticed */
        exec_failed(x, e, end, CAUSE_DISK_FULL, ENOSPC);
    } else {
        if (exec_look_at_output(x, e, end) < 0) {
            exec_failed(x, e, end, exec_fail_cause(errno), errno);
            return;
        }
        struct event *ready = exec_emit(x, EV_OUTPUT_READY, e->at, e->node);
        ready->u.output.bytes = e->bytes;
        ready->u.output.checksum = e->checksum;
        exec_output_partitions(x, e, ready);
        exec_emit_end(x, e, EV_ATTEMPT_FINISHED, end);
        e->state = ROW_FINISHED;
    }
}

bool exec_attempt_fail(struct exec *x, struct attempt_row *e, uint8_t type, uint8_t cause,
                       int error)
{
    exec_job_note(x, e->at, cause, error);
    if (cause == CAUSE_DISK_FULL && exec_full_withholds(x, e))
        return false;
    struct event *event = exec_emit(x, type, e->at, e->node);
    event->cause = cause;
    event->detail = error;
    e->failed = true;
    return true;
}

static void exec_launch_failed(struct exec *x, struct attempt_row *e, int error, bool ours)
{
    bool fault = ours && x->options.groups && exec_fail_cause(error) != CAUSE_DISK_FULL;
    uint8_t cause = fault ? CAUSE_NODE_FAULT
                    : error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR
                        ? CAUSE_NO_SUCH_FILE
                        : exec_fail_cause(error);

    if (fault)
        exec_full_rest(x, e, error);
    e->state = ROW_GONE;
    exec_attempt_fail(x, e, EV_ATTEMPT_LAUNCH_FAILED, cause, error);
}

/* It was killed with its node, and may have begun even if we have not heard of that. */
static void exec_lose_for_good(struct exec *x, struct attempt_row *e, struct packet_end *end)
{
    if (e->state != ROW_RUNNING)
        exec_emit(x, EV_ATTEMPT_STARTED, e->at, e->node);
    end->status = SIGKILL;
    exec_failed(x, e, end, CAUSE_SIGNAL, SIGKILL);
}

void exec_attempt_lose(struct exec *x, struct attempt_row *e, int64_t now_us)
{
    struct packet_end end = {.wall_us = now_us - e->launched_us, .cpu_us = -1, .peak_rss_kib = -1};

    e->owed = false;
    exec_reads_forget(x, (uint32_t)(e - x->attempts.at.at));
    if (x->options.lost_fails && !x->interrupted) {
        exec_lose_for_good(x, e, &end);
    } else {
        if (e->state == ROW_RUNNING)
            exec_emit_end(x, e, EV_ATTEMPT_LOST, &end)->cause = CAUSE_NODE_DOWN;
        else
            exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, e->at, e->node)->cause = CAUSE_NODE_DOWN;
        exec_output_drop(x, e);
    }
    exec_full_note_end(x, e);
    exec_job_attempt_ended(x, &x->jobs.at[e->at.job.v]);
    exec_queue_freed(x, exec_runner_of(x, e->node));
}

void exec_attempt_left(struct exec *x, const struct packet *p)
{
    struct attempt_row *e = exec_row(x, p->handle);

    e->left = true;
    exec_emit(x, EV_ATTEMPT_ENDED, e->at, e->node);
    exec_queue_freed(x, exec_runner_of(x, e->node));
}

/* Notes when the attempt has to be ended, by its time limit or by chaos. */
static void attempt_started(struct exec *x, uint32_t handle)
{
    const struct chaos *chaos = x->options.chaos;
    int64_t now_us = exec_now_us(x);

    if (x->options.timed) {
        vec_push(&x->control.timed, ((struct attempt_time){handle, now_us}));
        if (x->control.limit_us)
            exec_due(x, EXEC_DUE_LIMIT, now_us + x->control.limit_us);
    }
    int64_t kill_us = chaos ? chaos_kill_us(chaos, exec_row(x, handle)->at) : -1;
    if (kill_us >= 0) {
        timers_set(&x->control.doomed, handle, now_us + kill_us);
        exec_due(x, EXEC_DUE_DOOM, now_us + kill_us);
    }
}

void exec_attempt_on_packet(struct exec *x, const struct packet *p)
{
    struct attempt_row *e = exec_row(x, p->handle);
    struct exec_job *job = &x->jobs.at[e->at.job.v];
    struct event *event;

    switch (p->type) {
    case PACKET_STARTED:
        e->state = ROW_RUNNING;
        exec_emit(x, EV_ATTEMPT_STARTED, e->at, e->node)->u.late_us = p->u.started_us;
        attempt_started(x, p->handle);
        exec_reads_forget(x, p->handle);
        exec_queue_freed(x, exec_runner_of(x, e->node));
        return;
    case PACKET_PROGRESS:
        event = exec_emit(x, EV_ATTEMPT_PROGRESS, e->at, e->node);
        event->u.progress.done = p->u.progress.done;
        event->u.progress.total = p->u.progress.total;
        event->u.progress.cpu_us = -1;
        return;
    case PACKET_FETCH_STARTED:
    case PACKET_FETCH_DONE:
    case PACKET_FETCH_FAILED:
    case PACKET_SOURCE_LOST:
        exec_reads_on_packet(x, p);
        return;
    case PACKET_STATUS:
        if (x->options.hooks && x->options.hooks->status)
            x->options.hooks->status(x->options.hooks->ctx, e->at, p->u.text);
        return;
    case PACKET_NO_SPACE:
        e->no_space = true;
        return;
    case PACKET_RESULT:
        e->told = true;
        e->bytes = p->u.result.bytes;
        e->checksum = p->u.result.checksum;
        return;
    case PACKET_LAUNCH_FAILED:
        if (exec_queue_starve(x, p->handle, p->u.error))
            return;
        exec_reads_forget(x, p->handle);
        exec_launch_failed(x, e, p->u.error, p->u.ours);
        break;
    case PACKET_EXITED:
        if (p->u.end.left == PACKET_LEFT_SOMETHING && !x->options.scratch && !x->options.groups)
            attempt_dirs_name(&x->dirs, e->dir, e->at);
        if (e->ended_by == CAUSE_NODE_DOWN)
            exec_ended_by_us(x, e, &p->u.end);
        else
            exec_attempt_exited(x, e, &p->u.end);
        break;
    case PACKET_KILLED:
        exec_full_look(x);
        if (e->ended_by) {
            exec_ended_by_us(x, e, &p->u.end);
            break;
        }
        exec_emit_end(x, e, EV_ATTEMPT_KILLED, &p->u.end);
        exec_output_drop(x, e);
        break;
    default:
        check(false);
    }
    /* The job is over, and cannot use it. */
    if (job->over && e->state == ROW_FINISHED)
        exec_output_drop(x, e);
    exec_full_note_end(x, e);
    exec_job_attempt_ended(x, job);
    exec_queue_freed(x, exec_runner_of(x, e->node));
}
