/* node_luck.h - how often each node makes stragglers, from the attempts of finished phases.
 *
 * A straggler takes more than twice its phase's median time per byte. An attempt that was stopped
 * before it could show says nothing about its node and is not counted. */
#ifndef POLICY_NODE_LUCK_H
#define POLICY_NODE_LUCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "brain/world.h"

struct node_record {
    uint32_t seen, slow;         /* in this window */
    uint64_t seen_all, slow_all; /* in the windows before */
    double smooth;               /* p_m: each window counts half; -1: never seen */
};

/* Zeroed at the start; free with node_luck_fini. */
struct node_luck {
    VEC(struct node_record) nodes;
};

void node_luck_fini(struct node_luck *l);

/* Takes in a phase that was just measured. */
void node_luck_phase(struct node_luck *l, const struct world *w, const struct phase *p);

/* The window is over: what each node did in it goes into its long-term records. */
void node_luck_roll(struct node_luck *l, uint32_t node);

/* Share of stragglers in all windows that are over; 0 when nothing was seen. */
double node_luck_long_term(const struct node_luck *l, uint32_t node);

/* p_m, or `unknown` for a node that was never seen. Within [0.001, 0.999]. */
double node_luck_p(const struct node_luck *l, uint32_t node, double unknown);

#endif
