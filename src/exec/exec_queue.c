/* exec_queue.c - launches that wait: for the user's pace, or for room in the system.
 *
 * The user may pause launches or ask for a delay between two of them. And descriptors, processes
 * and memory run out, and come back when attempts end: a launch that failed for want of them is not
 * a failure of its task, but is tried again whenever an attempt has ended, and every now and then,
 * as others may have given something back. To the brain all of these are launches that take long.
 * Where there is no room, there are in effect fewer slots; the user is warned once. Only if nothing
 * at all runs there and there is still no room after some seconds, the launch has failed.
 *
 * Room is a runner's own: what one of them lacks holds nothing back elsewhere. The queue is in the
 * order of decisions, which is that of handles. A launch is starved if it was sent before; of each
 * runner starved ones come first, and while there is one the others wait behind it. */
#include "exec/exec_queue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec_job.h"
#include "exec/exec_reads.h"
#include "exec/exec_state.h"

enum {
    STARVED_US = 100000, /* between two tries */
    STARVED_VAIN = 50,   /* tries while nothing runs */
};

struct exec_runner *exec_queue_runner(struct exec *x, uint32_t handle)
{
    return exec_runner_of(x, exec_row(x, handle)->node);
}

static void queue_warn(struct exec *x, int error)
{
    const struct exec_hooks *hooks = x->options.hooks;
    char text[200];

    if (x->queue.warned || !hooks || !hooks->warn)
        return;
    x->queue.warned = true;
    snprintf(text, sizeof text, "too many commands at once for this machine, some wait: %s%s",
             strerror(error),
             error == EMFILE   ? " (see ulimit -n)"
             : error == EAGAIN ? " (see ulimit -u)"
                               : "");
    hooks->warn(hooks->ctx, text);
}

void exec_queue_add(struct exec *x, uint32_t handle)
{
    uint32_t i = x->queue.count;

    exec_row(x, handle)->state = ROW_WAITING;
    exec_queue_runner(x, handle)->queued++;
    vec_push(&x->queue, handle);
    for (; i > 0 && x->queue.at[i - 1] > handle; i--)
        x->queue.at[i] = x->queue.at[i - 1];
    x->queue.at[i] = handle;
    exec_due(x, EXEC_DUE_LAUNCH, 0);
}

/* Whether the runner has an attempt besides this one. */
static bool queue_has_other(struct exec *x, const struct exec_runner *r, uint32_t handle)
{
    for (uint32_t i = x->attempts.at.count; i-- > 0;) { /* the young ones mostly live */
        const struct attempt_row *e = exec_row(x, i);
        if (i != handle && attempt_row_lives(e) && e->state != ROW_WAITING && !e->left &&
            exec_runner_of(x, e->node) == r)
            return true;
    }
    return false;
}

bool exec_queue_starve(struct exec *x, uint32_t handle, int error)
{
    const struct attempt_row *e = exec_row(x, handle);
    struct exec_runner *r = exec_queue_runner(x, handle);

    if (error != EMFILE && error != ENFILE && error != EAGAIN && error != ENOMEM)
        return false;
    if (e->ended_by || x->jobs.at[e->at.job.v].over)
        return false;
    if (!queue_has_other(x, r, handle) && ++r->starved_vain > STARVED_VAIN)
        return false;
    exec_queue_add(x, handle);
    r->starved++;
    r->starved_go = 0;
    r->starved_us = exec_now_us(x) + STARVED_US;
    queue_warn(x, error);
    return true;
}

void exec_queue_retry(struct exec *x, struct exec_runner *r)
{
    r->starved_go++;
    exec_due(x, EXEC_DUE_LAUNCH, 0);
}

bool exec_queue_holds(struct exec *x, struct node_id node)
{
    if (x->nodes.paused || x->full.withheld || exec_runner_of(x, node)->queued)
        return true;
    return x->options.delay_us && (x->queue.count || exec_now_us(x) < x->queue.launch_us);
}

uint32_t exec_queue_take(struct exec *x, uint32_t i)
{
    uint32_t handle = x->queue.at[i];
    struct exec_runner *r = exec_queue_runner(x, handle);

    x->queue.count--;
    memmove(&x->queue.at[i], &x->queue.at[i + 1], (x->queue.count - i) * sizeof *x->queue.at);
    r->queued--;
    r->starved -= exec_row(x, handle)->dir != ATTEMPT_TABLE_NONE;
    return handle;
}

void exec_queue_end(struct exec *x, uint32_t handle, uint8_t cause)
{
    struct attempt_row *e = exec_row(x, handle);

    exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, e->at, e->node)->cause = cause;
    e->state = ROW_GONE;
    exec_reads_forget(x, handle);
    exec_job_attempt_ended(x, &x->jobs.at[e->at.job.v]);
}

bool exec_queue_remove(struct exec *x, uint32_t handle, uint8_t cause)
{
    for (uint32_t i = 0; i < x->queue.count; i++)
        if (x->queue.at[i] == handle) {
            exec_queue_end(x, exec_queue_take(x, i), cause);
            return true;
        }
    return false;
}

void exec_queue_end_all(struct exec *x)
{
    while (x->queue.count)
        exec_queue_end(x, exec_queue_take(x, x->queue.count - 1), CAUSE_WITHDRAWN);
}

bool exec_queue_may_send(const struct exec *x, struct exec_runner *r, int64_t now_us)
{
    if (!r->starved)
        return now_us >= x->queue.launch_us;
    if (now_us >= r->starved_us) {
        r->starved_go++;
        r->starved_us = now_us + STARVED_US;
    }
    if (r->starved_go == 0)
        return false;
    r->starved_go--;
    return true;
}
