/* pressure.h - nodes whose disk or memory others want: clones keep away from them. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/model/event.h"

struct brain;

/* A node is under pressure when processes there are stalled by the disk or by lack of memory for
 * this many thousandths of the time or more, until it was fewer than the second number and
 * PRESSURE_REST_US have passed. */
enum { PRESSURE_HOLDS = 100, PRESSURE_EASES = 50, PRESSURE_REST_US = 2 * 1000000 };

struct brain_pressure {
    VEC(uint32_t) nodes; /* from which clones keep away, or did ... */
    bool reported;       /* ... some of them since clones last ended */
    bool explained;      /* ... and a verdict gives the reason that clones wait for it */
};

/* Records how long processes on a node were stalled by its disk or by lack of memory. */
void pressure_note(struct brain *b, const struct event *e);

/* Wants a timer for the time at which clones may use the next node again (TIMER_AVOID). */
void pressure_want(struct brain *b);

/* Ends clones on nodes that are newly under pressure (pressure.reported), if clones take only idle
 * resources. Call before anything is launched. */
void pressure_end_clones(struct brain *b);

/* Keeps nodes under pressure from placement while clones are launched, and gives them back. */
void pressure_close(struct brain *b);
void pressure_open(struct brain *b);

/* Adds a verdict, the first time that one of those nodes would have taken a clone of the phase and
 * no other has. */
void pressure_tell(struct brain *b, const struct phase *p);
