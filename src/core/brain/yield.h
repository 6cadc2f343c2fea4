/* yield.h - attempts that could wait make room for attempts that cannot. */
#ifndef CORE_BRAIN_YIELD_H
#define CORE_BRAIN_YIELD_H

#include "core/brain/world.h"
#include "core/model/event.h"

struct brain;

/* A node is under pressure when something there stands still for the disk or for memory for so many
 * thousandths of the time or more, and until it was fewer than the second and a while has passed.
 */
enum { PRESSURE_HOLDS = 100, PRESSURE_EASES = 50, PRESSURE_REST_US = 2 * 1000000 };

/* Returns true if clones yield to first attempts: they take only what is left. */
bool yield_clones_do(const struct brain *b);

/* Early readers yield to tasks above them that found no room; clones that take only what is left
 * and, where a policy says so, backups yield to all such tasks. After all others were launched, or
 * the room that is made might be taken in the same instant. */
void yield_room(struct brain *b);

/* Whether the machine has a core for one more clone, as far as it is known. */
bool yield_core_is_idle(const struct brain *b);

/* Whether a clone of the phase has to wait for an idle core; a verdict says so the first time. */
bool yield_forbids_clone(struct brain *b, const struct phase *p);

/* Where clones take what is idle: ends those that have no core. Before anything is launched. */
void yield_cores(struct brain *b);

/* The body said how long something on a node stands still for want of its disk or memory. */
void yield_note_pressure(struct brain *b, const struct event *e);

/* Wants to be woken when clones may come back to the next node (TIMER_AVOID). */
void yield_want_pressed(struct brain *b);

/* Where clones take what is left: ends those on nodes whose disk or memory others want anew
 * (b->pressed_anew). Before anything is launched. */
void yield_pressed(struct brain *b);

/* An attempt has ended without success; a clone that went for that reason may come back. */
void yield_note_end(struct brain *b, const struct attempt *a);

/* Keeps such nodes from placement while clones are launched, and gives them back. */
void yield_close_pressed(struct brain *b);
void yield_open_pressed(struct brain *b);

/* No node has taken a clone of the phase: a verdict says so the first time if one of those would.
 */
void yield_tell_pressed(struct brain *b, const struct phase *p);

/* Queues those clones again, once there are cores for them. Before clones are launched. */
void yield_refill(struct brain *b);

#endif
