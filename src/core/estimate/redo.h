/* redo.h - the cost of making outputs again, and the probability that nodes lose them.
 *
 * The rules of Mantri's section 5.3 as plain functions and counters, so that they can be checked by
 * hand. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"

/* The expected cost of an output that is lost with probability r, whose task took `task_s`, and
 * whose worst input costs `input_s` by the same rule. */
static inline double redo_cost_s(double r, double task_s, double input_s)
{
    return r * (task_s + input_s);
}

/* Returns true if a replica is cheaper than the risk. */
static inline bool redo_pays(double redo_s, double copy_s)
{
    return redo_s > copy_s;
}

/* Outputs made and lost on a node; both halve with every `memory`. */
struct redo_node {
    double made, lost;
    int64_t since_us;     /* time of the last update of both */
    int64_t last_loss_us; /* time of the last loss */
    uint32_t losses;      /* number of losses in quick succession */
};

struct redo_nodes {
    VEC(struct redo_node) at;
};

/* The prior: without observations, a node loses `prior` of its outputs, which counts as much as
 * `weight` outputs. */
struct redo_belief {
    double prior, weight;
    int64_t memory_us, quick_us;
};

void redo_nodes_fini(struct redo_nodes *n);
/* Counts an output that was made on the node. */
void redo_made(struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
               int64_t now_us);

/* Counts a loss and returns the number of losses in quick succession, each at most quick_us after
 * the one before. */
uint32_t redo_lost(struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
                   int64_t now_us);

/* r, the probability that the node loses an output. */
double redo_r(const struct redo_nodes *n, const struct redo_belief *b, struct node_id node,
              int64_t now_us);
