/* sim_timer.c - the timers that the brain has set: a handful. A queue entry whose timer was
 * moved meanwhile is recognised by its serial number. */
#include "sim/sim_state.h"

static struct sim_timer *timer_find(struct sim *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->timers.count; i++)
        if (s->timers.at[i].id == id)
            return &s->timers.at[i];
    return NULL;
}

void sim_timer_set(struct sim *s, const struct decision *d)
{
    uint32_t id = d->u.timer.id;
    int64_t delay_us = d->u.timer.at_us - s->now_us;
    struct sim_timer *timer = timer_find(s, id);
    if (!timer)
        timer = vec_add(&s->timers);
    s->timer_serial = (s->timer_serial + 1) & ENTRY_GENERATION_MASK;
    *timer = (struct sim_timer){id, s->timer_serial};
    sim_push(s, delay_us > 0 ? delay_us : 0, ENTRY_TIMER, s->timer_serial, id);
}

void sim_timer_due(struct sim *s, uint32_t id, uint32_t serial)
{
    struct sim_timer *timer = timer_find(s, id);
    if (!timer || timer->serial != serial)
        return;
    *timer = s->timers.at[--s->timers.count];
    sim_emit(s, EV_TIMER, CAUSE_NONE, (struct attempt_ref){0}, NODE_NONE.v)->u.timer = id;
}
