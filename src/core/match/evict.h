/* evict.h - which attempts must end on a node so that a task fits there.
 *
 * The caller offers attempts in the order in which they should end. Only those of a node where the
 * task then fits are ended; the others continue. Room that was made for one task is not counted for
 * the next, until evict_begin. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/model/res.h"

struct evict_node {
    uint64_t turn, need;
    struct res free;  /* free now, plus the resources of ending attempts, less those taken */
    struct res more;  /* held by the attempts that were offered for the present need */
    uint32_t offered; /* the last offer; UINT32_MAX: none */
};

struct evict_offer {
    uint32_t attempt, next;
};

struct evict {
    uint64_t turn, need;
    VEC(struct evict_node) nodes; /* by number */
    VEC(struct evict_offer) offers;
    VEC(uint32_t) ending; /* attempts, see evict_make */
};

/* An attempt with its node, the resources that it holds and those that are free there now. */
struct evict_holder {
    uint32_t attempt, node;
    const struct res *held, *free;
};

void evict_fini(struct evict *r);

/* Forgets everything that was taken and offered. */
void evict_begin(struct evict *r);

/* Withdraws the offers for the last need. Call before tasks of another kind. */
void evict_next(struct evict *r);

/* Counts the resources of an attempt that is ending already. Call once for each. */
void evict_count(struct evict *r, struct evict_holder a);

/* Takes `need` and returns true if the attempt's node has room for it without another end. */
bool evict_take(struct evict *r, struct evict_holder a, const struct res *need);

/* Offers the attempt. Returns true if `need` fits on its node once the attempts in r->ending have
 * ended (none, or all that were offered there), and takes it. */
bool evict_make(struct evict *r, struct evict_holder a, const struct res *need);
