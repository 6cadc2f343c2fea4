/* lanes.h - what waits for a node, and who of it is next.
 *
 * Members (phases of jobs) stand in lanes, one for each demand; each has a key and a tie, least
 * first, and no two have the same tie. A lane has two sides: first attempts, and clones, which
 * stand behind first attempts of the same key and tie. Lanes may belong to groups, which have keys
 * of their own: a member of a group that comes first is before all members of the others.
 *
 * A walk names one member after another, in that order, each as long as its demand fits somewhere.
 * Within a walk nodes only lose room. A first attempt that fits nowhere when a walk ends can fit at
 * the next only where a node has got more free since, and the walk looks for it there alone: its
 * cost is that of what is new, of what has come free and of what is named, and does not grow with
 * the number of lanes that wait. (Clones are named in each walk. Whether they may run is for others
 * to say, who then pass over them; there are not more of them than a budget allows.) */
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

/* Where the first attempts of a lane are. */
enum lane_state {
    LANE_EMPTY,
    LANE_NEAR,   /* its demand has a set: it is looked at whenever the next is asked for */
    LANE_LATER,  /* looked at when the next walk begins: new, or passed over */
    LANE_READY,  /* in the heap of those that a walk compares */
    LANE_STUCK,  /* fits nowhere, but for nodes that grew since */
    LANE_BARRED, /* its group has no room for it */
};

/* Something whose key a walk compares: a lane, or a node that grew, or the room of a group, for the
 * first of those that wait for it. */
struct lane_source {
    uint32_t heap_index; /* in the heap, by the place in line of ... */
    uint32_t member;     /* ... this one of those that wait, if it is not a lane */
    uint32_t node;       /* or one of the following */
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
    uint64_t left_out;   /* the walk in which its first attempts are not named, if near */
    uint64_t compared;   /* the last walk in which it was compared with those that wait */
    uint32_t at;         /* index in a list, number in a line */
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
    struct res most; /* ... and if some of what they have came back */
    int64_t key;
    uint32_t heap_index; /* among the groups that may have a next member in this walk */
};

/* Start with lanes_init. */
struct lanes {
    struct fit_index *fit;
    VEC(struct lane *) at; /* by number; NULL: free */
    VEC(uint32_t) unused;
    VEC(struct lane *) spare; /* forgotten ones, for their memory */
    struct lookup by_demand;  /* (group, demand) -> number */
    struct lane *last; /* that was held, unless it is forgotten: the next one often is, too */
    VEC(struct lane_group *) groups;
    uint64_t walk;              /* how many have begun */
    bool walks, firsts, clones; /* one goes on, over these */
    struct heap order;          /* groups in it, if there are several */
    uint64_t seen;              /* growths that walks have looked at; in a walk: that ... */
    uint64_t begun;             /* ... it looks at, from this one on */
    uint32_t firsts_waiting;    /* lanes with first attempts */
};

/* Borrows the index until lanes_fini. */
void lanes_init(struct lanes *s, struct fit_index *fit);
void lanes_fini(struct lanes *s);

/* The lane of a demand in a group, held once more; it is forgotten with the last hold. */
struct lane *lanes_hold(struct lanes *s, uint32_t group, const struct res *need);
void lanes_drop(struct lanes *s, struct lane *l);

/* A member enters (its *place is HEAP_NOWHERE and stays where it is), moves, or leaves. First
 * attempts that enter a lane without any during a walk are named from the next one on. */
void lanes_put(struct lanes *s, struct lane *l, enum lane_side side, int64_t key, uint64_t tie,
               uint32_t *heap_index);
void lanes_rekey(struct lanes *s, struct lane *l, enum lane_side side, int64_t key,
                 uint32_t *heap_index);
void lanes_take(struct lanes *s, struct lane *l, enum lane_side side, uint32_t *heap_index);

/* The place of the lane's first member is about to change. */
static inline void lanes_prefetch(const struct lanes *s, const struct lane *l)
{
    const struct lane_group *g = s->groups.at[l->group];
    __builtin_prefetch(l->side[LANE_FIRSTS].at);
    if (l->state == LANE_STUCK)
        wait_line_prefetch(&g->stuck, l->at);
}

/* The group's place among the others (0 at first). */
void lanes_set_group_key(struct lanes *s, uint32_t group, int64_t key);

/* How much more the group's members may take (without limit at first). It grows between
 * walks only. */
void lanes_set_group_room(struct lanes *s, uint32_t group, const struct res *room);

static inline bool lanes_group_has_room(const struct lanes *s, uint32_t group,
                                        const struct res *need)
{
    return !s->groups.at[group]->limited || res_fits(need, &s->groups.at[group]->room);
}

/* The same if what they have and can do without came back. Whether more of them might start then
 * than with what was said before. */
bool lanes_set_group_most(struct lanes *s, uint32_t group, const struct res *most);

/* Whether a first attempt that waits might fit into this, if it were free, and into what its group
 * may take at most. */
bool lanes_might_use(const struct lanes *s, const struct res *room);

/* Whether anybody may be named beside first attempts whose demand has a set. */
static inline bool lanes_have_far(const struct lanes *s)
{
    return s->groups.at[0]->far > 0;
}

/* Whether it is plain that a walk would name nobody, as mostly where all demands are alike and none
 * is cloned: then none need begin. */
static inline bool lanes_are_still(const struct lanes *s)
{
    const struct lane_group *g = s->groups.at[0];
    return g->far == 0 && s->fit->grown.count == 0 &&
           (g->near.count == 0 ||
            (g->near.count == 1 && !fit_index_any(s->fit, g->near.at[0]->fit)));
}

/* What lanes_begin has left to do but in the simplest case. */
void lanes_begin_far(struct lanes *s);

/* Begins a walk over first attempts, clones, or both. It lasts until lanes_next says NULL. */
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

/* Whether it is plain, whatever keys members have, that there is no next one. Then the walk is
 * over.
 */
static inline bool lanes_end_early(struct lanes *s)
{
    s->walks = !lanes_are_still(s);
    return !s->walks;
}

/* lanes_next where there is more than one lane to look at. */
const struct heap_item *lanes_next_of_many(struct lanes *s, enum lane_side *side);

/* The next member, whose demand fits somewhere if it is a first attempt. NULL: there is none. It is
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

/* It could not be launched: that side of its lane is left out for the rest of the walk. */
void lanes_pass_over(struct lanes *s, struct lane *l, enum lane_side side);

#endif
