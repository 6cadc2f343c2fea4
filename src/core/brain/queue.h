/* queue.h - first attempts and clones that are to be launched. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/vec.h"
#include "core/match/match.h"
#include "core/model/id.h"

struct attempt;
struct brain;
struct job;
struct phase;

/* The rank of a phase in a list from which nodes choose (MATCH_SERVER). */
struct serve_place {
    bool in;
    int64_t key;
    uint64_t tie; /* the tie at its insertion: a copy of a job may become its lead meanwhile */
};

/* The part of a phase that belongs to the queue. */
struct queued_phase {
    /* First attempts: one bit per task, by rank (see the seam `within`). */
    uint64_t *pending;
    uint32_t *by_rank; /* rank -> task; NULL: the same */
    uint32_t *rank_of;
    uint32_t pending_from; /* no bit is set in words before this one */
    uint32_t allowed;      /* first attempts that may start before the order is asked again */

    struct demand_queue *queue;        /* of its demand, and of its job's group */
    uint32_t first_index, clone_index; /* in the queue's heaps; HEAP_NOWHERE */

    /* Clones: position i is the (i / count + 1)-th clone of the task of rank i % count. */
    uint64_t clone_next, clone_end;
    bool cloned_again; /* they were queued a second time */
    bool aside;        /* they are left out for a while */

    struct serve_place serve_first, serve_clone; /* in the lists of node_walk.h, too */
};

/* The part of the brain that belongs to the queue. */
struct brain_queue {
    struct demand_queues by_demand; /* phases with something to launch */
    VEC(struct job *) unkeyed;      /* in their queues with old keys */
    bool unplanned;                 /* all do */
    bool names_clone;               /* queue_next does */
    bool settles;                   /* the order does more than compare: it runs at every decide */
    bool keeps_held;                /* it reads job->held, or that of groups */
    VEC(uint32_t) stale;            /* groups whose key and allowance are to be asked for again */
    bool wanted_anew;       /* more may wait than when clones last yielded in vain (yield.c) */
    uint32_t early_waiting; /* phases with a slow start whose first attempts wait for room */
    VEC(struct attempt_ref) stuck; /* phases with a slow start that wait for running_max */
    /* MATCH_SERVER: the same phases in lists for nodes */
    struct node_walk serve_firsts, serve_clones;
};

void queue_init(struct brain *b);
void queue_fini(struct brain *b);

/* Asks the seam `within` for the ranks of the tasks of a new phase, if it ranks them. */
void queue_rank(const struct brain *b, struct phase *p);

/* Gives a new job a group, and its phases the queues of their demands. */
void queue_join(struct brain *b, struct job *j);
/* Gives a copy of a job the group of its lead, and its phases their queues. */
void queue_join_copy(struct brain *b, struct job *j, const struct job *lead);

/* Takes a job out that is about to be freed. */
void queue_leave(struct brain *b, struct job *j);

/* Enters the phase into its queue, or takes it out, as its counters and its job's say now. */
void queue_refresh(struct brain *b, struct phase *p);
void queue_refresh_job(struct brain *b, struct job *j); /* every phase of the job */

/* Lets the seam `order` weigh a new job. */
void queue_weigh_job(struct brain *b, const struct job *j);

/* Asks for the job's place in the order again, which has changed. */
void queue_rekey_job(struct brain *b, struct job *j);

/* Puts off asking for the keys of this job, or with NULL of all, until queue_settle: often they
 * change back until then. (See queue_follow in state.h.) */
void queue_put_off(struct brain *b, struct job *j);
void queue_follow_capacity(struct brain *b); /* after the cluster's capacity changed: groups too */

/* Counts the resources of an attempt as held or, with sign -1, as held no more. Needed only where
 * the order looks at it (keeps_held). */
void queue_hold(struct brain *b, const struct attempt *a, int sign);

/* Returns true if the group of its job may hold one more of the phase's attempts. */
bool queue_group_allows(struct brain *b, const struct phase *p);
/* Returns true if a group that held that much might hold `need`, too. */
bool queue_group_would_allow(const struct brain *b, uint32_t group, const struct res_sum *held,
                             const struct res *need);

/* Returns true if a first attempt that waits might start, if all clones of its group ended,
 * although it might not when this was last asked. */
bool queue_groups_ease(struct brain *b);

/* Notes that a first attempt of the phase was launched. */
void queue_launched(struct brain *b, struct phase *p);

/* Adds a task that is to be launched. The caller calls queue_refresh. */
void queue_put(struct phase *p, uint32_t task);
/* Removes a task from those that are to be launched. The caller calls queue_refresh. */
void queue_take(struct phase *p, uint32_t task);

/* Returns the next task of the phase that is to be launched. There is one. */
uint32_t queue_first(struct phase *p);

/* Queues the clones of a phase, one less than p->copies for each unfinished task. */
void queue_add_clones(struct brain *b, struct phase *p);

/* Queues them a second time, but for those that are there. */
void queue_add_clones_again(struct brain *b, struct phase *p);

/* Returns the next task of the phase that wants a clone; TASK_ALL if none is left. */
uint32_t queue_first_clone(struct brain *b, struct phase *p);

/* Takes out that clone, which is launched. */
void queue_take_clone(struct brain *b, struct phase *p);

/* Removes the clones of a task that were not launched. */
void queue_drop_clones(struct brain *b, struct phase *p, uint32_t task);
/* Removes all clones of the phase that were not launched. */
void queue_drop_all_clones(struct brain *b, struct phase *p);

/* Asks for the keys that were put off. To be called before a walk. */
void queue_settle(struct brain *b);

/* ---- a walk over all of it, once or twice in a decide ---- */

/* Begins a walk over first attempts, clones, or both, which lasts until queue_next returns NULL.
 * (See queue_begin in state.h.) */
void queue_begin_walk(struct brain *b, bool firsts, bool clones);

/* Returns the phase that is next in line, for its next first attempt or, if it sets
 * b->queue.names_clone, its next clone; NULL if nothing is left that may find room. */
struct phase *queue_next(struct brain *b);

/* Passes over that phase, which could not be launched: nothing of its demand is tried again in this
 * walk. */
void queue_pass_over(struct brain *b, const struct phase *p, bool clone);

/* Leaves clones of the phase out for a while, or no longer. */
void queue_set_aside(struct brain *b, struct phase *p, bool aside);

/* Returns true if a first attempt that may run has found no room. */
bool queue_firsts_wait(const struct brain *b);

/* Returns true if the order puts no first attempt that waits before the phase, which need not be in
 * line itself. */
bool queue_is_next(struct brain *b, const struct phase *p);

/* A cursor over the phases with first attempts that wait, in no particular order: begin with {0}.
 * They may not be added or removed meanwhile. */
struct queue_cursor {
    const struct phase *phase;
    uint32_t queue, member; /* where to go on */
};

/* Moves to the next phase; returns false at the end. */
bool queue_walk_firsts(const struct brain *b, struct queue_cursor *c);
