/* lanes.h - queues of waiting work, one for each demand, and the walk that names which member is
 * next.
 *
 * Members (phases of jobs) are in lanes, one for each demand; each has a key and a tie, least
 * first, and no two have the same tie. A lane has two sides: first attempts, and clones, which come
 * after first attempts of the same key and tie. Lanes may belong to groups, which have keys of
 * their own: all members of a group come before those of a group with a larger key.
 *
 * A walk names one member after another, in that order, each as long as its demand fits somewhere.
 * Within a walk nodes only lose room. A first attempt that fits nowhere when a walk ends can fit at
 * the next only where a node has got more free since, and the walk looks for it there alone: its
 * cost is that of new members, of freed resources and of the members named, and does not grow with
 * the number of lanes that wait. (Clones are named in each walk. The caller decides whether they
 * may run, and passes over the others; there are not more of them than a budget allows.) */
#ifndef CORE_MATCH_LANES_H
#define CORE_MATCH_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/heap.h"
#include "base/vec.h"
#include "core/match/fit_index.h"
#include "core/match/wait_line.h"

enum lane_side { LANE_FIRSTS, LANE_CLONES };

/* The state of the first attempts of a lane. */
enum lane_state {
    LANE_EMPTY,
    LANE_NEAR,   /* its demand has a set: checked at every call of lanes_next */
    LANE_LATER,  /* checked when the next walk begins: new, or passed over */
    LANE_READY,  /* in the heap of those that a walk compares */
    LANE_STUCK,  /* fits nowhere, except perhaps on nodes that grew since */
    LANE_BARRED, /* its group has no room for it */
};

/* An entry whose key a walk compares: a lane, or a node that grew, or the room of a group. The last
 * two have the key of the first lane that waits for them. */
struct lane_source {
    uint32_t heap_index; /* in the heap, with the key of ... */
    uint32_t member;     /* ... this member of the wait line, if it is not a lane */
    uint32_t node;       /* or one of the following constants */
};

#define LANE_SOURCE_LANE UINT32_MAX
#define LANE_SOURCE_ROOM (UINT32_MAX - 1)

struct lane {
    struct res need;
    uint32_t fit, group; /* number of the demand, and of the group */
    uint32_t number;     /* in lanes.at */
    uint32_t holders;
    struct heap side[2]; /* members; enum lane_side */
    uint8_t state;       /* enum lane_state */
    bool passed;         /* its clones were passed over in this walk */
    uint64_t left_out;   /* the walk that does not name its first attempts, if near */
    uint64_t compared;   /* the last walk in which it was compared with those in the wait line */
    uint32_t at;         /* index in a list, number in a wait line */
    uint32_t passed_at;
    struct lane_source source;
    uint32_t clones_heap_index;
};

struct lane_group {
    struct heap ready;  /* lane_source: lanes, nodes, room */
    struct heap clones; /* lanes */
    struct wait_line stuck, barred;
    VEC(struct lane *) near, later, passed;
    VEC(struct lane_source) sources; /* of this walk */
    struct lane_source source;       /* room */
    uint32_t
        far; /* lanes with first attempts that are not near, or whose clones were passed over */
    bool limited;
    struct res room; /* how much more its members may take, if it is limited ... */
    struct res most; /* ... and how much after giving back as much as possible */
    int64_t key;
    uint32_t heap_index; /* in lanes.order, of groups that may have a next member in this walk */
};

/* Start with lanes_init. */
struct lanes {
    struct fit_index *fit;
    VEC(struct lane *) at; /* by number; NULL: free */
    VEC(uint32_t) unused;
    VEC(struct lane *) spare; /* freed lanes, for their memory */
    struct lookup by_demand;  /* (group, demand) -> number */
    /* the lane held last, or NULL if it was freed: the next one is often the same */
    struct lane *last;
    VEC(struct lane_group *) groups;
    uint64_t walk;              /* number of walks so far */
    bool walks, firsts, clones; /* a walk is in progress, over these */
    struct heap order;          /* groups in this walk, if there are several */
    uint64_t seen;              /* number of growths that walks have taken into account */
    uint64_t begun;             /* the first growth that this walk takes into account */
    uint32_t firsts_waiting;    /* lanes with first attempts */
};

/* Initialises the lanes; borrows the index until lanes_fini. */
void lanes_init(struct lanes *s, struct fit_index *fit);
void lanes_fini(struct lanes *s);

/* Returns the lane of a demand in a group and adds a hold; the lane is freed with its last hold. */
struct lane *lanes_hold(struct lanes *s, uint32_t group, const struct res *need);
/* Removes a hold from a lane. */
void lanes_drop(struct lanes *s, struct lane *l);

