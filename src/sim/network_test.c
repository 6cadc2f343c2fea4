/* network_test.c - flows that can be checked by hand, and crowds of them that are held against
 * network_exact. With NETWORK_TEST_PRINT in the environment it prints the numbers of
 * docs/NETWORK.md. */
#include "sim/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/stat.h"
#include "sim/network_exact_test.h"
#include "tests/test.h"

#define MB 1e6

/* Nodes in turn in the racks; 100 MB/s up and down, 50 MB/s from the disk. */
static struct cluster *make_cluster(uint32_t nodes, uint32_t racks, double oversubscription)
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
    c->wires = (struct wires){.on = true,
                              .up = 100 * 1000 * 1000,
                              .down = 100 * 1000 * 1000,
                              .disk = 50 * 1000 * 1000,
                              .oversubscription = oversubscription};
    return c;
}

/* ---- by hand ---- */

/* The time of the next end, which is that of this flow. -1 if it is another's. */
static int64_t next_end(struct network *n, int64_t now_us, uint32_t flow)
{
    network_settle(n, now_us);
    for (;;) {
        int64_t time = network_next_us(n);
        if (time == INT64_MAX)
            return -1;
        uint32_t ended = network_take(n, time);
        if (ended != FLOW_NONE)
            return ended == flow ? time : -1;
    }
}

