/* body.h - a world the brain acts in: simulated, local processes, or agents on many machines.
 *
 * A body turns decisions into effects and effects into events. It never decides anything, and it
 * keeps the contract at the top of core/model/event.h. A failed effect is an event, never an error
 * of `perform`; `wait` fails only when the run as a whole cannot go on. */
#ifndef CORE_ENGINE_BODY_H
#define CORE_ENGINE_BODY_H

#include <stdint.h>

#include "base/err.h"
#include "core/model/decision.h"
#include "core/model/event.h"

/* All events of one instant. Owned by the body, valid until its next wait. */
struct batch {
    int64_t now_us;
    const struct event *at;
    uint32_t count;
    const struct hint *hint; /* what comes next; NULL: the body cannot tell */
};

struct body_ops {
    /* Blocks until something happened and fills *batch; now_us never falls. Returns 1; 0 when every
     * job is over and every attempt has ended; -1 with *err when the run cannot go on (including
     * "nothing can ever happen again although jobs are unfinished"). */
    int (*wait)(void *body, struct batch *batch, struct err *err);

    /* Carries out the decisions in order. They are durable in the journal if the body asked for it.
     */
    void (*perform)(void *body, const struct decision *at, uint32_t count);
};

/* A body in use: its functions, and itself as their first argument. */
struct body {
    const struct body_ops *ops;
    void *self;
};

#endif
