/* location.h - how much longer an attempt takes on one node than on another: Mantri's
 * locationFactor.
 *
 * Learnt from finished phases: the time per byte of each attempt over its phase's median, as a
 * logarithm, averaged per node over the last sixteen or so; the average of all nodes is subtracted,
 * since every node has its unlucky attempts. Attempts that read other phases also measure the links
 * of their rack: the part that the node does not explain is averaged per rack. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"

struct location_mean {
    double log_ratio;
    uint32_t count;
};

/* Zeroed at the start; free with location_fini. */
struct location {
    VEC(struct location_mean) nodes, racks;
    struct location_mean all, links;
};

void location_fini(struct location *l);

/* Adds the attempts of a phase that was just measured. */
void location_phase(struct location *l, const struct world *w, const struct phase *p);

/* The factor by which an attempt of the phase takes longer on this node than elsewhere: the
 * machine's part and, for a phase that reads others, the link's. 1 if there are too few samples. */
double location_factor(const struct location *l, const struct world *w, const struct phase *p,
                       uint32_t node);