TEST(network_one_flow_has_the_link_for_itself)
{
    struct cluster *c = make_cluster(4, 1, 1);
    struct network *n = network_create(c);
    expect(network_next_us(n) == INT64_MAX && network_take(n, 0) == FLOW_NONE);
    uint32_t f = network_begin(n, 0, 0, 1, 100 * MB, 1);
    network_settle(n, 0);
    expect(network_rate(n, f) == 100);
    expect(network_left(n, 250 * 1000, f) == 75 * MB);
    expect(network_next_us(n) == 1000 * 1000);
    expect(network_take(n, 999999) == FLOW_NONE && network_take(n, 1000 * 1000) == f);
    expect(network_take(n, 1000 * 1000) == FLOW_NONE && network_next_us(n) == INT64_MAX);

    f = network_begin(n, 2000 * 1000, 2, 2, 1, 1); /* 0.02 us of disk: ends are whole */
    expect(next_end(n, 2000 * 1000, f) == 2000 * 1000 + 1);
    f = network_begin(n, 3000 * 1000, 2, 2, 50 * MB, 1);
    expect(next_end(n, 3000 * 1000, f) == 4000 * 1000);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_flows_share_and_use_what_others_leave)
{
    struct cluster *c = make_cluster(6, 1, 1);
    struct network *n = network_create(c);
    /* Three from node 0; two of them meet two more at node 1, which is the narrower place. */
    uint32_t a = network_begin(n, 0, 0, 1, 100 * MB, 1), b = network_begin(n, 0, 0, 1, 100 * MB, 1);
    uint32_t wide = network_begin(n, 0, 0, 2, 100 * MB, 1);
    network_begin(n, 0, 3, 1, 100 * MB, 1);
    network_begin(n, 0, 4, 1, 100 * MB, 1);
    network_settle(n, 0);
    expect(network_rate(n, a) == 25 && network_rate(n, b) == 25 && network_rate(n, wide) == 50);
    expect(next_end(n, 0, wide) == 2000 * 1000);
    /* Its neighbours are held back elsewhere and gain nothing. */
    network_settle(n, 2000 * 1000);
    expect(network_rate(n, a) == 25);
    network_stop(n, a);
    network_settle(n, 2000 * 1000);
    expect(fabs(network_rate(n, b) - 100.0 / 3) < 1e-9);
    expect(network_left(n, 2000 * 1000, b) == 50 * MB);
    /* A stopped flow never ends, and its number is used again. */
    expect(network_begin(n, 2000 * 1000, 5, 5, MB, 1) == a);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_weight_stands_for_many_flows)
{
    struct cluster *c = make_cluster(4, 1, 1);
    struct network *n = network_create(c);
    uint32_t three = network_begin(n, 0, 0, 2, 75 * MB, 3), one = network_begin(n, 0, 1, 2, MB, 1);
    network_settle(n, 0);
    expect(network_rate(n, three) == 75 && network_rate(n, one) == 25);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_stream_holds_back_what_links_do_not)
{
    struct cluster *c = make_cluster(4, 1, 1);
    c->wires.stream = 30 * 1000 * 1000;
    struct network *n = network_create(c);
    /* One read is as fast as a stream; three reads in one flow as three; half a read as half. */
    uint32_t one = network_begin(n, 0, 0, 1, 15 * MB, FLOW_ONE);
    uint32_t three = network_begin(n, 0, 2, 3, 900 * MB, 3 * FLOW_ONE);
    uint32_t half = network_begin(n, 0, 1, 2, 900 * MB, FLOW_ONE / 2);
    uint32_t own = network_begin(n, 0, 0, 0, 900 * MB, FLOW_ONE);
    network_settle(n, 0);
    expect(fabs(network_rate(n, one) - 30) < 1e-9 && fabs(network_rate(n, three) - 90) < 1e-9);
    expect(fabs(network_rate(n, half) - 15) < 1e-9 && fabs(network_rate(n, own) - 30) < 1e-9);
    /* Four from node 0 take 25 each; what they leave to the others is not theirs to take. */
    for (uint32_t i = 1; i < 4; i++)
        network_begin(n, 0, 0, i, 900 * MB, FLOW_ONE);
    network_settle(n, 0);
    expect(fabs(network_rate(n, one) - 25) < 1e-9 && fabs(network_rate(n, half) - 15) < 1e-9);
    network_stop(n, one);
    network_settle(n, 0);
    expect(fabs(network_rate(n, three) - 75) < 1.01); /* node 3 receives 100, 30 of it from 0 */
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_racks_are_narrow_only_between_them)
{
    /* Nodes 0, 2, 4, 6 in one rack, the others in the other: 4 x 100 / 8 = 50 between them. */
    struct cluster *c = make_cluster(8, 2, 8);
    struct network *n = network_create(c);
    uint32_t across = network_begin(n, 0, 0, 1, MB, 1), back = network_begin(n, 0, 3, 2, MB, 1);
    uint32_t inside = network_begin(n, 0, 4, 6, MB, 1);
    network_settle(n, 0);
    expect(network_rate(n, across) == 50 && network_rate(n, back) == 50);
    expect(network_rate(n, inside) == 100);
    uint32_t second = network_begin(n, 1, 2, 3, MB, 1);
    network_settle(n, 1);
    expect(network_rate(n, across) == 25 && network_rate(n, second) == 25);
    expect(network_rate(n, back) == 50);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_background_takes_its_share_of_links_but_not_of_disks)
{
    struct cluster *c = make_cluster(2, 1, 1);
    c->wires.background = 0.25;
    struct network *n = network_create(c);
    uint32_t far = network_begin(n, 0, 0, 1, MB, 1), near = network_begin(n, 0, 0, 0, MB, 1);
    network_settle(n, 0);
    expect(network_rate(n, far) == 75 && network_rate(n, near) == 50);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_wide_and_narrow_flows_share_the_wires)
{
    struct cluster *c = make_cluster(8, 2, 1);
    struct network *n = network_create(c);
    /* Rack 0 is nodes 0, 2, 4, 6. Eight readers want all that it can send; a ninth asks node 0. */
    uint32_t wide[8];
    for (uint32_t i = 0; i < 8; i++)
        wide[i] = network_begin_wide(n, 0, network_spread_rack(n, 0), 4, i, 100 * MB, 4);
    network_settle(n, 0);
    expect(network_rate(n, wide[0]) == 50 && network_rate(n, wide[7]) == 50);
    uint32_t narrow = network_begin(n, 1, 0, 7, 100 * MB, 1);
    network_settle(n, 1);
    /* Node 0 serves a quarter of each wide flow, and this one: nine alike. */
    expect(fabs(network_rate(n, narrow) - 100.0 / 9) < 1);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_flows_from_a_part_of_a_rack_meet_only_there)
{
    struct cluster *c = make_cluster(8, 1, 1);
    struct network *n = network_create(c);
    uint32_t part[] = {0, 1}, s = network_spread(n, part, 2);
    /* Two readers want all that nodes 0 and 1 can send. */
    uint32_t a = network_begin_wide(n, 0, s, 2, 6, 100 * MB, 2);
    uint32_t b = network_begin_wide(n, 0, s, 2, 7, 100 * MB, 2);
    network_settle(n, 0);
    expect(network_rate(n, a) == 100 && network_rate(n, b) == 100);
    uint32_t here = network_begin(n, 1, 0, 5, 100 * MB, 1);
    uint32_t there = network_begin(n, 1, 2, 4, 100 * MB, 1);
    network_settle(n, 1);
    expect(network_rate(n, there) == 100); /* node 2 has nothing to do with it */
    expect(fabs(network_rate(n, here) - 100.0 / 3) < 2);
    /* A spread that is dropped serves those who read from it, and its number is used again. */
    network_spread_drop(n, s);
    network_stop(n, a);
    network_settle(n, 2);
    expect(network_rate(n, b) > 60);
    network_stop(n, b);
    network_settle(n, 3);
    expect(network_rate(n, here) == 100);
    expect(network_spread(n, part, 1) == s);
    network_destroy(n);
    cluster_destroy(c);
}

