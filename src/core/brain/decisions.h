/* decisions.h - the list of decisions of a turn.
 *
 * Each decision gets the next id and its reason. Its caller charges its cost at once: the next
 * policy sees a world in which the launch has happened and the kill has been requested. Freed
 * resources are credited only when an event confirms them. Policies never touch the list themselves
 * (see decider.h), so none can forget a reason, launch twice, or kill an attempt that has ended. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "core/model/decision.h"
#include "core/model/reason.h"

struct brain;
struct phase;

struct decisions {
    VEC(struct decision) list; /* of this turn */
    uint64_t last_id;          /* of all turns */
};

/* Adds a decision and returns it; the caller fills in what its type needs. Valid until the next one
 * is added. */
struct decision *decisions_add(struct brain *b, uint8_t type, struct attempt_ref at,
                               const struct reason *why);

/* Adds a verdict: the reason for or against something in the phase. Adds nothing once its job is
 * over. */
void decisions_add_verdict(struct brain *b, const struct phase *p, const struct reason *why);