/* Adds a member; *heap_index must be HEAP_NOWHERE, and keep its address until lanes_take. If the
 * lane has no first attempts and a walk is in progress, a first attempt is named from the next walk
 * on. */
void lanes_put(struct lanes *s, struct lane *l, enum lane_side side, int64_t key, uint64_t tie,
               uint32_t *heap_index);
/* Changes the key of a member. */
void lanes_rekey(struct lanes *s, struct lane *l, enum lane_side side, int64_t key,
                 uint32_t *heap_index);
/* Removes a member. */
void lanes_take(struct lanes *s, struct lane *l, enum lane_side side, uint32_t *heap_index);

/* Prefetches the memory that lanes_rekey of the lane's first member needs. */
static inline void lanes_prefetch(const struct lanes *s, const struct lane *l)
{
    const struct lane_group *g = s->groups.at[l->group];
    __builtin_prefetch(l->side[LANE_FIRSTS].at);
    if (l->state == LANE_STUCK)
        wait_line_prefetch(&g->stuck, l->at);
}

/* Sets the key of a group (0 at first). */
void lanes_set_group_key(struct lanes *s, uint32_t group, int64_t key);

/* Sets how much more the group's members may take (unlimited at first). Grows between walks
 * only. */
void lanes_set_group_room(struct lanes *s, uint32_t group, const struct res *room);

/* Returns true if the group's members may take as much as `need`. */
static inline bool lanes_group_has_room(const struct lanes *s, uint32_t group,
                                        const struct res *need)
{
    return !s->groups.at[group]->limited || res_fits(need, &s->groups.at[group]->room);
}

/* Sets how much more the group's members may take if they gave back as much as they can do without.
 * Returns true if more of them might start then than with the value before. */
bool lanes_set_group_most(struct lanes *s, uint32_t group, const struct res *most);

/* Returns true if a waiting first attempt might fit into `room`, if that were free, within the most
 * that its group may take. */
bool lanes_might_use(const struct lanes *s, const struct res *room);

/* Returns true if a walk may name more than first attempts whose demand has a set. */
static inline bool lanes_have_far(const struct lanes *s)
{
    return s->groups.at[0]->far > 0;
}

/* Returns true if it is certain that a walk would name no member, as mostly if all demands are
 * alike and none is cloned: then no walk need begin. */
static inline bool lanes_are_still(const struct lanes *s)
{
    const struct lane_group *g = s->groups.at[0];
    return g->far == 0 && s->fit->grown.count == 0 &&
           (g->near.count == 0 ||
            (g->near.count == 1 && !fit_index_any(s->fit, g->near.at[0]->fit)));
}

/* Does the part of lanes_begin that the simplest case does not need. */
void lanes_begin_far(struct lanes *s);

/* Begins a walk over first attempts, clones, or both. It lasts until lanes_next returns NULL. */
static inline void lanes_begin(struct lanes *s, bool firsts, bool clones)
{
    check(!s->walks);
    s->walks = true;
    s->walk++;
    s->firsts = firsts;
    s->clones = clones;
    if (s->groups.at[0]->far > 0 || s->fit->grown.count > 0)
        lanes_begin_far(s);
}

/* Ends the walk and returns true if no member can be next, whatever its key. */
static inline bool lanes_end_early(struct lanes *s)
{
    s->walks = !lanes_are_still(s);
    return !s->walks;
}

/* Does the work of lanes_next if there is more than one lane to check. */
const struct heap_item *lanes_next_of_many(struct lanes *s, enum lane_side *side);

/* The next member, whose demand fits somewhere if it is a first attempt; NULL: there is none. It is
 * named again unless it is launched or passed over. */
static inline const struct heap_item *lanes_next(struct lanes *s, enum lane_side *side)
{
    const struct lane_group *g = s->groups.at[0];
    if (g->far > 0 || g->near.count != 1 || g->limited || !s->firsts)
        return lanes_next_of_many(s, side);
    const struct lane *l = g->near.at[0];
    *side = LANE_FIRSTS;
    s->walks = l->left_out != s->walk && fit_index_any(s->fit, l->fit);
    return s->walks ? heap_top(&l->side[LANE_FIRSTS]) : NULL;
}

/* Leaves that side of the lane out for the rest of the walk. Call if the member that lanes_next
 * named could not be launched. */
void lanes_pass_over(struct lanes *s, struct lane *l, enum lane_side side);

#endif