/* ---- crowds ---- */

/* Spreads that were made for transfers from the same nodes. */
struct known_spread {
    uint32_t rack, first, nodes, spread;
};
typedef VEC(struct known_spread) known_spreads;

static uint32_t begin_wide(struct network *n, const struct cluster *c, int64_t now,
                           const struct transfer *t, known_spreads *known)
{
    uint32_t k = 0, all[512], from[512], size = 0;
    while (k < known->count && (known->at[k].rack != t->rack || known->at[k].first != t->first ||
                                known->at[k].nodes != t->nodes))
        k++;
    if (k == known->count) {
        for (uint32_t i = 0; i < c->node_count; i++)
            if (c->nodes[i].rack == t->rack)
                all[size++] = i;
        for (uint32_t i = 0; i < t->nodes; i++)
            from[i] = all[(t->first + i) % size];
        vec_push(known, ((struct known_spread){t->rack, t->first, t->nodes,
                                               network_spread(n, from, t->nodes)}));
    }
    return network_begin_wide(n, now, known->at[k].spread, t->nodes, t->to, t->bytes, t->weight);
}

/* Runs the traffic through the network; how long each transfer takes. Returns work per flow. */
static double run(const struct cluster *c, const struct traffic *traffic, double *took)
{
    struct network *n = network_create(c);
    known_spreads spreads = {0};
    uint32_t *whose = mem_zalloc(traffic->count, sizeof *whose), live = 0;
    for (uint32_t next = 0; next < traffic->count || live > 0;) {
        int64_t now = network_next_us(n);
        if (next < traffic->count && traffic->at[next].at_us < now)
            now = traffic->at[next].at_us;
        for (uint32_t f; (f = network_take(n, now)) != FLOW_NONE; live--)
            took[whose[f]] = (double)(now - traffic->at[whose[f]].at_us);
        for (; next < traffic->count && traffic->at[next].at_us == now; next++, live++) {
            const struct transfer *t = &traffic->at[next];
            uint32_t f = t->from == EXACT_NODE_NONE
                             ? begin_wide(n, c, now, t, &spreads)
                             : network_begin(n, now, t->from, t->to, t->bytes, t->weight);
            whose[f] = next;
        }
        network_settle(n, now);
    }
    for (uint32_t i = 0; i < spreads.count; i++)
        network_spread_drop(n, spreads.at[i].spread);
    vec_free(&spreads);
    double work = (double)network_work(n) / traffic->count;
    mem_free(whose);
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

/* The bound of the model: half of all transfers within 5 % of the exact time, 95 % within 15 %.
 * Flow by flow, and for all that a reader reads. Frees the traffic. */
static void hold_against_exact(const char *what, const struct cluster *c, struct traffic *traffic)
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
    expect(work < 1000);
    mem_free(ours);
    mem_free(exact);
    mem_free(reader_ours);
    mem_free(reader_exact);
    vec_free(traffic);
}

static void add(struct traffic *t, double at_s, uint32_t from, uint32_t to, double bytes)
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
        add(&t, seconds * rng_unit(&r), from, (uint32_t)rng_below(&r, NODES),
            (0.1 + rng_exponential(&r)) * 20 * MB);
    }
    return t;
}

/* Shuffles of small jobs on so many nodes: up to `tasks` sources, each read by up to `tasks` x
 * `copies` readers that begin within `spread_s`. */
static struct traffic small_shuffles(uint64_t seed, uint32_t nodes, uint32_t jobs, uint32_t tasks,
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
                add(&t, begin_s, from[i], to, bytes / readers);
        }
    }
    return t;
}

TEST(network_is_near_max_min_for_random_flows)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *flat = make_cluster(150, 1, 1), *racks = make_cluster(150, 10, 5);
        struct traffic t = random_flows(seed, 1500, 150, 3);
        hold_against_exact("random", flat, &t);
        t = random_flows(seed, 1500, 150, 10);
        hold_against_exact("random, racks 5:1", racks, &t);
        t = random_flows(seed, 1000, 10, 10);
        hold_against_exact("hot spots", flat, &t);
        t = random_flows(seed, 1000, 10, 15);
        hold_against_exact("hot spots, racks 5:1", racks, &t);
        cluster_destroy(flat);
        cluster_destroy(racks);
    }
}

