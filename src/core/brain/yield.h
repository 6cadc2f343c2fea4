/* yield.h - attempts that could wait make room for attempts that cannot. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/match/match.h"
#include "core/model/event.h"

struct brain;

/* For how many tasks of a phase readers make room. */
struct yield_served {
    const struct phase *phase;
    uint64_t tasks;
};

struct brain_yield {
    VEC(struct attempt_ref) shed; /* phases whose clones made way, for a task or a core */
    struct node_set roomier;      /* since clones last yielded in vain */
    bool room_comes;              /* attempts are ending for a task that waits */

    struct evict evict;           /* that is looked for ... */
    VEC(uint32_t) may_yield;      /* ... attempts that may make it */
    VEC(struct res_sum) promised; /* ... and per group the resources promised instead of clones */
    VEC(const struct phase *) readers; /* ... of these phases, if they wait for others */
    VEC(const struct phase *) in_vain; /* ... that got none from their own */
    VEC(struct yield_served) served;   /* ... or did */

    bool cores_told; /* a verdict gives the reason why clones wait for a core */
};

void yield_fini(struct brain *b);

/* Returns true if clones yield to first attempts: they take only idle resources. */
bool yield_clones_do(const struct brain *b);

/* Returns true if there are extra attempts that make room for first attempts. */
bool yield_extras_do(const struct brain *b);

/* Ends early readers for tasks above them that found no room, and, for all such tasks, clones that
 * take only idle resources and, under some policies, backups. Call after all launches, or the room
 * might be taken in the same instant. */
void yield_room(struct brain *b);

/* Returns true if, as far as is known, the machine has a core for one more clone. */
bool yield_core_is_idle(const struct brain *b);

/* Returns true if a clone of the phase has to wait for an idle core; the first time, a verdict
 * gives the reason. */
bool yield_forbids_clone(struct brain *b, const struct phase *p);

/* Ends the clones that have no core, if clones take only idle cores. Call before anything is
 * launched. */
void yield_cores(struct brain *b);

/* Notes that an attempt has ended without success: a clone that went because of pressure on its
 * node (pressure.h) may come back. */
void yield_note_end(struct brain *b, const struct attempt *a);

/* Queues those clones again, once there are cores for them. Before clones are launched. */
void yield_refill(struct brain *b);
