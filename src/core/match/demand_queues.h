/* demand_queues.h - queues of waiting work, one for each demand, and the walk that names which
 * member is next.
 *
 * Members (phases of jobs) are in queues, one for each demand; each has a key and a tie, least
 * first, and no two have the same tie. A queue has two sides: first attempts, and clones, which
 * come after first attempts of the same key and tie. Queues may belong to groups, which have keys
 * of their own: all members of a group come before those of a group with a larger key.
 *
 * A walk names one member after another, in that order, each as long as its demand fits somewhere.
 * Within a walk nodes only lose room. A first attempt that fits nowhere when a walk ends can fit at
 * the next only where a node has got more free since, and the walk looks for it there alone: its
 * cost is that of new members, of freed resources and of the members named, and does not grow with
 * the number of queues that wait. (Clones are named in each walk. The caller decides whether they
 * may run, and passes over the others; there are not more of them than a budget allows.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/heap.h"
#include "base/vec.h"
#include "core/match/fit_index.h"
#include "core/match/wait_queue.h"

enum queue_side { QUEUE_FIRSTS, QUEUE_CLONES };

/* The state of the first attempts of a queue. */
enum queue_state {
    QUEUE_EMPTY,
    QUEUE_NEAR,   /* its demand has a set: checked at every call of demand_queues_next */
    QUEUE_LATER,  /* checked when the next walk begins: new, or passed over */
    QUEUE_READY,  /* in the heap of those that a walk compares */
    QUEUE_STUCK,  /* fits nowhere, except perhaps on nodes that grew since */
    QUEUE_BARRED, /* its group may not take it */
};

/* An entry whose key a walk compares: a queue, or a node that grew, or the allowance of a group.
 * The last two have the key of the first queue that waits for them. */
struct walk_entry {
    uint32_t heap_index; /* in the heap, with the key of ... */
    uint32_t member;     /* ... this member of the wait queue, if it is not a queue */
    uint32_t node;       /* or one of the following constants */
};

#define WALK_ENTRY_QUEUE UINT32_MAX
#define WALK_ENTRY_ALLOWANCE (UINT32_MAX - 1)

struct demand_queue {
    struct res need;
    uint32_t fit, group; /* number of the demand, and of the group */
    uint32_t number;     /* in queues.at */
    uint32_t holders;
    struct heap side[2]; /* members; enum queue_side */
    uint8_t state;       /* enum queue_state */
    bool passed;         /* its clones were passed over in this walk */
    uint64_t left_out;   /* the walk that does not name its first attempts, if near */
    uint64_t compared;   /* the last walk in which it was compared with those in the wait queue */
    uint32_t at;         /* index in a list, number in a wait queue */
    uint32_t passed_at;
    struct walk_entry entry;
    uint32_t clones_heap_index;
};

struct queue_group {
    struct heap ready;  /* walk_entry: queues, nodes, allowance */
    struct heap clones; /* queues */
    struct wait_queue stuck, barred;
    VEC(struct demand_queue *) near, later, passed;
    VEC(struct walk_entry) entries; /* of this walk */
    struct walk_entry entry;        /* allowance */
    uint32_t
        far; /* queues with first attempts that are not near, or whose clones were passed over */
    bool limited;
    struct res allowance; /* how much more its members may take, if it is limited ... */
    struct res most;      /* ... and how much after giving back as much as possible */
    int64_t key;
    uint32_t heap_index; /* in queues.order, of groups that may have a next member in this walk */
};

/* Start with demand_queues_init. */
struct demand_queues {
    struct fit_index *fit;
    VEC(struct demand_queue *) at; /* by number; NULL: free */
    VEC(uint32_t) unused;
    struct lookup by_demand; /* (group, demand) -> number */
    VEC(struct queue_group *) groups;
    uint64_t walk;              /* number of walks so far */
    bool walks, firsts, clones; /* a walk is in progress, over these */
    struct heap order;          /* groups in this walk, if there are several */
    uint64_t seen;              /* number of growths that walks have taken into account */
    uint64_t begun;             /* the first growth that this walk takes into account */
    uint32_t firsts_waiting;    /* queues with first attempts */
};

/* Initialises the queues; borrows the index until demand_queues_fini. */
void demand_queues_init(struct demand_queues *s, struct fit_index *fit);
void demand_queues_fini(struct demand_queues *s);

/* Returns the queue of a demand in a group and adds a hold; the queue is freed with its last hold.
 */
struct demand_queue *demand_queues_hold(struct demand_queues *s, uint32_t group,
                                        const struct res *need);
/* Removes a hold from a queue. */
void demand_queues_drop(struct demand_queues *s, struct demand_queue *q);

