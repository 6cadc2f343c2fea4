/* node_luck.h - how often each node makes stragglers, from the attempts that ended there.
 *
 * A straggler takes more than twice its phase's median time per byte. An attempt that was stopped
 * earlier than that is censored (product_limit.h), and one that ends after its phase is done, as
 * the losers of its last races do, counts for its node as well. Cloning stops most slow attempts:
 * without them, the worst nodes would look healthy. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/estimate/product_limit.h"

struct node_record {
    struct product_limit seen; /* in this window */
    double known_all, /* in earlier windows: uncensored attempts, estimated stragglers */ slow_all;
    double smooth; /* p_m: each window counts half; -1: no attempt yet */
};

/* Zeroed at the start; free with node_luck_fini. */
struct node_luck {
    VEC(struct node_record) nodes;
};

void node_luck_fini(struct node_luck *l);

/* Adds the attempts of a phase that was just measured. */
void node_luck_phase(struct node_luck *l, const struct world *w, const struct phase *p);

/* Adds an attempt that ends now (its type is one of the four endings) if its phase had been
 * measured before. */
void node_luck_late(struct node_luck *l, const struct world *w, const struct attempt *a,
                    uint8_t type);

/* Ends the window of a node and adds it to its long-term records. Returns the share of stragglers
 * in that window if it had at least `known_min` (1 or more) uncensored attempts, else -1. */
double node_luck_roll(struct node_luck *l, uint32_t node, uint64_t known_min);

/* Fades the long-term records of a node: a window's share counts half after the `half_after`-th
 * call. */
void node_luck_fade(struct node_luck *l, uint32_t node, uint32_t half_after);

/* The share of stragglers in all past windows if at least `known_min` (1 or more) of their
 * uncensored attempts still count, else -1. */
double node_luck_long_term(const struct node_luck *l, uint32_t node, uint64_t known_min);

/* p_m, or `unknown` for a node without attempts. Within [0.001, 0.999]. */
double node_luck_p(const struct node_luck *l, uint32_t node, double unknown);
