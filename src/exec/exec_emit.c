/* exec_emit.c - the events of the next batch. */
#include "exec/exec_emit.h"

#include "exec/exec_state.h"

struct event *exec_emit(struct exec *x, uint8_t type, struct attempt_ref at, struct node_id node)
{
    vec_push(&x->pending, ((struct event){.type = type, .at = at, .node = node}));
    return &x->pending.at[x->pending.count - 1];
}

void exec_emit_refused(struct exec *x, const struct decision *d, uint8_t cause)
{
    struct event *e = exec_emit(x, EV_REFUSED, d->at, d->node);

    e->cause = cause;
    e->u.refused.decision = d->id;
    e->u.refused.decision_type = d->type;
}
