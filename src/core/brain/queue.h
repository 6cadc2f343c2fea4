/* queue.h - what is to be launched. */
#ifndef CORE_BRAIN_QUEUE_H
#define CORE_BRAIN_QUEUE_H

#include <stddef.h>

#include "base/heap.h"
#include "core/brain/world.h"
#include "core/match/lanes.h"

struct brain;

void queue_init(struct brain *b);
void queue_fini(struct brain *b);

/* The job has come, or a copy of it: it gets a group, and its phases the lanes of their demands. */
void queue_join(struct brain *b, struct job *j);
void queue_join_copy(struct brain *b, struct job *j, const struct job *lead);

/* It goes. */
void queue_leave(struct brain *b, struct job *j);

/* The phase's counters or its job's changed: enters or leaves its lane as they say. */
void queue_refresh(struct brain *b, struct phase *p);
void queue_refresh_job(struct brain *b, struct job *j); /* every phase of the job */

/* The job has come: the seam `order` weighs it. */
void queue_weigh_job(struct brain *b, const struct job *j);

/* The job's place in the order changed. */
void queue_rekey_job(struct brain *b, struct job *j);

/* The keys of this job, or with NULL of all, are asked for again, but not before queue_settle:
 * often they change back until then. (queue_follow of state.h: where they follow what has
 * happened.) */
void queue_put_off(struct brain *b, struct job *j);
void queue_follow_capacity(struct brain *b); /* the same of the cluster's, for groups too */

/* The attempt holds its resources, or (sign -1) does not any more. Needed only where the order
 * looks at it (brain.keeps_held). */
void queue_hold(struct brain *b, const struct attempt *a, int sign);

/* Whether the group of its job may hold one more of the phase's attempts; whether a group that held
 * so much might hold that, too. */
bool queue_group_allows(struct brain *b, const struct phase *p);
bool queue_group_would_allow(const struct brain *b, uint32_t group, const struct res_sum *held,
                             const struct res *need);

/* Whether a first attempt that waits might start, if all clones of its group ended, although it
 * might not when this was last asked. */
bool queue_groups_ease(struct brain *b);

/* A first attempt of the phase was launched. */
void queue_launched(struct brain *b, struct phase *p);

/* The task is to be launched, or not any more. queue_refresh is the caller's business. */
void queue_put(struct phase *p, uint32_t task);
void queue_take(struct phase *p, uint32_t task);

/* The next task of the phase that is to be launched. There is one. */
uint32_t queue_first(struct phase *p);

/* Queues the clones of a phase, one less than p->copies for each unfinished task. */
void queue_add_clones(struct brain *b, struct phase *p);

/* The same a second time, but for those that are there. */
void queue_add_clones_again(struct brain *b, struct phase *p);

/* The next task of the phase that wants a clone; TASK_ALL when none is left. */
uint32_t queue_first_clone(struct brain *b, struct phase *p);

/* That clone is launched. */
void queue_take_clone(struct brain *b, struct phase *p);

/* Clones that were not launched leave the queue: those of the task, or all. */
void queue_drop_clones(struct brain *b, struct phase *p, uint32_t task);
void queue_drop_all_clones(struct brain *b, struct phase *p);

/* Asks for the keys that were put off. Before it is said who is next. */
void queue_settle(struct brain *b);

/* ---- a walk over all of it, once or twice in a decide ---- */

/* Begins a walk over first attempts, clones, or both. It lasts until queue_next says NULL. False:
 * there is nothing to name. */
bool queue_begin(struct brain *b, bool firsts, bool clones);

/* The phase that is next in line, for its next first attempt or its next clone. NULL: nothing is
 * left that may find room. */
struct phase *queue_next(struct brain *b, bool *clone);

/* That could not be launched: nothing of its demand is tried again in this walk. */
void queue_pass_over(struct brain *b, const struct phase *p, bool clone);

/* Clones of the phase are left out for a while, or not any more. */
void queue_set_aside(struct brain *b, struct phase *p, bool aside);

/* Whether a first attempt that may run has found no room. */
bool queue_firsts_wait(const struct brain *b);

/* Goes over the phases with first attempts that wait, in no particular order: begin with {0}. They
 * may not enter or leave meanwhile. */
struct queue_cursor {
    const struct phase *phase;
    uint32_t lane, member; /* where to go on */
};

bool queue_walk_firsts(const struct brain *b, struct queue_cursor *c);

/* The phase of an entry of a lane's heap of first attempts, or of clones. */
static inline struct phase *queue_first_phase(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->place - offsetof(struct phase, place_first));
}

static inline struct phase *queue_clone_phase(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->place - offsetof(struct phase, place_clone));
}

#endif
