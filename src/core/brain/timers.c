#include "core/brain/timers.h"

#include "base/check.h"
#include "core/brain/decisions.h"
#include "core/brain/state.h"

static bool is_periodic(uint32_t id)
{
    return id >= TIMER_MITIGATE && id <= TIMER_SCREEN;
}

bool timers_may_come(const struct brain *b, uint32_t id)
{
    return id >= TIMER_MITIGATE && id < TIMER_END &&
           (!is_periodic(id) || b->timers.at[id].asked_us);
}

void timers_come(struct brain *b, uint32_t id)
{
    check(timers_may_come(b, id));
    struct brain_timer *t = &b->timers.at[id];
    t->asked_us = 0;
    b->timers.changed = true;
    if (is_periodic(id) || (t->wanted_us > 0 && t->wanted_us <= b->world.now_us))
        b->timers.due |= 1U << id;
}

void timers_want(struct brain *b, uint32_t id, int64_t at_us)
{
    struct brain_timer *t = &b->timers.at[id];
    if (t->wanted_us == 0 || at_us < t->wanted_us)
        t->wanted_us = at_us;
    b->timers.changed = true;
}

void timers_ask(struct brain *b, uint32_t id)
{
    struct brain_timer *t = &b->timers.at[id];
    if (t->wanted_us == 0 || (t->asked_us > 0 && t->asked_us <= t->wanted_us))
        return;
    t->asked_us = t->wanted_us;
    struct decision *d = decisions_add(b, DO_SET_TIMER, (struct attempt_ref){{0}, TASK_ALL, 0, 0},
                                       &REASON_PLAIN(WHY_CLOCK));
    d->u.timer.id = id;
    d->u.timer.at_us = t->wanted_us;
}

bool timers_tick_is_now(struct brain *b)
{
    int64_t tick_us = b->policy->tick_us;
    bool came = timers_have_come(&b->timers, TIMER_TICK);
    if (b->world.now_us % tick_us != 0)
        return came;
    b->timers.at[TIMER_TICK].wanted_us = 0; /* its timer may still come, late: that is no tick */
    return true;
}

void timers_want_tick(struct brain *b)
{
    int64_t tick_us = b->policy->tick_us;
    timers_want(b, TIMER_TICK, (b->world.now_us / tick_us + 1) * tick_us);
}

void timers_ask_tick(struct brain *b, uint32_t id)
{
    struct brain_timer *t = &b->timers.at[id];
    if (t->every_us == 0 || t->asked_us > 0 || b->world.live == 0)
        return;
    int64_t patience_us = (b->world.now_us - b->timers.stirred_us) / TIMER_QUIET_PART;
    t->wanted_us = b->world.now_us + (patience_us > t->every_us ? patience_us : t->every_us);
    timers_ask(b, id);
}
