/* pressure.h - nodes whose disk or memory others want: clones keep away from them. */
#ifndef CORE_BRAIN_PRESSURE_H
#define CORE_BRAIN_PRESSURE_H

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/model/event.h"

struct brain;

/* A node is under pressure when something there stands still for the disk or for memory for this
 * many thousandths of the time or more, and until it was fewer than the second and a while has
 * passed. */
enum { PRESSURE_HOLDS = 100, PRESSURE_EASES = 50, PRESSURE_REST_US = 2 * 1000000 };

struct brain_pressure {
    VEC(uint32_t) nodes; /* from which clones keep away, or did ... */
    bool anew;           /* ... some of which were told since clones last went */
    bool told;           /* ... and a verdict gives the reason that clones wait for it */
};

/* Notes for how long something on a node stands still for want of its disk or memory. */
void pressure_note(struct brain *b, const struct event *e);

/* Wants to be woken when clones may come back to the next node (TIMER_AVOID). */
void pressure_want(struct brain *b);

/* Ends clones on nodes that have come under pressure (pressure.anew), where clones take what is
 * left. To be called before anything is launched. */
void pressure_end_clones(struct brain *b);

/* Keeps nodes under pressure from placement while clones are launched, and gives them back. */
void pressure_close(struct brain *b);
void pressure_open(struct brain *b);

/* Adds a verdict, the first time that one of those nodes would have taken a clone of the phase and
 * no other has. */
void pressure_tell(struct brain *b, const struct phase *p);

#endif
