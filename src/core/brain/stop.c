/* stop.c - asks attempts to end, discards outputs, avoids nodes. */
#include "core/brain/stop.h"

#include "base/check.h"
#include "core/brain/attempt.h"
#include "core/brain/decisions.h"
#include "core/brain/state.h"

void stop_attempt(struct brain *b, struct attempt *a, const struct reason *why)
{
    check(a->state != ATTEMPT_FINISHED);
    if (!a->unwanted) {
        a->unwanted = true;
        a->stop_why = why->code;
        if (attempt_is_slow(a) && !a->reported && a->state != ATTEMPT_ENDED)
            a->left_s = why->num[0];
    }
    if (a->asked)
        return;
    if (a->kind == LAUNCH_CLONE && !a->dying && a->state != ATTEMPT_ENDED) {
        a->dying = true;
        b->world.clones_dying++;
        res_sum_add(&b->world.clone_dying, &attempt_phase(a)->demand, 1);
    }
    if (attempt_is_extra(a) && b->world.roomier && a->state != ATTEMPT_ENDED) {
        node_set_add(b->world.roomier, a->node.v);
        b->queue.wanted_anew |=
            b->world.groups.count > 0; /* if there was nothing else of its task */
    }
    a->asked = true;
    if (attempt_phase(a)->tasks[a->task].state == TASK_DONE)
        todo_fill_readers(b, attempt_phase(a)); /* some may have hoped for its output */
    struct decision *d = decisions_add(b, a->state == ATTEMPT_LAUNCHING ? DO_WITHDRAW : DO_KILL,
                                       attempt_ref_of(a), why);
    d->u.grace_us = 0;
}

void stop_output(struct brain *b, struct attempt *a, const struct reason *why)
{
    decisions_add(b, DO_DISCARD_OUTPUT, attempt_ref_of(a), why);
    attempt_forget(b, a);
}

void stop_node(struct brain *b, struct node_id node, int64_t until_us, const struct reason *why)
{
    if (b->world.nodes.at[node.v].avoid_until_us >= until_us)
        return;
    struct decision *d =
        decisions_add(b, DO_AVOID_NODE, (struct attempt_ref){{0}, TASK_ALL, 0, 0}, why);
    d->node = node;
    d->u.until_us = until_us;
    b->world.nodes.at[node.v].avoid_until_us = until_us;
    world_refit_node(&b->world, node.v);
    timers_want(b, TIMER_AVOID, until_us);
}