TEST(network_is_near_max_min_for_shuffles_of_small_jobs)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *flat = make_cluster(150, 1, 1), *racks = make_cluster(150, 10, 5);
        struct traffic t = small_shuffles(seed, 150, 100, 10, 1, 0.2);
        hold_against_exact("small jobs", flat, &t);
        t = small_shuffles(seed, 150, 100, 10, 1, 0.2);
        hold_against_exact("small jobs, racks 5:1", racks, &t);
        t = small_shuffles(seed, 150, 60, 5, 3, 0.5);
        hold_against_exact("small cloned jobs", flat, &t);
        t = small_shuffles(seed, 150, 60, 5, 3, 0.5);
        hold_against_exact("small cloned jobs, racks 5:1", racks, &t);
        cluster_destroy(flat);
        cluster_destroy(racks);
    }
}

/* With a limit for each stream, and readers that count less than one flow for each source. */
TEST(network_is_near_max_min_with_streams)
{
    struct cluster *flat = make_cluster(150, 1, 1), *racks = make_cluster(150, 10, 5);
    flat->wires.stream = racks->wires.stream = 40 * 1000 * 1000;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct rng r = rng_stream(seed, RNG_TEST, 3, 0, 0, 0);
        for (int k = 0; k < 2; k++) {
            struct traffic t = small_shuffles(seed, 150, 60, 5, 3, 0.5);
            for (uint32_t i = 0; i < t.count; i++)
                t.at[i].weight = FLOW_ONE / (1 + (uint32_t)rng_below(&r, 4));
            hold_against_exact(k ? "streams, racks 5:1" : "streams", k ? racks : flat, &t);
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
    struct traffic t = small_shuffles(7, c->node_count, small, 8, 1, 0.2);
    struct rng r = rng_stream(7, RNG_TEST, 2, 0, 0, 0);
    for (uint32_t k = 0; k < jobs * readers; k++, t.readers++) {
        double at_s = 10.0 * (k / readers) / jobs + 2 * rng_unit(&r);
        uint32_t to = (uint32_t)rng_below(&r, c->node_count);
        for (uint32_t rack = 0; rack < c->rack_count; rack++) {
            add(&t, at_s, EXACT_NODE_NONE, to, 60 * MB);
            struct transfer *x = &t.at[t.count - 1];
            x->rack = rack;
            x->first = k / readers * 7 % (c->node_count / c->rack_count);
            x->nodes = x->weight = nodes;
        }
    }
    hold_against_exact(what, c, &t);
}

TEST(network_is_near_max_min_for_wide_flows)
{
    struct cluster *flat = make_cluster(40, 1, 1), *racks = make_cluster(40, 4, 4);
    hold_wide("wide", flat, 1, 40, 100, 0);
    hold_wide("wide and small jobs", flat, 1, 40, 100, 60);
    hold_wide("wide, racks 4:1", racks, 1, 10, 60, 0);
    hold_wide("wide and small, racks 4:1", racks, 1, 10, 60, 60);
    /* From a part of the rack's nodes: the narrow place is there. */
    hold_wide("part of a rack", flat, 1, 15, 60, 0);
    hold_wide("parts, three jobs", flat, 3, 25, 40, 0);
    hold_wide("parts and small, racks 4:1", racks, 3, 6, 20, 60);
    cluster_destroy(flat);
    flat = make_cluster(150, 1, 1);
    hold_wide("parts and small", flat, 2, 45, 60, 60);
    cluster_destroy(flat);
    flat = make_cluster(40, 1, 1);
    hold_wide("half of the nodes", flat, 1, 20, 60, 60);
    cluster_destroy(flat);
    flat = make_cluster(150, 1, 1);
    hold_wide("halves, five jobs", flat, 5, 75, 60, 30);
    hold_wide("halves, racks 4:1", racks, 3, 5, 40, 60);
    cluster_destroy(flat);
    cluster_destroy(racks);
}

/* More than the network can carry: five jobs that overlap, each read from another half of 70 nodes,
 * among 105 small jobs. Wide flows would be far off here, because the nodes are so unequally busy;
 * a shuffle of this size still has a flow from every node. */
TEST(network_is_near_max_min_under_overload)
{
    enum { NODES = 70, HALF = NODES / 2, JOBS = 5, READERS = 105 };
    struct cluster *c = make_cluster(NODES, 1, 1);
    struct traffic t = small_shuffles(7, NODES, 105, 8, 1, 0.2);
    struct rng r = rng_stream(7, RNG_TEST, 4, 0, 0, 0);
    struct network *n = network_create(c);
    expect(!network_wide_pays(n, HALF, READERS));
    network_destroy(n);
    for (uint32_t k = 0; k < JOBS * READERS; k++, t.readers++) {
        double at_s = 10.0 * (k / READERS) / JOBS + 2 * rng_unit(&r);
        uint32_t to = (uint32_t)rng_below(&r, NODES);
        for (uint32_t i = 0; i < HALF; i++)
            add(&t, at_s, (k / READERS * 13 + i) % NODES, to, 60 * MB / HALF);
    }
    hold_against_exact("overload", c, &t);
    cluster_destroy(c);
}

TEST(network_wide_flows_are_for_very_large_shuffles)
{
    struct cluster *c = make_cluster(40, 1, 1);
    struct network *n = network_create(c);
    expect(!network_wide_pays(n, 32, 10000) && network_wide_pays(n, 33, 125));
    expect(!network_wide_pays(n, 64, 64) && network_wide_pays(n, 64, 65));
    expect(!network_wide_pays(n, 1000, 4) && network_wide_pays(n, 1000, 5));
    network_destroy(n);
    c->nodes[39].links = 0.5; /* and not where the slowest node decides */
    n = network_create(c);
    expect(!network_wide_pays(n, 40, 10000));
    network_destroy(n);
    cluster_destroy(c);
}

/* A node's `links` are a factor on all three of them, and count in those of its rack. */
TEST(network_nodes_may_have_slower_links)
{
    struct cluster *c = make_cluster(4, 2, 4);
    c->nodes[0].links = 0.25;
    struct network *n = network_create(c);
    uint32_t own = network_begin(n, 0, 0, 0, 12.5 * MB, 1);
    expect(next_end(n, 0, own) == 1000 * 1000);
    uint32_t sent = network_begin(n, 0, 0, 2, 25 * MB, 1); /* nodes 0 and 2 are in one rack */
    expect(next_end(n, 0, sent) == 1000 * 1000);
    uint32_t got = network_begin(n, 0, 2, 0, 25 * MB, 1);
    expect(next_end(n, 0, got) == 1000 * 1000);
    uint32_t far = network_begin(n, 0, 2, 1, 31.25 * MB, 1); /* (100 + 25) / 4 MB/s */
    expect(next_end(n, 0, far) == 1000 * 1000);
    network_destroy(n);
    cluster_destroy(c);
}

/* Crowds on nodes of which every third has links of a tenth to a half. */
TEST(network_is_near_max_min_where_links_differ)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct cluster *c = make_cluster(60, 1, 1);
        for (uint32_t i = 0; i < 60; i += 3)
            c->nodes[i].links = 0.1 + 0.1 * (i % 5);
        struct traffic t = small_shuffles(seed, 60, 60, 8, 1, 0.2);
        hold_against_exact("unequal links", c, &t);
        cluster_destroy(c);
    }
}

