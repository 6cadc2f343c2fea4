/* body.h - a world the brain acts in: simulated, local processes, or agents on many machines.
 *
 * A body turns decisions into effects and effects into events. It never decides anything, and it
 * keeps the contract at the top of core/model/event.h. A failed effect is an event, never an error
 * of `perform`; `wait` fails only when the run as a whole cannot continue. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/model/decision.h"
#include "core/model/event.h"

/* All events of one instant. Owned by the body, valid until its next wait. */
struct batch {
    int64_t now_us;
    const struct event *at;
    uint32_t count;
    const struct hint *hint; /* the attempt that probably ends next; NULL: unknown */
};

struct body_ops {
    /* Blocks until an event occurs and fills *batch; now_us never falls. Returns 1; 0 when every
     * job is over and every attempt has ended; -1 with *err when the run cannot continue (including
     * "no event is possible although jobs are unfinished"). */
    int (*wait)(void *body, struct batch *batch, struct err *err);

    /* Carries out the decisions in order. If the body requires it, they are durable in the journal
     * by then. */
    void (*perform)(void *body, const struct decision *at, uint32_t count);
};

/* A body: its functions, and their first argument. */
struct body {
    const struct body_ops *ops;
    void *self;
};
