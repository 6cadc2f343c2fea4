/* brain.h - events in, decisions out, and nothing else.
 *
 * The brain is a deterministic function of the policy and seed it was made with and of the events
 * it was given: no clock, no input or output, no global state. Applying an event changes the
 * world; deciding makes requests. Simulated and real runs link this same object code.
 */
#pragma once

#include <stdint.h>

#include "core/model/decision.h"
#include "core/model/event.h"

struct brain;
struct policy;
struct world;

/* Creates a brain; borrows the policy until brain_destroy. `seed` keys the few random choices
 * (where a search for a node begins). Destroy with brain_destroy; NULL is fine there. */
struct brain *brain_create(const struct policy *policy, uint64_t seed);
void brain_destroy(struct brain *b);

/* Applies one event of the instant `now_us`. Pointers in the event are read during the call only.
 * An event that breaks the body's side of the contract is a programmer error and aborts. */
void brain_apply(struct brain *b, int64_t now_us, const struct event *e);

/* Checks an event from outside, such as a journal, before it is applied. Returns its error, or
 * NULL: then brain_apply and brain_decide do not abort. */
const char *brain_breach(const struct brain *b, int64_t now_us, const struct event *e);

/* Applies a list of events, as if one by one. */
void brain_apply_all(struct brain *b, int64_t now_us, const struct event *at, uint32_t count);

/* Prefetches the state of the most likely next end; `hint` may be NULL. Call once per turn, before
 * the events of the turn. Changes no decision, and need not be true. */
void brain_hint(struct brain *b, const struct hint *hint);

/* Decides on all that was applied. `now_us` never falls. The list is valid until the next call. */
struct decision_list brain_decide(struct brain *b, int64_t now_us);

/* The world of the brain, read-only; valid until the next call. For tests and for counting
 * memory. */
const struct world *brain_world(const struct brain *b);
