/* exec_queue.c - launches that wait: for the user's pace, or for room in the system.
 *
 * The user may pause launches or ask for a delay between two of them. And descriptors, processes
 * and memory run out, and come back when attempts end: a launch that failed for want of them is not
 * a failure of its task, but is tried again whenever an attempt has ended, and every now and then,
 * as others may have given something back. To the brain all of these are launches that take long.
 * Where there is no room, there are in effect fewer slots; the user is warned once. Only if nothing
 * at all runs and there is still no room after some seconds, the launch has failed.
 *
 * The queue is in the order of decisions, which is that of handles. A launch is starved if it was
 * sent before; starved ones are at the head, and while there is one the others wait behind it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec_state.h"

enum {
    STARVED_US = 100000, /* between two tries */
    STARVED_VAIN = 50,   /* tries while nothing runs */
};

static void queue_warn(struct exec *x, int error)
{
    const struct exec_hooks *hooks = x->options.hooks;
    char text[200];

    if (x->starved_warned || !hooks || !hooks->warn)
        return;
    x->starved_warned = true;
    snprintf(text, sizeof text,
             "there is no room for so many commands at once, and some wait: %s%s", strerror(error),
             error == EMFILE   ? " (see ulimit -n)"
             : error == EAGAIN ? " (see ulimit -u)"
                               : "");
    hooks->warn(hooks->ctx, text);
}

void exec_queue_add(struct exec *x, uint32_t handle)
{
    uint32_t i = x->queue.count;

    exec_row(x, handle)->state = ROW_WAITING;
    vec_push(&x->queue, handle);
    for (; i > 0 && x->queue.at[i - 1] > handle; i--)
        x->queue.at[i] = x->queue.at[i - 1];
    x->queue.at[i] = handle;
}

bool exec_queue_starve(struct exec *x, uint32_t handle, int error)
{
    const struct attempt_row *e = exec_row(x, handle);

    if (error != EMFILE && error != ENFILE && error != EAGAIN && error != ENOMEM)
        return false;
    if (e->ended_by || x->jobs.at[e->at.job.v].over)
        return false;
    if (x->attempts.live == x->queue.count + 1 && ++x->starved_vain > STARVED_VAIN)
        return false;
    exec_queue_add(x, handle);
    x->starved++;
    x->starved_go = 0;
    x->starved_us = exec_now_us(x) + STARVED_US;
    queue_warn(x, error);
    return true;
}

void exec_queue_room(struct exec *x)
{
    x->starved_vain = 0;
    if (x->starved)
        x->starved_go++;
}

static uint32_t queue_take(struct exec *x, uint32_t i)
{
    uint32_t handle = x->queue.at[i];

    x->queue.count--;
    memmove(&x->queue.at[i], &x->queue.at[i + 1], (x->queue.count - i) * sizeof *x->queue.at);
    x->starved -= exec_row(x, handle)->dir != ATTEMPT_TABLE_NONE;
    return handle;
}

static void queue_end(struct exec *x, uint32_t handle, uint8_t cause)
{
    struct attempt_row *e = exec_row(x, handle);

    exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, e->at, e->node)->cause = cause;
    e->state = ROW_GONE;
    exec_job_attempt_ended(x, &x->jobs.at[e->at.job.v]);
}

bool exec_queue_remove(struct exec *x, uint32_t handle, uint8_t cause)
{
    for (uint32_t i = 0; i < x->queue.count; i++)
        if (x->queue.at[i] == handle) {
            queue_end(x, queue_take(x, i), cause);
            return true;
        }
    return false;
}

void exec_queue_end_all(struct exec *x)
{
    while (x->queue.count)
        queue_end(x, queue_take(x, x->queue.count - 1), CAUSE_WITHDRAWN);
}

/* Whether the launch at the head may be sent now. */
static bool queue_may_send(struct exec *x, int64_t now_us)
{
    if (x->queue.count == 0 || x->paused || x->withheld)
        return false;
    if (!x->starved)
        return now_us >= x->launch_us;
    if (now_us >= x->starved_us) {
        x->starved_go++;
        x->starved_us = now_us + STARVED_US;
    }
    if (x->starved_go == 0)
        return false;
    x->starved_go--;
    return true;
}

int64_t exec_queue_due(struct exec *x, int64_t now_us)
{
    while (queue_may_send(x, now_us)) {
        uint32_t handle = queue_take(x, 0);
        if (exec_node_is_down(x, exec_row(x, handle)->node.v))
            queue_end(x, handle, CAUSE_NODE_DOWN);
        else
            exec_launch_send(x, handle);
    }
    if (x->queue.count == 0 || x->paused || x->withheld)
        return INT64_MAX;
    return x->starved ? x->starved_us : x->launch_us;
}
