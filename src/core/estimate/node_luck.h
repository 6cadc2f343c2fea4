/* node_luck.h - how often each node makes stragglers, from the attempts that ended there.
 *
 * A straggler takes more than twice its phase's median time per byte. An attempt that was stopped
 * before it could show is censored (product_limit.h), and one that ends when its phase is done
 * already, as the losers of its last races do, counts for its node as well. Cloning stops most of
 * what is slow: left out, the worst nodes would look healthy. */
#ifndef CORE_ESTIMATE_NODE_LUCK_H
#define CORE_ESTIMATE_NODE_LUCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/estimate/product_limit.h"

struct node_record {
    struct product_limit seen;  /* in this window */
    double known_all, slow_all; /* attempts of the windows before that showed something, and how
                                   many of them straggled by each window's estimate */
    double smooth;              /* p_m: each window counts half; -1: never seen */
};

/* Zeroed at the start; free with node_luck_fini. */
struct node_luck {
    VEC(struct node_record) nodes;
};

void node_luck_fini(struct node_luck *l);

/* Takes in a phase that was just measured. */
void node_luck_phase(struct node_luck *l, const struct world *w, const struct phase *p);

/* Takes in an attempt that ends now (its type is one of the four endings) if its phase had been
 * measured before. */
void node_luck_late(struct node_luck *l, const struct world *w, const struct attempt *a,
                    uint8_t type);

/* The window is over: what each node did in it goes into its long-term records. Returns the share
 * of stragglers in that window if at least `known_min` (1 or more) of its attempts showed
 * something, else -1. */
double node_luck_roll(struct node_luck *l, uint32_t node, uint64_t known_min);

/* Lets the long-term records of a node fade: what a window has added counts half after the
 * `half_after`-th call. */
void node_luck_fade(struct node_luck *l, uint32_t node, uint32_t half_after);

/* Share of stragglers in all windows that are over, if at least `known_min` (1 or more) attempts
 * that showed something are left of them, else -1. */
double node_luck_long_term(const struct node_luck *l, uint32_t node, uint64_t known_min);

/* p_m, or `unknown` for a node that was never seen. Within [0.001, 0.999]. */
double node_luck_p(const struct node_luck *l, uint32_t node, double unknown);

#endif