/* Adds a member; *heap_index must be HEAP_NOWHERE, and keep its address until demand_queues_take.
 * If the queue has no first attempts and a walk is in progress, a first attempt is named from the
 * next walk on. */
void demand_queues_put(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                       int64_t key, uint64_t tie, uint32_t *heap_index);
/* Changes the key of a member. */
void demand_queues_rekey(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                         int64_t key, uint32_t *heap_index);
/* Removes a member. */
void demand_queues_take(struct demand_queues *s, struct demand_queue *q, enum queue_side side,
                        uint32_t *heap_index);

/* Prefetches the memory that demand_queues_rekey of the queue's first member needs. */
static inline void demand_queues_prefetch(const struct demand_queues *s,
                                          const struct demand_queue *q)
{
    const struct queue_group *g = s->groups.at[q->group];
    __builtin_prefetch(q->side[QUEUE_FIRSTS].at);
    if (q->state == QUEUE_STUCK)
        wait_queue_prefetch(&g->stuck, q->at);
}

/* Sets the key of a group (0 at first). */
void demand_queues_set_group_key(struct demand_queues *s, uint32_t group, int64_t key);

/* Sets how much more the group's members may take (unlimited at first). Grows between walks
 * only. */
void demand_queues_set_group_allowance(struct demand_queues *s, uint32_t group,
                                       const struct res *allowance);

/* Returns true if the group's members may take as much as `need`. */
static inline bool demand_queues_group_allows(const struct demand_queues *s, uint32_t group,
                                              const struct res *need)
{
    return !s->groups.at[group]->limited || res_fits(need, &s->groups.at[group]->allowance);
}

/* Sets how much more the group's members may take if they gave back as much as they can do without.
 * Returns true if more of them might start then than with the value before. */
bool demand_queues_set_group_most(struct demand_queues *s, uint32_t group, const struct res *most);

/* Returns true if a waiting first attempt might fit into `room`, if that were free, within the most
 * that its group may take. */
bool demand_queues_might_use(const struct demand_queues *s, const struct res *room);

/* Returns true if a walk may name more than first attempts whose demand has a set. */
static inline bool demand_queues_have_far(const struct demand_queues *s)
{
    return s->groups.at[0]->far > 0;
}

/* Returns true if it is certain that a walk would name no member, as mostly if all demands are
 * alike and none is cloned: then no walk need begin. */
static inline bool demand_queues_are_still(const struct demand_queues *s)
{
    const struct queue_group *g = s->groups.at[0];
    return g->far == 0 && s->fit->grown.count == 0 &&
           (g->near.count == 0 ||
            (g->near.count == 1 && !fit_index_any(s->fit, g->near.at[0]->fit)));
}

/* Does the part of demand_queues_begin that the simplest case does not need. */
void demand_queues_begin_far(struct demand_queues *s);

/* Begins a walk over first attempts, clones, or both. It lasts until demand_queues_next returns
 * NULL. */
static inline void demand_queues_begin(struct demand_queues *s, bool firsts, bool clones)
{
    check(!s->walks);
    s->walks = true;
    s->walk++;
    s->firsts = firsts;
    s->clones = clones;
    if (s->groups.at[0]->far > 0 || s->fit->grown.count > 0)
        demand_queues_begin_far(s);
}

/* Ends the walk and returns true if no member can be next, whatever its key. */
static inline bool demand_queues_end_early(struct demand_queues *s)
{
    s->walks = !demand_queues_are_still(s);
    return !s->walks;
}

/* Returns the next member of the walk if that is certain whatever the keys are: it is the only one
 * that waits, for a first attempt, and fits somewhere. NULL: there is none, or it is not
 * certain. */
static inline const struct heap_item *demand_queues_only(const struct demand_queues *s)
{
    const struct queue_group *g = s->groups.at[0];
    if (g->far > 0 || g->near.count != 1 || !s->firsts)
        return NULL;
    const struct demand_queue *q = g->near.at[0];
    bool is_next = q->side[QUEUE_FIRSTS].count == 1 && q->left_out != s->walk && !g->limited &&
                   fit_index_any(s->fit, q->fit);
    return is_next ? q->side[QUEUE_FIRSTS].at : NULL;
}

/* The next member, whose demand fits somewhere if it is a first attempt; NULL: there is none. It is
 * named again unless it is launched or passed over. */
const struct heap_item *demand_queues_next(struct demand_queues *s, enum queue_side *side);

/* Leaves that side of the queue out for the rest of the walk. Call if the member that
 * demand_queues_next named could not be launched. */
void demand_queues_pass_over(struct demand_queues *s, struct demand_queue *q, enum queue_side side);
