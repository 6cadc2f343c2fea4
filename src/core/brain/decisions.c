/* decisions.c - makes decisions; no other file does. */
#include "core/brain/decisions.h"

#include "base/rare.h"
#include "core/brain/state.h"

RARE static void list_grow(struct decisions *d)
{
    vec_reserve(&d->list, d->list.count + UINT64_C(1));
}

struct decision *decisions_add(struct brain *b, uint8_t type, struct attempt_ref at,
                               const struct reason *why)
{
    if (b->decisions.list.count == b->decisions.list.cap)
        list_grow(&b->decisions);
    struct decision *d = &b->decisions.list.at[b->decisions.list.count++];
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
