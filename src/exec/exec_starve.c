/* exec_starve.c - launches that the system has no room for, just now.
 *
 * Descriptors, processes and memory run out, and come back when attempts end. So a launch that
 * failed for want of them is not a failure of its task: it waits, those decided on later wait
 * behind it, and it is tried again whenever an attempt has ended, and every now and then, as others
 * may have given something back. To the brain it is a launch that takes long. In effect there are
 * fewer slots, as many as there is room for; the user is warned once. Only if nothing at all runs
 * and there is still no room after some seconds, the launch has failed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exec/exec_state.h"

enum {
    STARVE_US = 100000, /* between two tries */
    STARVE_VAIN = 50,   /* tries while nothing runs */
};

static bool starve_passes(int error)
{
    return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
}

static void starve_warn(struct exec *x, int error)
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

bool exec_starve(struct exec *x, uint32_t handle, int error)
{
    const struct attempt_row *e = exec_row(x, handle);

    if (!starve_passes(error) || e->ended_by || x->jobs.at[e->at.job.v].over)
        return false;
    if (x->attempts.live == x->starved.count + 1 && ++x->starved_vain > STARVE_VAIN)
        return false;
    exec_row(x, handle)->state = ROW_WAITING;
    vec_push(&x->starved, handle);
    for (uint32_t i = x->starved.count - 1; i > 0 && x->starved.at[i - 1] > handle; i--) {
        x->starved.at[i] = x->starved.at[i - 1];
        x->starved.at[i - 1] = handle;
    }
    x->starved_go = 0;
    x->starved_us = exec_now_us(x) + STARVE_US;
    starve_warn(x, error);
    return true;
}

void exec_starve_room(struct exec *x)
{
    x->starved_vain = 0;
    if (x->starved.count)
        x->starved_go++;
}

/* Takes the i-th from the list. */
static uint32_t starve_take(struct exec *x, uint32_t i)
{
    uint32_t handle = x->starved.at[i];

    memmove(&x->starved.at[i], &x->starved.at[i + 1],
            (x->starved.count - i - 1) * sizeof *x->starved.at);
    x->starved.count--;
    return handle;
}

static void starve_end(struct exec *x, uint32_t handle, uint8_t cause)
{
    struct attempt_row *e = exec_row(x, handle);

    exec_emit(x, EV_ATTEMPT_LAUNCH_FAILED, e->at, e->node)->cause = cause;
    e->state = ROW_GONE;
    exec_job_attempt_ended(x, &x->jobs.at[e->at.job.v]);
}

bool exec_starve_withdraw(struct exec *x, uint32_t handle)
{
    for (uint32_t i = 0; i < x->starved.count; i++)
        if (x->starved.at[i] == handle) {
            starve_end(x, starve_take(x, i), CAUSE_WITHDRAWN);
            return true;
        }
    return false;
}

void exec_starve_end_all(struct exec *x)
{
    while (x->starved.count)
        starve_end(x, starve_take(x, x->starved.count - 1), CAUSE_WITHDRAWN);
}

int64_t exec_starve_due(struct exec *x, int64_t now_us)
{
    if (x->starved.count == 0 || x->paused || x->withheld)
        return INT64_MAX;
    if (now_us >= x->starved_us) {
        x->starved_go++;
        x->starved_us = now_us + STARVE_US;
    }
    while (x->starved_go > 0 && x->starved.count) {
        x->starved_go--;
        uint32_t handle = starve_take(x, 0);
        uint8_t ended_by = exec_row(x, handle)->ended_by;
        if (ended_by)
            starve_end(x, handle, ended_by);
        else
            exec_launch_again(x, handle);
    }
    return x->starved.count ? x->starved_us : INT64_MAX;
}
