/* network_overload_test.c - more than the network can carry: very large shuffles that overlap, each
 * from another half of the nodes or with another number of outputs on each, among small jobs. Nodes
 * are then unequally busy, which is what wide flows are bad at (network_spread.c). */
#include <stdio.h>

#include "base/rng.h"
#include "sim/network/network.h"
#include "sim/network/network_crowd_test.h"
#include "tests/unit/test.h"

enum { JOBS = 5, WORK_MAX = 2500, WORK_UNEVEN = 4000 };

/* One crowd. `mb` is what each reader reads, in all. */
struct overload {
    uint32_t nodes, racks;
    double oversubscription;
    uint32_t readers, small; /* readers of each large job, small jobs */
    double mb;
    uint64_t seed;
    uint32_t pieces; /* 0: each job from another half of the nodes, evenly; or else so many outputs
                        for each of them, at random on all nodes */
};

/* Small jobs for 20 s, and a large one every 2 s, whose readers begin within 2 s. `wide`: with one
 * flow from each rack, as very large shuffles have; or else one from each node. */
static struct traffic overload(const struct overload *o, bool wide)
{
    struct traffic t = crowd_small_shuffles(o->seed, o->nodes, o->small, 8, 1, 0.2);
    struct rng r = rng_stream(o->seed, RNG_TEST, 4, 0, 0, 0);
    uint32_t size = o->nodes / o->racks, half = size / 2, shift = size * 13 / 70;
    for (uint32_t k = 0; k < JOBS * o->readers; k++, t.readers++) {
        uint32_t job = k / o->readers, first = job * shift % size;
        double at_s = 10.0 * job / JOBS + 2 * rng_unit(&r), bytes = o->mb * MB / o->racks;
        uint32_t to = (uint32_t)rng_below(&r, o->nodes);
        for (uint32_t rack = 0; wide && rack < o->racks; rack++) {
            crowd_add(&t, at_s, EXACT_NODE_NONE, to, bytes);
            struct transfer *x = &t.at[t.count - 1];
            x->rack = rack;
            x->first = first;
            x->nodes = x->weight = half;
            if (o->pieces > 0) {
                x->outputs = x->weight = half * o->pieces;
                x->first = job + 100 * (uint32_t)o->seed;
            }
        }
        for (uint32_t i = 0; !wide && i < half * o->racks; i++)
            crowd_add(&t, at_s, (first + i / o->racks) % size * o->racks + i % o->racks, to,
                      bytes / half);
    }
    for (uint32_t i = 0; i < t.count; i++)
        t.at[i].weight *= FLOW_ONE; /* as readers have it */
    return t;
}

static void hold(const struct overload *o, bool wide)
{
    char what[64];
    struct cluster *c = crowd_cluster(o->nodes, o->racks, o->oversubscription);
    struct traffic t = overload(o, wide);
    snprintf(what, sizeof what, "%s %ux%u %g:1 %ur %us %up #%u", wide ? "wide" : "narrow", o->nodes,
             o->racks, o->oversubscription, o->readers, o->small, o->pieces, (unsigned)o->seed);
    struct network *n = network_create(c);
    expect(network_wide_pays(n, o->nodes / 2, o->readers) == wide);
    network_destroy(n);
    crowd_hold(what, c, &t, o->pieces > 0 ? WORK_UNEVEN : WORK_MAX);
    cluster_destroy(c);
}

/* A shuffle of this size still has a flow from every node. */
TEST(network_is_near_max_min_under_overload)
{
    hold(&(struct overload){70, 1, 1, 105, 105, 60, 7, 0}, false);
}

TEST(network_is_near_max_min_under_overload_with_wide_flows)
{
    hold(&(struct overload){70, 1, 1, 120, 105, 60, 1, 0}, true);
    hold(&(struct overload){70, 1, 1, 120, 40, 60, 3, 0}, true);
    hold(&(struct overload){66, 1, 1, 150, 60, 60, 1, 0}, true);
    hold(&(struct overload){140, 1, 1, 100, 210, 120, 2, 0}, true);
}

TEST(network_is_near_max_min_under_overload_with_wide_flows_from_racks)
{
    hold(&(struct overload){80, 2, 4, 110, 120, 60, 1, 0}, true);
    hold(&(struct overload){80, 2, 4, 110, 120, 60, 2, 0}, true);
    hold(&(struct overload){80, 4, 2, 110, 60, 60, 2, 0}, true);
    hold(&(struct overload){80, 4, 4, 110, 120, 60, 1, 0}, true);
    hold(&(struct overload){120, 3, 2, 80, 180, 120, 2, 0}, true);
}

/* Nobody else is there: nodes are unequal only because the shuffles overlap. */
TEST(network_is_near_max_min_where_large_shuffles_overlap)
{
    hold(&(struct overload){70, 1, 1, 120, 0, 60, 1, 0}, true);
    hold(&(struct overload){70, 1, 1, 120, 10, 60, 2, 0}, true);
}

/* Outputs lie where tasks ran, on some nodes more than on others. */
TEST(network_is_near_max_min_under_overload_with_uneven_outputs)
{
    hold(&(struct overload){70, 1, 1, 120, 105, 60, 1, 3}, true);
    hold(&(struct overload){70, 1, 1, 120, 10, 60, 2, 10}, true);
    hold(&(struct overload){66, 1, 1, 150, 60, 60, 1, 10}, true);
    hold(&(struct overload){80, 2, 4, 110, 120, 60, 1, 3}, true);
    hold(&(struct overload){80, 4, 2, 110, 60, 60, 2, 3}, true);
    hold(&(struct overload){120, 3, 2, 80, 180, 120, 1, 10}, true);
}

/* Readers that read a few outputs at a time as they come, each from other nodes, which nobody keeps
 * a list of: eight transfers each, of 50 outputs. */
static void hold_early(const char *what, const struct cluster *c, uint32_t jobs, double every_s)
{
    enum { READERS = 120, BATCHES = 8, OUTPUTS = 50 };
    struct traffic t = crowd_small_shuffles(1, c->node_count, 40, 8, 1, 0.2);
    struct rng r = rng_stream(1, RNG_TEST, 6, 0, 0, 0);
    for (uint32_t k = 0; k < jobs * READERS; k++) {
        double at_s = 10.0 * (k / READERS) / jobs + every_s * rng_unit(&r);
        uint32_t to = (uint32_t)rng_below(&r, c->node_count);
        for (uint32_t b = 0; b < BATCHES; b++, at_s += every_s, t.readers++)
            for (uint32_t rack = 0; rack < c->rack_count; rack++) {
                crowd_add(&t, at_s, EXACT_NODE_NONE, to, 60 * MB / BATCHES / c->rack_count);
                struct transfer *x = &t.at[t.count - 1];
                x->rack = rack;
                x->alone = true;
                x->first = k * BATCHES + b;
                x->outputs = x->weight = OUTPUTS / c->rack_count;
            }
    }
    for (uint32_t i = 0; i < t.count; i++)
        t.at[i].weight *= FLOW_ONE;
    crowd_hold(what, c, &t, WORK_MAX);
}

TEST(network_is_near_max_min_for_readers_that_each_miss_something_else)
{
    struct cluster *flat = crowd_cluster(70, 1, 1), *racks = crowd_cluster(80, 2, 4);
    hold_early("early", flat, 1, 0.2);
    hold_early("early, five jobs", flat, 5, 0.5);
    hold_early("early, racks 4:1", racks, 3, 2);
    cluster_destroy(flat);
    cluster_destroy(racks);
}
