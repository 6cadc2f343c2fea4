/* timers.h - the brain's alarms: what is wanted, what the body was asked for, and what has come.
 *
 * A timer cannot be taken back: one that is wanted earlier than the body was asked for is asked for
 * again, and the later one comes too. */
#ifndef CORE_BRAIN_TIMERS_H
#define CORE_BRAIN_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/seam.h"

/* The ids that the body knows. */
enum timer_id {
    TIMER_MITIGATE = 1,                           /* periodic, one for each mitigation */
    TIMER_SCREEN = TIMER_MITIGATE + MITIGATE_MAX, /* periodic */
    TIMER_AVOID,    /* the first avoided node comes back, for clones or all */
    TIMER_SHUFFLE,  /* the seam `shuffle` asked for it */
    TIMER_COST_CAP, /* more may be spent, or less may be held */
    TIMER_TICK,     /* attempts may start (policy.tick_us) */
    TIMER_END,
};

enum { TIMER_QUIET_PART = 1000 };

struct brain_timer {
    int64_t every_us;  /* of periodic ones; 0: never */
    int64_t wanted_us; /* 0: not at all */
    int64_t asked_us;  /* the earliest that is on its way; 0: none is */
};

struct brain_timers {
    struct brain_timer at[TIMER_END];
    int64_t stirred_us; /* the last event but progress, timers and measurements of the machines */
    uint32_t due;       /* bit `id`: it has come, at the time that was wanted */
    bool changed;       /* the body may have to be asked for another */
};

/* Whether the body may report this timer now. */
bool timers_may_come(const struct brain *b, uint32_t id);

/* The body reported it. */
void timers_come(struct brain *b, uint32_t id);

/* Whether it has come since the last call, at the time that was wanted. */
static inline bool timers_have_come(struct brain_timers *t, uint32_t id)
{
    if (!(t->due >> id & 1))
        return false;
    t->due &= ~(1U << id);
    t->at[id].wanted_us = 0;
    return true;
}

/* It is wanted at this time, or earlier if it was wanted earlier. */
void timers_want(struct brain *b, uint32_t id, int64_t at_us);

/* Asks the body for what is wanted, unless it was asked before. */
void timers_ask(struct brain *b, uint32_t id);

/* Where attempts start at ticks only: whether they may in this turn. Now is a tick, or the timer
 * for one has come, which real clocks make a little late. Once per turn. */
bool timers_tick_is_now(struct brain *b);

/* The next of those ticks is wanted. */
void timers_want_tick(struct brain *b);

/* Asks for the next tick of a periodic one. They sleep while nothing runs, and the longer nothing
 * but progress was reported, the rarer they become: by a thousandth of that time. A task of a year
 * is not looked at every second, and what goes wrong then is noticed a thousandth later. */
void timers_ask_tick(struct brain *b, uint32_t id);

#endif
