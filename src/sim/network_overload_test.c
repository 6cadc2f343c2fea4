/* network_overload_test.c - more than the network can carry: very large shuffles that overlap, each
 * from another half of the nodes, among small jobs. Nodes are then unequally busy, which is what
 * wide flows are bad at (network_hot.c). */
#include <stdio.h>

#include "base/rng.h"
#include "sim/network.h"
#include "sim/network_crowd_test.h"
#include "tests/test.h"

enum { JOBS = 5, WORK_MAX = 2500 };

/* One crowd. `mb` is what each reader reads, in all. */
struct overload {
    uint32_t nodes, racks;
    double oversubscription;
    uint32_t readers, small; /* readers of each large job, small jobs */
    double mb;
    uint64_t seed;
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
    snprintf(what, sizeof what, "%s %ux%u %g:1 %ur %us #%u", wide ? "wide" : "narrow", o->nodes,
             o->racks, o->oversubscription, o->readers, o->small, (unsigned)o->seed);
    struct network *n = network_create(c);
    expect(network_wide_pays(n, o->nodes / 2, o->readers) == wide);
    network_destroy(n);
    crowd_hold(what, c, &t, WORK_MAX);
    cluster_destroy(c);
}

/* A shuffle of this size still has a flow from every node. */
TEST(network_is_near_max_min_under_overload)
{
    hold(&(struct overload){70, 1, 1, 105, 105, 60, 7}, false);
}

TEST(network_is_near_max_min_under_overload_with_wide_flows)
{
    hold(&(struct overload){70, 1, 1, 120, 105, 60, 1}, true);
    hold(&(struct overload){70, 1, 1, 120, 40, 60, 3}, true);
    hold(&(struct overload){66, 1, 1, 150, 60, 60, 1}, true);
    hold(&(struct overload){140, 1, 1, 100, 210, 120, 2}, true);
}

TEST(network_is_near_max_min_under_overload_with_wide_flows_from_racks)
{
    hold(&(struct overload){80, 2, 4, 110, 120, 60, 1}, true);
    hold(&(struct overload){80, 2, 4, 110, 120, 60, 2}, true);
    hold(&(struct overload){80, 4, 2, 110, 60, 60, 2}, true);
    hold(&(struct overload){80, 4, 4, 110, 120, 60, 1}, true);
    hold(&(struct overload){120, 3, 2, 80, 180, 120, 2}, true);
}

/* Nobody else is there: nodes are unequal only because the shuffles overlap. */
TEST(network_is_near_max_min_where_large_shuffles_overlap)
{
    hold(&(struct overload){70, 1, 1, 120, 0, 60, 1}, true);
    hold(&(struct overload){70, 1, 1, 120, 10, 60, 2}, true);
}
