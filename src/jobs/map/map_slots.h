/* map_slots.h - assigns slots to attempts: the numbers of {%}.
 *
 * A slot is the lowest free number, as in GNU parallel, so that commands can use it to name a
 * device or a port. It is free again when the attempt is confirmed dead, not before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "core/model/id.h"

/* How much of an output was printed while its task ran, and up to where no line end was found after
 * that. */
struct map_shown {
    int64_t printed, searched;
};

struct map_slot {
    bool used, extra, running;
    struct attempt_ref at;
    struct node_id node;
    double start_s;
    struct map_shown shown[2]; /* of its stdout and stderr */
    char *command;             /* as it was launched, for the job log; owned; NULL: not kept */
};

/* Zero-initialise. */
struct map_slots {
    VEC(struct map_slot) all;       /* slot N is all.at[N - 1] */
    VEC(struct attempt_ref) extras; /* clones and backups without a slot so far */
    VEC(uint64_t) free;             /* a bit for each slot that is free again */
    struct lookup by_attempt;       /* by a hash of the attempt: index in `all` */
    uint32_t used;                  /* how many are */
};

void map_slots_fini(struct map_slots *s);

/* Gives the attempt, which runs on this node, a slot. Returns its number, from 1. */
uint32_t map_slots_take(struct map_slots *s, struct attempt_ref at, struct node_id node);

/* Returns the slot of an attempt, or NULL. */
struct map_slot *map_slots_find(const struct map_slots *s, struct attempt_ref at);

/* Returns the number of a slot, from 1. */
static inline uint32_t map_slots_number(const struct map_slots *s, const struct map_slot *slot)
{
    return (uint32_t)(slot - s->all.at) + 1;
}

/* Frees the slot. */
void map_slots_release(struct map_slots *s, struct map_slot *slot);

/* Number of tasks, not attempts, that have one. */
uint32_t map_slots_tasks(const struct map_slots *s);

/* Removes the attempt, which has no slot yet, from the extras. Returns true if it was among them.
 */
bool map_slots_take_extra(struct map_slots *s, struct attempt_ref at);
