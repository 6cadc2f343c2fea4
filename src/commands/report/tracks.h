/* tracks.h - assigns attempts to lanes without overlap: each takes the lowest free lane of its
 * node. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct tracks_node {
    VEC(uint64_t) taken; /* a bit for each lane */
    uint32_t count;      /* lanes that were ever taken */
};

/* Zero-initialise; free with tracks_fini. */
struct tracks {
    VEC(struct tracks_node) nodes; /* by node id */
};

void tracks_fini(struct tracks *l);

/* Takes the lowest free lane of the node, and returns it. */
uint32_t tracks_take(struct tracks *l, uint32_t node);

/* Frees a lane that was taken. */
void tracks_give(struct tracks *l, uint32_t node, uint32_t lane);

/* Returns the number of lanes that the node needs in all. */
uint32_t tracks_count(const struct tracks *l, uint32_t node);
