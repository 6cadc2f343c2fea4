/* decisions.c - makes decisions; no other file does. */
#include "core/brain/decisions.h"

#include "core/brain/state.h"

struct decision *decisions_add(struct brain *b, uint8_t type, struct attempt_ref at,
                               const struct reason *why)
{
    struct decision *d = vec_add(&b->decisions.list);
    d->id = ++b->decisions.last_id;
    d->type = type;
    d->kind = 0;
    d->job_copy = 0;
    d->at = at;
    d->node = NODE_NONE;
    d->u.timer.id = 0;
    d->u.timer.at_us = 0;
    d->why = *why;
    return d;
}

void decisions_add_verdict(struct brain *b, const struct phase *p, const struct reason *why)
{
    if (job_lead(p->job)->state == JOB_LIVE) /* what its last task taught may come after its end */
        decisions_add(b, DO_VERDICT, phase_ref(p), why);
}
