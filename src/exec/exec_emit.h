/* exec_emit.h - the events of the next batch. */
#ifndef EXEC_EXEC_EMIT_H
#define EXEC_EXEC_EMIT_H

#include <stdint.h>

#include "core/model/decision.h"
#include "core/model/event.h"

struct exec;

struct exec_events {
    struct event *at;
    uint32_t count, cap;
};

/* Adds an event to the next batch and returns it; valid until the next call. */
struct event *exec_emit(struct exec *x, uint8_t type, struct attempt_ref at, struct node_id node);

/* Adds that the decision is refused, for this cause. */
void exec_emit_refused(struct exec *x, const struct decision *d, uint8_t cause);

#endif
