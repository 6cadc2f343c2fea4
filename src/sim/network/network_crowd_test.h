/* network_crowd_test.h - makes crowds of flows and holds the network against max-min fairness. */
#pragma once

#include "sim/network/network.h"
#include "sim/network/network_exact_test.h"

#define MB 1e6

/* Nodes in turn in the racks; 100 MB/s up and down, 50 MB/s from the disk. */
struct cluster *crowd_cluster(uint32_t nodes, uint32_t racks, double oversubscription);

/* The present speed of a flow in bytes per microsecond. */
double crowd_rate(const struct network *n, uint32_t flow);

/* Adds a transfer, of weight 1, for the next reader (t->readers). */
void crowd_add(struct traffic *t, double at_s, uint32_t from, uint32_t to, double bytes);

/* Makes shuffles of small jobs on `nodes` nodes: up to `tasks` sources, each read by up to `tasks`
 * x `copies` readers that begin within `spread_s`. */
struct traffic crowd_small_shuffles(uint64_t seed, uint32_t nodes, uint32_t jobs, uint32_t tasks,
                                    uint32_t copies, double spread_s);

/* The bound of the model: half of all transfers within 5 % of the exact time, 95 % within 15 %.
 * Flow by flow, and for all that a reader reads; and at most `work` looks at a flow for each
 * transfer. Frees the traffic. */
void crowd_hold(const char *what, const struct cluster *c, struct traffic *traffic, double work);
