/* network_crowd_test.c - crowds of flows that are held against network_exact. With
 * NETWORK_TEST_PRINT in the environment it prints the numbers of docs/inside/network-model.md. */
#include "sim/network/network_crowd_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/stat.h"
#include "sim/network/network_state.h"
#include "tests/unit/test.h"

enum { WORK_MAX = 1000 }; /* looks at a flow, for each transfer */

struct cluster *crowd_cluster(uint32_t nodes, uint32_t racks, double oversubscription)
{
    struct cluster *c = cluster_create();
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        if (i < racks)
            cluster_add_rack(c, name);
        cluster_add_node(c, name,
                         &(struct cluster_node){.speed = 1, .links = 1, .rack = i % racks});
    }
    c->wires = (struct wires){.is_simulated = true,
                              .up = 100 * 1000 * 1000,
                              .down = 100 * 1000 * 1000,
                              .disk = 50 * 1000 * 1000,
                              .oversubscription = oversubscription};
    return c;
}

double crowd_rate(const struct network *n, uint32_t flow)
{
    double rate = n->flows.at[flow].rate;
    for (uint32_t k = n->flows.at[flow].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next)
        rate += n->flows.at[k].rate;
    return rate;
}

/* Spreads that were made for transfers from the same nodes. */
struct known_spread {
    uint32_t rack, first, nodes, outputs, spread;
};
typedef VEC(struct known_spread) known_spreads;

static uint32_t spread_of(struct network *n, const struct cluster *c, const struct transfer *t,
                          known_spreads *known)
{
    for (uint32_t k = 0; k < known->count; k++)
        if (known->at[k].rack == t->rack && known->at[k].first == t->first &&
            known->at[k].nodes == t->nodes && known->at[k].outputs == t->outputs)
            return known->at[k].spread;
    uint32_t *pieces = mem_zalloc(c->node_count, sizeof *pieces), count = 0;
    uint32_t *nodes = mem_zalloc(c->node_count, sizeof *nodes);
    transfer_pieces(c, t, pieces);
    for (uint32_t i = 0; i < c->node_count; i++)
        if (pieces[i] > 0) {
            pieces[count] = pieces[i];
            nodes[count++] = i;
        }
    uint32_t s = network_spread(n, nodes, pieces, count);
    vec_push(known, ((struct known_spread){t->rack, t->first, t->nodes, t->outputs, s}));
    mem_free(pieces);
    mem_free(nodes);
    return s;
}

static uint32_t begin_wide(struct network *n, const struct cluster *c, int64_t now,
                           const struct transfer *t, known_spreads *known)
{
    uint32_t s = t->alone ? network_spread_rack(n, t->rack) : spread_of(n, c, t, known);
    return network_begin_wide(n, now, s, t->to, t->bytes, t->weight);
}

/* Runs the traffic through the network; how long each transfer takes. Returns work per flow. */
static double run(const struct cluster *c, const struct traffic *traffic, double *took)
{
    struct network *n = network_create(c);
    known_spreads spreads = {0};
    VEC(uint32_t) whose = {0}; /* by flow */
    uint32_t live = 0;
    for (uint32_t next = 0; next < traffic->count || live > 0;) {
        int64_t now = network_next_us(n);
        if (next < traffic->count && traffic->at[next].at_us < now)
            now = traffic->at[next].at_us;
        for (uint32_t f; (f = network_take(n, now)) != FLOW_NONE; live--)
            took[whose.at[f]] = (double)(now - traffic->at[whose.at[f]].at_us);
        for (; next < traffic->count && traffic->at[next].at_us == now; next++, live++) {
            const struct transfer *t = &traffic->at[next];
            uint32_t f = t->from == EXACT_NODE_NONE
                             ? begin_wide(n, c, now, t, &spreads)
                             : network_begin(n, now, t->from, t->to, t->bytes, t->weight);
            while (whose.count <= f)
                vec_push(&whose, 0);
            whose.at[f] = next;
        }
        network_settle(n, now);
    }
    for (uint32_t i = 0; i < spreads.count; i++)
        network_spread_drop(n, spreads.at[i].spread);
    vec_free(&spreads);
    double work = (double)n->work / traffic->count;
    vec_free(&whose);
    network_destroy(n);
    return work;
}

