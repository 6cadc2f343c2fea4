/* network_exact_test.h - max-min fairness without short cuts, to hold the simulator's network
 * against. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "inputs/cluster/cluster.h"

#define EXACT_NODE_NONE UINT32_MAX

/* Bytes for a node: from a node; or evenly from `nodes` nodes of a rack, counted
 * from the `first` of its nodes and round; or as `outputs` outputs on nodes of the rack
 * that are drawn by `first`. */
struct transfer {
    int64_t at_us;
    uint32_t from; /* node; EXACT_NODE_NONE: the rack */
    uint32_t rack, first, nodes, outputs;
    bool alone; /* no other transfer is from just these nodes */
    uint32_t to, weight;
    double bytes;
    uint32_t reader; /* transfers of one reader belong together */
};

struct traffic {
    struct transfer *at; /* in order of at_us */
    uint32_t count, cap;
    uint32_t readers;
};

/* How many pieces of a transfer from a rack lie on each node, into pieces[]; those that the reader
 * has itself are not transferred. */
void transfer_pieces(const struct cluster *c, const struct transfer *t, uint32_t *pieces);

/* How long each transfer takes, in microseconds, into took[]. */
void network_exact(const struct cluster *c, const struct traffic *traffic, double *took);
