/* launch.h - first attempts and clones, in the order of their jobs. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/match/match.h"
#include "core/model/reason.h"

struct brain;

struct brain_launch {
    bool largest_changed;      /* world.largest may have */
    struct match_fits fits;    /* scratch */
    VEC(struct phase *) aside; /* scratch: phases whose clones may not start now */
};

/* Launches all that may run and fits. */
void launch_all(struct brain *b);

/* Launches clones that take only idle resources, and yield. Call for CLONES_YIELD, after
 * yield_room: a clone that starts earlier might take the room that is made, would have to yield
 * again, and so for ever. */
void launch_what_is_left(struct brain *b);

/* Returns the node on which the seam `place` puts the next attempt of the task, whatever the job's
 * limits say. */
struct node_id launch_place(struct brain *b, const struct phase *p, uint32_t task);

/* Launches an attempt on a node with room for it. The job is not over. */
void launch_attempt(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                    struct node_id node, const struct reason *why);
