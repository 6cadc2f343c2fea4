/* timers.h - the timers of the brain: those wanted, those requested from the body, and those that
 * fired.
 *
 * A request cannot be withdrawn: a timer that is wanted earlier is requested again, and the later
 * one fires too. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/seam.h"

/* The ids that the body knows. */
enum timer_id {
    TIMER_MITIGATE = 1,                           /* periodic, one for each mitigation */
    TIMER_SCREEN = TIMER_MITIGATE + MITIGATE_MAX, /* periodic */
    TIMER_AVOID,    /* the first avoided node is used again, for clones or all */
    TIMER_SHUFFLE,  /* requested by the seam `shuffle` */
    TIMER_COST_CAP, /* more may be spent, or less may be held */
    TIMER_TICK,     /* attempts may start (policy.tick_us) */
    TIMER_END,
};

enum { TIMER_QUIET_PART = 1000 };

struct brain_timer {
    int64_t every_us;  /* of periodic ones; 0: never */
    int64_t wanted_us; /* 0: not at all */
    int64_t asked_us;  /* the earliest one requested; 0: none */
};

struct brain_timers {
    struct brain_timer at[TIMER_END];
    int64_t stirred_us; /* the last event but progress, timers and measurements of the machines */
    uint32_t due;       /* bit `id`: it fired, at the time that was wanted */
    bool changed;       /* the body may need another request */
};

/* Returns true if the body may report this timer now. */
bool timers_may_come(const struct brain *b, uint32_t id);

/* Records that the body reported the timer. */
void timers_come(struct brain *b, uint32_t id);

/* Returns true if the timer fired since the last call, at the time that was wanted. */
static inline bool timers_have_come(struct brain_timers *t, uint32_t id)
{
    if (!(t->due >> id & 1))
        return false;
    t->due &= ~(1U << id);
    t->at[id].wanted_us = 0;
    return true;
}

/* Wants the timer at this time, or earlier if it was wanted earlier. */
void timers_want(struct brain *b, uint32_t id, int64_t at_us);

/* Requests a wanted timer from the body, unless it was requested before. */
void timers_ask(struct brain *b, uint32_t id);

/* Returns true if attempts, which start at ticks only, may start in this turn: now is a tick, or
 * the timer for one has fired, which real clocks make a little late. Call once per turn. */
bool timers_tick_is_now(struct brain *b);

/* Wants the timer for the next of those ticks. */
void timers_want_tick(struct brain *b);

/* Requests the next tick of a periodic timer. They sleep while nothing runs, and become rarer the
 * longer only progress was reported: by a thousandth of that time. A task of a year is not scanned
 * every second, and a fault is noticed a thousandth later. */
void timers_ask_tick(struct brain *b, uint32_t id);
