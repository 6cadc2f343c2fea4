/* sim_timer.c - the timers that the brain has set, by id. A queue entry whose timer was cancelled
 * or moved meanwhile is recognised by its serial number. */
#include <string.h>

#include "sim/sim_state.h"

/* The place of a timer in the list, or where it would be. */
static uint32_t timer_place(const struct sim *s, uint32_t id)
{
    uint32_t low = 0, high = s->timers.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->timers.at[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool timer_is_at(const struct sim *s, uint32_t place, uint32_t id)
{
    return place < s->timers.count && s->timers.at[place].id == id;
}

static void timer_remove(struct sim *s, uint32_t place)
{
    struct sim_timer *at = &s->timers.at[place];
    s->timers.count--;
    memmove(at, at + 1, (s->timers.count - place) * sizeof *at);
}

void sim_timer_set(struct sim *s, const struct decision *d)
{
    uint32_t id = d->u.timer.id, place = timer_place(s, id);
    int64_t delay_us = d->u.timer.at_us - s->now_us;
    if (!timer_is_at(s, place, id)) {
        (void)vec_add(&s->timers);
        struct sim_timer *at = &s->timers.at[place];
        memmove(at + 1, at, (s->timers.count - 1 - place) * sizeof *at);
        at->id = id;
    }
    s->timer_serial = (s->timer_serial + 1) & ENTRY_GENERATION_MASK;
    s->timers.at[place].serial = s->timer_serial;
    sim_push(s, delay_us > 0 ? delay_us : 0, ENTRY_TIMER, s->timer_serial, id);
}

void sim_timer_cancel(struct sim *s, const struct decision *d)
{
    uint32_t place = timer_place(s, d->u.timer.id);
    if (timer_is_at(s, place, d->u.timer.id))
        timer_remove(s, place);
}

void sim_timer_due(struct sim *s, uint32_t id, uint32_t serial)
{
    uint32_t place = timer_place(s, id);
    if (!timer_is_at(s, place, id) || s->timers.at[place].serial != serial)
        return;
    timer_remove(s, place);
    sim_emit(s, EV_TIMER, CAUSE_NONE, (struct attempt_ref){0}, NODE_NONE.v)->u.timer = id;
}
