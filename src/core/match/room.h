/* room.h - which attempts must end on a node so that a task fits there.
 *
 * Whoever makes room offers attempts in the order in which they should go. Only those of a node
 * where the task then fits are told to end; the others go on. What was made for one task is not
 * counted for the next, until room_begin. */
#ifndef CORE_MATCH_ROOM_H
#define CORE_MATCH_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/model/res.h"

struct room_node {
    uint64_t turn, need;
    struct res free;  /* now, and from those that end, less what was taken */
    struct res more;  /* from those that were offered for the present need */
    uint32_t offered; /* the last of them, UINT32_MAX: none */
};

struct room_offer {
    uint32_t attempt, next;
};

struct room {
    uint64_t turn, need;
    VEC(struct room_node) nodes; /* by number */
    VEC(struct room_offer) offers;
    VEC(uint32_t) ending; /* attempts, see room_make */
};

/* Who holds how much on which node, which has so much free now. */
struct room_holder {
    uint32_t attempt, node;
    const struct res *held, *free;
};

void room_fini(struct room *r);

/* Forgets what was taken and offered. */
void room_begin(struct room *r);

/* Tasks of another kind: what was offered for the last ones goes on. */
void room_next(struct room *r);

/* The attempt is ending: what it holds counts. Once for each. */
void room_count(struct room *r, struct room_holder a);

/* Whether the attempt's node has room for `need` without another end; it is taken then. */
bool room_take(struct room *r, struct room_holder a, const struct res *need);

/* The attempt may go. True: `need` fits on its node, and is taken, once those in r->ending end:
 * none, or all that were offered there. */
bool room_make(struct room *r, struct room_holder a, const struct res *need);

#endif