static int by_time(const void *a, const void *b)
{
    const struct transfer *x = a, *y = b;
    return x->at_us < y->at_us ? -1 : x->at_us > y->at_us;
}

static void errors(const char *what, const char *of, double *error, uint32_t count)
{
    double p50 = stat_quantile(error, count, 0.5), p95 = stat_quantile(error, count, 0.95);
    if (getenv("NETWORK_TEST_PRINT"))
        printf("%-28s %5u %s: median %.1f %%, p95 %.1f %%\n", what, count, of, 100 * p50,
               100 * p95);
    expect(p50 <= 0.05);
    expect(p95 <= 0.15);
}

void crowd_hold(const char *what, const struct cluster *c, struct traffic *traffic,
                double work_most)
{
    qsort(traffic->at, traffic->count, sizeof *traffic->at, by_time);
    uint32_t count = traffic->count, readers = traffic->readers;
    double *ours = mem_zalloc(count, sizeof *ours), *exact = mem_zalloc(count, sizeof *exact);
    double *reader_ours = mem_zalloc(readers, sizeof *reader_ours);
    double *reader_exact = mem_zalloc(readers, sizeof *reader_exact);
    double work = run(c, traffic, ours);
    network_exact(c, traffic, exact);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = traffic->at[i].reader;
        reader_ours[r] = fmax(reader_ours[r], ours[i]);
        reader_exact[r] = fmax(reader_exact[r], exact[i]);
        ours[i] = fabs(ours[i] - exact[i]) / exact[i];
    }
    for (uint32_t r = 0; r < readers; r++)
        reader_ours[r] = fabs(reader_ours[r] - reader_exact[r]) / reader_exact[r];
    errors(what, "flows", ours, count);
    errors(what, "readers", reader_ours, readers);
    if (getenv("NETWORK_TEST_PRINT"))
        printf("%-28s %5.0f looks at a flow for each transfer\n", what, work);
    expect(work < work_most);
    mem_free(ours);
    mem_free(exact);
    mem_free(reader_ours);
    mem_free(reader_exact);
    vec_free(traffic);
}

void crowd_add(struct traffic *t, double at_s, uint32_t from, uint32_t to, double bytes)
{
    vec_push(t, ((struct transfer){.at_us = (int64_t)(at_s * 1e6),
                                   .from = from,
                                   .to = to,
                                   .weight = 1,
                                   .bytes = bytes,
                                   .reader = t->readers}));
}

/* Flows between random nodes; half of them from the first `hot` nodes. */
static struct traffic random_flows(uint64_t seed, uint32_t count, uint32_t hot, double seconds)
{
    enum { NODES = 150 };
    struct rng r = rng_stream(seed, RNG_TEST, 0, 0, 0, 0);
    struct traffic t = {0};
    for (; t.readers < count; t.readers++) {
        uint32_t from = (uint32_t)rng_below(&r, rng_below(&r, 2) ? hot : NODES);
        crowd_add(&t, seconds * rng_unit(&r), from, (uint32_t)rng_below(&r, NODES),
                  (0.1 + rng_exponential(&r)) * 20 * MB);
    }
    return t;
}

struct traffic crowd_small_shuffles(uint64_t seed, uint32_t nodes, uint32_t jobs, uint32_t tasks,
                                    uint32_t copies, double spread_s)
{
    struct rng r = rng_stream(seed, RNG_TEST, 1, 0, 0, 0);
    struct traffic t = {0};
    for (uint32_t j = 0; j < jobs; j++) {
        double at_s = 20 * rng_unit(&r), bytes = (0.2 + rng_exponential(&r)) * 40 * MB;
        uint32_t m = 1 + (uint32_t)rng_below(&r, tasks),
                 readers = 1 + (uint32_t)rng_below(&r, tasks);
        uint32_t from[16];
        for (uint32_t i = 0; i < m; i++)
            from[i] = (uint32_t)rng_below(&r, nodes);
        for (uint32_t k = 0; k < readers * copies; k++, t.readers++) {
            uint32_t to = (uint32_t)rng_below(&r, nodes);
            double begin_s = at_s + spread_s * rng_unit(&r);
            for (uint32_t i = 0; i < m; i++)
                crowd_add(&t, begin_s, from[i], to, bytes / readers);
        }
    }
    return t;
}