/* The work for each flow does not grow with the number of flows around it. */
TEST(network_work_does_not_grow_with_the_crowd)
{
    struct cluster *c = make_cluster(150, 10, 5);
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

/* Two racks of two nodes, links of 100 bytes/us per node, racks 2:1, so 100 per rack. */
TEST(network_tells_what_a_newcomer_could_get_of_a_rack)
{
    struct cluster *c = cluster_plain(4, 1);
    cluster_add_rack(c, "r1");
    c->nodes[2].rack = c->nodes[3].rack = 1;
    c->wires = (struct wires){
        .on = true, .up = 100000000, .down = 100000000, .disk = 100000000, .oversubscription = 2};
    struct network *n = network_create(c);
    network_settle(n, 0);
    expect(fabs(network_rack_free(n, 0, true) - 100) < 1e-9);
    uint32_t flow = network_begin(n, 0, 0, 2, 1e9, 1);
    network_begin(n, 0, 1, 2, 1e9, 1); /* node 2 receives 100 in all */
    network_settle(n, 0);
    expect(fabs(network_rack_free(n, 0, true) - 50) < 1e-9); /* full: half of it */
    expect(fabs(network_rack_free(n, 1, false) - 50) < 1e-9);
    expect(fabs(network_rack_free(n, 1, true) - 100) < 1e-9); /* the other direction is idle */
    network_stop(n, flow);
    network_begin(n, 0, 1, 3, 1e9, 3); /* node 1 sends 25 and 75 */
    network_settle(n, 0);
    expect(network_rack_free(n, 0, true) < 51);
    network_destroy(n);
    c->wires.oversubscription = 1;
    n = network_create(c);
    expect(network_rack_free(n, 0, true) <= 0); /* no link of its own */
    network_destroy(n);
    cluster_destroy(c);
}
