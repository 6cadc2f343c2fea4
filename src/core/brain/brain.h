/* brain.h - events in, decisions out, and nothing else.
 *
 * The brain is a deterministic function of the policy and seed it was made with and of the events
 * it was given: no clock, no input or output, no global state. Applying an event changes what is
 * known; deciding asks for what should happen. Simulated and real runs link this same object code.
 */
#ifndef CORE_BRAIN_BRAIN_H
#define CORE_BRAIN_BRAIN_H

#include <stdint.h>

#include "core/model/decision.h"
#include "core/model/event.h"

struct brain;
struct policy;
struct world;

/* Borrows the policy until brain_destroy. `seed` keys the few random choices (where a search for
 * a node begins). Destroy with brain_destroy; NULL is fine there. */
struct brain *brain_create(const struct policy *policy, uint64_t seed);
void brain_destroy(struct brain *b);

/* Takes in one event of the instant `now_us`. Pointers in the event are read during the call only.
 * An event that breaks the body's side of the contract is a programmer error and aborts. */
void brain_apply(struct brain *b, int64_t now_us, const struct event *e);

/* What is wrong with an event that comes from somewhere else than one of our bodies, before it is
 * applied; NULL: nothing. Then brain_apply and brain_decide do not abort. */
const char *brain_breach(const struct brain *b, int64_t now_us, const struct event *e);

/* Takes in a list of events, as if one by one. */
void brain_apply_all(struct brain *b, int64_t now_us, const struct event *at, uint32_t count);

/* What will most likely happen next, or NULL: begins to fetch what is known of it from memory. Once
 * per turn, before the events of the turn. Changes no decision, and need not be true. */
void brain_hint(struct brain *b, const struct hint *hint);

/* Decides on all that was applied. `now_us` never falls. The list is valid until the next call. */
struct decision_list brain_decide(struct brain *b, int64_t now_us);

/* What the brain knows, read-only; valid until the next call. For tests and for counting memory. */
const struct world *brain_world(const struct brain *b);

#endif