/* Never more than NETWORK_EXACT_FLOWS at a time: the only difference is that ends are whole. */
TEST(network_is_exact_for_few_flows)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct cluster *c = crowd_cluster(24, 3, 1 + (double)(seed % 3));
        struct traffic t = crowd_small_shuffles(seed, 24, 12, 5, 1, 0.5);
        qsort(t.at, t.count, sizeof *t.at, by_time);
        double *ours = mem_zalloc(t.count, sizeof *ours),
               *exact = mem_zalloc(t.count, sizeof *exact);
        c->wires.stream = seed % 2 ? 40 * 1000 * 1000 : 0;
        for (uint32_t i = 0; i < t.count; i++)
            t.at[i].weight = FLOW_ONE / (1 + i % 3);
        expect(t.count > 50);
        run(c, &t, ours);
        network_exact(c, &t, exact);
        for (uint32_t i = 0; i < t.count; i++)
            expect(fabs(ours[i] - exact[i]) < 5);
        mem_free(ours);
        mem_free(exact);
        vec_free(&t);
        cluster_destroy(c);
    }
}

TEST(network_is_near_max_min_for_random_flows)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *flat = crowd_cluster(150, 1, 1), *racks = crowd_cluster(150, 10, 5);
        struct traffic t = random_flows(seed, 1500, 150, 3);
        crowd_hold("random", flat, &t, WORK_MAX);
        t = random_flows(seed, 1500, 150, 10);
        crowd_hold("random, racks 5:1", racks, &t, WORK_MAX);
        t = random_flows(seed, 1000, 10, 10);
        crowd_hold("hot spots", flat, &t, WORK_MAX);
        t = random_flows(seed, 1000, 10, 15);
        crowd_hold("hot spots, racks 5:1", racks, &t, WORK_MAX);
        cluster_destroy(flat);
        cluster_destroy(racks);
    }
}

TEST(network_is_near_max_min_for_shuffles_of_small_jobs)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *flat = crowd_cluster(150, 1, 1), *racks = crowd_cluster(150, 10, 5);
        struct traffic t = crowd_small_shuffles(seed, 150, 100, 10, 1, 0.2);
        crowd_hold("small jobs", flat, &t, WORK_MAX);
        t = crowd_small_shuffles(seed, 150, 100, 10, 1, 0.2);
        crowd_hold("small jobs, racks 5:1", racks, &t, WORK_MAX);
        t = crowd_small_shuffles(seed, 150, 60, 5, 3, 0.5);
        crowd_hold("small cloned jobs", flat, &t, WORK_MAX);
        t = crowd_small_shuffles(seed, 150, 60, 5, 3, 0.5);
        crowd_hold("small cloned jobs, racks 5:1", racks, &t, WORK_MAX);
        cluster_destroy(flat);
        cluster_destroy(racks);
    }
}

/* With a limit for each stream, and readers that count less than one flow for each source. */
TEST(network_is_near_max_min_with_streams)
{
    struct cluster *flat = crowd_cluster(150, 1, 1), *racks = crowd_cluster(150, 10, 5);
    flat->wires.stream = racks->wires.stream = 40 * 1000 * 1000;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct rng r = rng_stream(seed, RNG_TEST, 3, 0, 0, 0);
        for (int k = 0; k < 2; k++) {
            struct traffic t = crowd_small_shuffles(seed, 150, 60, 5, 3, 0.5);
            for (uint32_t i = 0; i < t.count; i++)
                t.at[i].weight = FLOW_ONE / (1 + (uint32_t)rng_below(&r, 4));
            crowd_hold(k ? "streams, racks 5:1" : "streams", k ? racks : flat, &t, WORK_MAX);
        }
    }
    cluster_destroy(flat);
    cluster_destroy(racks);
}

