/* place.h - functions that the parts of the seam `place` share. */
#pragma once

#include <stdbool.h>

#include "core/brain/seam.h"
#include "core/estimate/racks.h"

/* Returns true if a live attempt of the task is on the node, in any copy of a job that is cloned as
 * a whole. */
bool place_has_copy(const struct world *w, const struct phase *p, uint32_t task, uint32_t node);

/* Returns true if the node has room for an attempt of the task and none of its attempts. */
bool place_fits(const struct world *w, const struct phase *p, uint32_t task, uint32_t node);

/* The next node with room from a random one on; one without a sibling if possible. */
struct node_id place_pick_any(const struct part_ctx *s, const struct phase *p, uint32_t task,
                              struct place_luck luck);

/* The next node of the rack with room and without a sibling, from a random one on; or NODE_NONE. */
struct node_id place_pick_rack(const struct world *w, const struct racks *racks, uint32_t rack,
                               const struct phase *p, uint32_t task, uint64_t luck);

/* A node that holds the task's input, else one of a rack that does, else any. */
struct node_id locality_pick(const struct part_ctx *s, struct racks *racks, const struct phase *p,
                             uint32_t task, struct place_luck luck);
