/* yield.h - attempts that could wait make room for attempts that cannot. */
#ifndef BRAIN_YIELD_H
#define BRAIN_YIELD_H

#include "brain/world.h"

struct brain;

/* Early readers yield to tasks above them that found no room, and clones that take only what is
 * left to all such tasks. After all others were launched, or the room that is made might be taken
 * in the same instant. */
void yield_room(struct brain *b);

/* Whether the machine has a core for one more clone, as far as it is known. */
bool yield_core_is_idle(const struct brain *b);

/* Whether a clone of the phase has to wait for an idle core; a verdict says so the first time. */
bool yield_forbids_clone(struct brain *b, const struct phase *p);

/* Where clones take what is idle: ends those that have no core. Before anything is launched. */
void yield_cores(struct brain *b);

/* Queues those clones again, once there are cores for them. Before clones are launched. */
void yield_refill(struct brain *b);

#endif
