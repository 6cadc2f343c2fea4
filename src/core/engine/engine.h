/* engine.h - the one loop that joins a brain, a body and its taps. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/engine/body.h"

struct brain;

/* One pass of the loop: the events, then the decisions on them. Valid during the call only. */
struct turn {
    int64_t now_us;
    const struct event *events;
    const struct decision *decisions;
    uint32_t event_count, decision_count;
    const struct hint *hint; /* the attempt that probably ends next, or NULL */
};

/* Receives every turn before its decisions are performed: the journal, statistics, a referee.
 * Returns 0, or -1 with *err to stop the run. */
struct tap {
    void *ctx;
    int (*turn)(void *ctx, const struct turn *turn, struct err *err);
};

/* Runs until the body reports the end of all jobs. Returns 0, or -1 with *err. Borrows
 * everything. */
int engine_run(struct brain *brain, const struct body_ops *ops, void *body, const struct tap *taps,
               uint32_t tap_count, struct err *err);
