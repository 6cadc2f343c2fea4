/* exec_control.c - what happens to attempts and nodes without a decision of the brain.
 *
 * The user sets the pace (a delay between launches, pauses), sets limits (time), and may end
 * everything; chaos kills attempts and takes nodes away. All of it becomes known to the brain as
 * events, in the same words as if the world had done it: a drained node, a failed attempt, a lost
 * one. No policy sees a difference, and a journal of such a run can be re-fed like any other.
 *
 * Time limits are kept without a heap: the limit is the same for all, so the first started is the
 * first due. */
#include "exec/exec_control.h"

#include "exec/chaos.h"
#include "exec/exec_attempt.h"
#include "exec/exec_copy.h"
#include "exec/exec_node.h"
#include "exec/exec_presence.h"
#include "exec/exec_queue.h"
#include "exec/exec_state.h"

enum { CONTROL_GRACE_US = 1000000 }; /* between TERM and KILL when the time is over */

void exec_control_init(struct exec *x)
{
    const struct chaos *chaos = x->options.chaos;
    uint32_t count = x->options.cluster->node_count;

    if (x->options.hooks && x->options.hooks->tick)
        exec_due(x, EXEC_DUE_TICK, 0);
    if (!chaos || !chaos->node_mtbf_us)
        return;
    x->nodes.at = mem_zalloc(count, sizeof *x->nodes.at);
    for (uint32_t i = 0; i < count; i++)
        x->nodes.at[i].next_us = chaos_node_us(chaos, (struct node_id){i}, 0);
    exec_due(x, EXEC_DUE_NODE, 0);
}

void exec_control_fini(struct exec *x)
{
    vec_free(&x->control.timed);
    vec_free(&x->control.doomed.at);
    mem_free(x->nodes.at);
}

/* ---- ending attempts ---- */

static void control_end(struct exec *x, uint32_t handle, uint8_t cause, int64_t grace_us)
{
    exec_row(x, handle)->ended_by = cause;
    exec_attempt_end(x, handle, grace_us);
}

int64_t exec_control_limits(struct exec *x, int64_t now_us)
{
    while (x->control.timed_from < x->control.timed.count) {
        struct attempt_time first = x->control.timed.at[x->control.timed_from];
        struct attempt_row *e = exec_row(x, first.handle);
        if (attempt_row_lives(e) && !e->ended_by && !e->left) {
            if (x->control.limit_us == 0)
                return INT64_MAX;
            if (first.at_us + x->control.limit_us > now_us)
                return first.at_us + x->control.limit_us;
            control_end(x, first.handle, CAUSE_TIMEOUT, CONTROL_GRACE_US);
        }
        x->control.timed_from++;
    }
    vec_clear(&x->control.timed);
    x->control.timed_from = 0;
    return INT64_MAX;
}

int64_t exec_control_doom(struct exec *x, int64_t now_us)
{
    uint32_t handle;

    while (timers_take(&x->control.doomed, now_us, &handle)) {
        const struct attempt_row *e = exec_row(x, handle);
        if (attempt_row_lives(e) && !e->ended_by && !e->left)
            control_end(x, handle, CAUSE_INJECTED, 0);
    }
    return timers_next(&x->control.doomed);
}

/* ---- nodes that fail ---- */

static void control_node_fails(struct exec *x, uint32_t node)
{
    x->nodes.down++;
    exec_node_emit(x, node);
    for (uint32_t i = 0; i < x->attempts.at.count; i++) {
        struct attempt_row *e = exec_row(x, i);
        if (attempt_row_lives(e) && e->node.v == node && !exec_queue_remove(x, i, CAUSE_NODE_DOWN))
            control_end(x, i, CAUSE_NODE_DOWN, 0);
    }
    exec_copy_lose_all(x, node);
}

int64_t exec_control_nodes(struct exec *x, int64_t now_us)
{
    int64_t next_us = INT64_MAX;

    for (uint32_t i = 0; i < x->options.cluster->node_count; i++) {
        struct exec_node *n = &x->nodes.at[i];
        if (n->next_us <= now_us) {
            n->changes++;
            n->next_us = now_us + chaos_node_us(x->options.chaos, (struct node_id){i}, n->changes);
            if (n->changes % 2) {
                control_node_fails(x, i);
            } else {
                x->nodes.down--;
                exec_node_emit(x, i);
            }
        }
        next_us = n->next_us < next_us ? n->next_us : next_us;
    }
    return next_us;
}

/* ---- the clock ---- */

int64_t exec_control_tick(struct exec *x, int64_t now_us)
{
    const struct exec_hooks *hooks = x->options.hooks;

    hooks->tick(hooks->ctx, now_us);
    return now_us + hooks->tick_us;
}

bool exec_control_hopes(const struct exec *x)
{
    return x->jobs.open > 0 && (x->nodes.paused || x->nodes.down || exec_presence_hopes(x));
}