/* Jobs whose outputs lie on `nodes` nodes of every rack, each read by `readers` readers with one
 * wide transfer from each rack, among small jobs. */
static void hold_wide(const char *what, const struct cluster *c, uint32_t jobs, uint32_t nodes,
                      uint32_t readers, uint32_t small)
{
    struct traffic t = crowd_small_shuffles(7, c->node_count, small, 8, 1, 0.2);
    struct rng r = rng_stream(7, RNG_TEST, 2, 0, 0, 0);
    for (uint32_t k = 0; k < jobs * readers; k++, t.readers++) {
        double at_s = 10.0 * (k / readers) / jobs + 2 * rng_unit(&r);
        uint32_t to = (uint32_t)rng_below(&r, c->node_count);
        for (uint32_t rack = 0; rack < c->rack_count; rack++) {
            crowd_add(&t, at_s, EXACT_NODE_NONE, to, 60 * MB);
            struct transfer *x = &t.at[t.count - 1];
            x->rack = rack;
            x->first = k / readers * 7 % (c->node_count / c->rack_count);
            x->nodes = x->weight = nodes;
        }
    }
    for (uint32_t i = 0; i < t.count; i++)
        t.at[i].weight *= FLOW_ONE; /* as readers have it */
    crowd_hold(what, c, &t, WORK_MAX);
}

TEST(network_is_near_max_min_for_wide_flows)
{
    struct cluster *flat = crowd_cluster(40, 1, 1), *racks = crowd_cluster(40, 4, 4);
    hold_wide("wide", flat, 1, 40, 100, 0);
    hold_wide("wide and small jobs", flat, 1, 40, 100, 60);
    hold_wide("wide, racks 4:1", racks, 1, 10, 60, 0);
    hold_wide("wide and small, racks 4:1", racks, 1, 10, 60, 60);
    /* From a part of the rack's nodes: the narrow place is there. */
    hold_wide("part of a rack", flat, 1, 15, 60, 0);
    hold_wide("parts, three jobs", flat, 3, 25, 40, 0);
    hold_wide("parts and small, racks 4:1", racks, 3, 6, 20, 60);
    cluster_destroy(flat);
    flat = crowd_cluster(150, 1, 1);
    hold_wide("parts and small", flat, 2, 45, 60, 60);
    cluster_destroy(flat);
    flat = crowd_cluster(40, 1, 1);
    hold_wide("half of the nodes", flat, 1, 20, 60, 60);
    cluster_destroy(flat);
    flat = crowd_cluster(150, 1, 1);
    hold_wide("halves, five jobs", flat, 5, 75, 60, 30);
    hold_wide("halves, racks 4:1", racks, 3, 5, 40, 60);
    cluster_destroy(flat);
    cluster_destroy(racks);
}

/* Crowds on nodes of which every third has links of a tenth to a half. */
TEST(network_is_near_max_min_where_links_differ)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *c = crowd_cluster(60, 1, 1);
        for (uint32_t i = 0; i < 60; i += 3)
            c->nodes[i].links = 0.1 + 0.1 * (i % 5);
        struct traffic t = crowd_small_shuffles(seed, 60, 60, 8, 1, 0.2);
        crowd_hold("unequal links", c, &t, WORK_MAX);
        cluster_destroy(c);
    }
}

/* The work for each flow does not grow with the number of flows around it. */
TEST(network_work_does_not_grow_with_the_crowd)
{
    struct cluster *c = crowd_cluster(150, 10, 5);
    double work[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct traffic t = random_flows(1, i ? 8000 : 2000, 150, 4);
        double *took = mem_zalloc(t.count, sizeof *took);
        qsort(t.at, t.count, sizeof *t.at, by_time);
        work[i] = run(c, &t, took);
        mem_free(took);
        vec_free(&t);
    }
    if (getenv("NETWORK_TEST_PRINT"))
        printf("work for each flow: %.0f of 2000, %.0f of 8000\n", work[0], work[1]);
    expect(work[1] < 1.5 * work[0]);
    cluster_destroy(c);
}
