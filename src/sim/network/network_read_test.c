/* network_read_test.c - reads, alone and in crews, held against max-min fairness. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/stat.h"
#include "sim/network/network_crowd_test.h"
#include "sim/network/network_state.h"
#include "tests/unit/test.h"

/* Adds a read as the exact solver sees it: a transfer from each node. */
static void add_read(struct traffic *t, int64_t at_us, uint32_t to, const uint32_t *from,
                     uint32_t count, double bytes)
{
    for (uint32_t i = 0; i < count; i++)
        vec_push(t, ((struct transfer){.at_us = at_us,
                                       .from = from[i],
                                       .to = to,
                                       .weight = FLOW_ONE,
                                       .bytes = bytes,
                                       .reader = t->readers}));
    t->readers++;
}

static uint32_t begin_read(struct network *n, const struct traffic *t, uint32_t *next)
{
    struct network_part parts[64];
    uint32_t count = 0, reader = t->at[*next].reader, to = t->at[*next].to;
    int64_t at_us = t->at[*next].at_us;
    for (; *next < t->count && t->at[*next].reader == reader; ++*next) {
        const struct transfer *x = &t->at[*next];
        parts[count++] = (struct network_part){x->from, false, x->weight, x->bytes};
    }
    return network_read(n, at_us, to, parts, count);
}

/* Runs the traffic, one read for each reader; how long each takes. Returns the largest number of
 * flows. */
static uint32_t run_reads(const struct cluster *c, const struct traffic *t, double *took)
{
    struct network *n = network_create(c);
    uint32_t whose[4096], live = 0, most = 0;
    int64_t *at_us = mem_zalloc(t->readers, sizeof *at_us);
    for (uint32_t next = 0; next < t->count || live > 0;) {
        int64_t now = network_next_us(n);
        if (next < t->count && t->at[next].at_us < now)
            now = t->at[next].at_us;
        expect(network_take(n, now) == FLOW_NONE);
        for (uint32_t r; (r = network_read_take(n)) != READ_NONE; live--)
            took[whose[r]] = (double)(now - at_us[whose[r]]);
        while (next < t->count && t->at[next].at_us == now) {
            uint32_t reader = t->at[next].reader, r = begin_read(n, t, &next);
            expect(r < 4096);
            whose[r] = reader;
            at_us[reader] = now;
            live++;
        }
        network_settle(n, now);
        most = n->live > most ? n->live : most;
    }
    expect(n->waiting_parts.count == 0 && n->reads_free.count == n->reads.count);
    expect(n->bunches_free.count == n->bunches.count && n->crews_free.count == n->crews.count);
    network_destroy(n);
    mem_free(at_us);
    return most;
}

/* Holds reads to what their flows take one by one. Returns the largest number of flows. */
static uint32_t hold_reads(const struct cluster *c, struct traffic *t)
{
    double *ours = mem_zalloc(t->readers, sizeof *ours),
           *exact = mem_zalloc(t->count, sizeof *exact), *whole;
    whole = mem_zalloc(t->readers, sizeof *whole);
    uint32_t most = run_reads(c, t, ours);
    network_exact(c, t, exact);
    for (uint32_t i = 0; i < t->count; i++)
        whole[t->at[i].reader] = fmax(whole[t->at[i].reader], exact[i]);
    for (uint32_t r = 0; r < t->readers; r++)
        expect(fabs(ours[r] - whole[r]) < 10);
    mem_free(ours);
    mem_free(exact);
    mem_free(whole);
    vec_free(t);
    return most;
}

/* Forty readers of five nodes cost five flows, not two hundred, and are exact. */
TEST(network_readers_that_are_alike_share_flows)
{
    struct cluster *c = crowd_cluster(60, 1, 1);
    struct traffic t = {0};
    for (uint32_t i = 0; i < 40; i++)
        add_read(&t, 0, 20 + i, (uint32_t[]){0, 1, 2, 3, 4}, 5, 10 * MB);
    expect(hold_reads(c, &t) == 5);
    /* Two reads on each of some nodes, one on others, and one of a source itself. */
    for (uint32_t i = 0; i < 40; i++)
        add_read(&t, 7, 20 + i % 30, (uint32_t[]){0, 1, 2, 3, 4}, 5, 10 * MB);
    add_read(&t, 7, 2, (uint32_t[]){0, 1, 2, 3, 4}, 5, 10 * MB);
    expect(hold_reads(c, &t) == 3 * 5);
    cluster_destroy(c);
}

/* The nodes of a crew on which something else begins leave it together. */
TEST(network_crews_divide_where_other_reads_begin)
{
    struct cluster *c = crowd_cluster(60, 1, 1);
    struct traffic t = {0};
    for (uint32_t i = 0; i < 40; i++)
        add_read(&t, 0, 20 + i, (uint32_t[]){0, 1, 2, 3, 4}, 5, 10 * MB);
    for (uint32_t i = 0; i < 20; i++)
        add_read(&t, 2000 * 1000, 40 + i, (uint32_t[]){5, 6, 7}, 3, 10 * MB);
    for (uint32_t i = 0; i < 5; i++)
        add_read(&t, 2500 * 1000, 38 + i, (uint32_t[]){8, 9}, 2, 30 * MB + i % 2 * 5 * MB);
    expect(hold_reads(c, &t) < 50);
    cluster_destroy(c);
}

/* Racks 0 to 3 with ten nodes each, and links to the others as wide as those of five. */
TEST(network_crews_of_several_racks_last_until_a_rack_is_crowded)
{
    struct cluster *c = crowd_cluster(40, 4, 2);
    for (uint32_t more = 0; more <= 6; more += 3) {
        struct traffic t = {0};
        uint32_t from[] = {0, 1, 2, 3}; /* one of each rack */
        for (uint32_t i = 0; i < 12; i++)
            add_read(&t, 0, 4 + i, from, 4, 30 * MB);
        for (uint32_t i = 0; i < more; i++) /* all in rack 1 */
            add_read(&t, 1000 * 1000, 17 + 4 * i, (uint32_t[]){6, 8, 10}, 3, 20 * MB);
        expect(hold_reads(c, &t) == (more > 0 ? 4 + 4 + 3 : 4));
    }
    cluster_destroy(c);
}

/* Eight sources in rack 0, which can send as much as five: its own readers are faster. */
TEST(network_crews_of_several_racks_divide_where_a_rack_cannot_send_enough)
{
    struct cluster *c = crowd_cluster(40, 4, 2);
    struct traffic t = {0};
    for (uint32_t i = 0; i < 8; i++)
        add_read(&t, 0, 32 + i, (uint32_t[]){0, 4, 8, 12, 16, 20, 24, 28}, 8, 10 * MB);
    expect(hold_reads(c, &t) == 2 * 8);
    cluster_destroy(c);
}

/* Few sources, random readers at few instants: crews form and divide all the time. */
TEST(network_reads_are_exact_in_small_crowds)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint32_t racks = seed % 3 ? 4 : 1;
        struct cluster *c = crowd_cluster(24, racks, racks > 1 ? 1 + (double)(seed % 4) : 1);
        struct rng r = rng_stream(seed, RNG_TEST, 7, 0, 0, 0);
        struct traffic t = {0};
        for (uint32_t job = 0; job < 3; job++) {
            uint32_t from[3], first = (uint32_t)rng_below(&r, 24);
            for (uint32_t i = 0; i < 3; i++)
                from[i] = (first + 5 * i) % 24;
            for (uint32_t i = 0; i < 6; i++)
                add_read(&t, 300000 * job, (uint32_t)rng_below(&r, 24), from, 3, 5 * MB);
        }
        expect(hold_reads(c, &t) <= NETWORK_EXACT_FLOWS);
        cluster_destroy(c);
    }
}

/* Shuffles of 40 x 40 that overlap, with far more flows than are followed exactly: as reads, and
 * then flow by flow. */
static void hold_shuffles(const char *what, const struct cluster *c, uint64_t seed, double every_s)
{
    enum { JOBS = 5, WIDTH = 40 };
    struct rng r = rng_stream(seed, RNG_TEST, 8, 0, 0, 0);
    struct traffic t = {0};
    for (uint32_t job = 0; job < JOBS; job++) {
        uint32_t from[WIDTH], first = (uint32_t)rng_below(&r, c->node_count);
        for (uint32_t i = 0; i < WIDTH; i++)
            from[i] = (first + 7 * i) % c->node_count;
        for (uint32_t i = 0; i < WIDTH; i++)
            add_read(&t, (int64_t)(1e6 * every_s * job), (uint32_t)rng_below(&r, c->node_count),
                     from, WIDTH, MB);
    }
    double *ours = mem_zalloc(t.readers, sizeof *ours), *whole, *exact;
    whole = mem_zalloc(t.readers, sizeof *whole);
    exact = mem_zalloc(t.count, sizeof *exact);
    uint32_t most = run_reads(c, &t, ours);
    network_exact(c, &t, exact);
    for (uint32_t i = 0; i < t.count; i++)
        whole[t.at[i].reader] = fmax(whole[t.at[i].reader], exact[i]);
    for (uint32_t i = 0; i < t.readers; i++)
        ours[i] = fabs(ours[i] - whole[i]) / whole[i];
    double p50 = stat_quantile(ours, t.readers, 0.5), p95 = stat_quantile(ours, t.readers, 0.95);
    if (getenv("NETWORK_TEST_PRINT"))
        printf("%-28s reads: median %.2f %%, p95 %.2f %%, %u flows at most\n", what, 100 * p50,
               100 * p95, most);
    expect(p50 <= 0.03 && p95 <= 0.06);
    mem_free(ours);
    mem_free(whole);
    mem_free(exact);
    crowd_hold(what, c, &t, 1000);
}

TEST(network_reads_are_near_max_min_in_large_shuffles)
{
    struct cluster *flat = crowd_cluster(120, 1, 1), *racks = crowd_cluster(120, 6, 4);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        hold_shuffles("shuffles", flat, seed, 0.3);
        hold_shuffles("shuffles, racks 4:1", racks, seed, 0.5);
        hold_shuffles("shuffles, idle racks 4:1", racks, seed, 3);
    }
    cluster_destroy(flat);
    cluster_destroy(racks);
}

TEST(network_reads_are_stopped_and_others_go_on)
{
    struct cluster *c = crowd_cluster(20, 1, 1);
    struct network *n = network_create(c);
    const struct network_part from[] = {{0, false, FLOW_ONE, 100 * MB}};
    uint32_t read[5];
    for (uint32_t i = 0; i < 5; i++) /* the last two on one node */
        read[i] = network_read(n, 0, i < 3 ? 10 + i : 15, from, 1);
    network_read_stop(n, 0, read[0]); /* before it has flows */
    network_settle(n, 0);             /* four of 25 MB/s */
    expect(network_read_arrived(n, 1000 * 1000, read[1]) == 25 * MB);
    expect(network_read_from(n, read[1], 0) && !network_read_from(n, read[1], 1));
    network_read_stop(n, 1000 * 1000, read[3]);
    network_settle(n, 1000 * 1000); /* three */
    expect(fabs(network_read_arrived(n, 1600 * 1000, read[4]) - 45 * MB) < 1);
    expect(fabs(network_read_arrived(n, 1600 * 1000, read[1]) - 45 * MB) < 1);
    network_read_stop(n, 1600 * 1000, read[1]);
    network_settle(n, 1600 * 1000); /* two */
    expect(network_next_us(n) == 2700 * 1000);
    expect(network_take(n, 2700 * 1000) == FLOW_NONE);
    expect(network_read_take(n) == read[2] && network_read_take(n) == read[4]);
    expect(network_read_take(n) == READ_NONE && n->live == 0);
    network_destroy(n);
    cluster_destroy(c);
}

/* What has ended but was not taken may still be stopped, and a flow to a node takes it out of its
 * crew. */
TEST(network_reads_beside_other_flows)
{
    struct cluster *c = crowd_cluster(20, 1, 1);
    struct network *n = network_create(c);
    const struct network_part from[] = {{0, false, FLOW_ONE, 20 * MB},
                                        {10, false, FLOW_ONE, 5 * MB}};
    uint32_t a = network_read(n, 0, 10, from, 2), b = network_read(n, 0, 11, from, 1);
    network_settle(n, 0); /* 50 MB/s for both, and the disk's 50 for the first */
    network_begin(n, 200 * 1000, 5, 11, 100 * MB, FLOW_ONE);
    network_settle(n, 200 * 1000);
    expect(network_take(n, 200 * 1000) == FLOW_NONE);
    expect(network_read_over(n, a) == 5 * MB && network_read_over(n, b) == 0);
    expect(!network_read_from(n, a, 10) && network_read_from(n, a, 0));
    expect(network_next_us(n) == 400 * 1000 && network_take(n, 400 * 1000) == FLOW_NONE);
    network_read_stop(n, 400 * 1000, b);
    expect(network_read_take(n) == a && network_read_take(n) == READ_NONE);
    network_destroy(n);
    cluster_destroy(c);
}

/* Readers on nodes with other numbers of outputs begin together, and some of these become hot. */
TEST(network_crews_read_wide_and_divide_where_nodes_become_hot)
{
    enum { NODES = 70, READERS = 110 };
    struct cluster *c = crowd_cluster(NODES, 1, 1);
    struct network *n = network_create(c);
    uint32_t nodes[NODES], pieces[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        nodes[i] = i;
        pieces[i] = 1 + i % 3;
    }
    uint32_t spread = network_spread(n, nodes, pieces, NODES);
    for (uint32_t i = 0; i < READERS; i++) {
        uint32_t to = i * 17 % NODES;
        double bytes = 100 * MB * (139 - pieces[to]) / 139;
        network_read(n, 0, to, &(struct network_part){spread, true, FLOW_ONE, bytes}, 1);
    }
    network_spread_drop(n, spread);
    network_settle(n, 0);
    expect(n->splits > 0 && n->live < READERS / 2);
    network_begin(n, 0, 3, 4, MB, FLOW_ONE);
    network_settle(n, 0);
    int64_t now = 0;
    for (uint32_t live = READERS; live > 0; network_settle(n, now)) {
        now = network_next_us(n);
        while (network_take(n, now) != FLOW_NONE)
            continue;
        for (uint32_t r; (r = network_read_take(n)) != READ_NONE; live--)
            continue;
    }
    /* Nodes with three pieces send 110 x 100 MB x 3 / 139 each. */
    expect(fabs((double)now / 1e6 - 2.374) < 0.1);
    expect(n->subflows == 0 && n->live == 0 && n->spreads_free.count == n->spreads.count - 1);
    network_destroy(n);
    cluster_destroy(c);
}

/* ---- the books ---- */

/* Counts again what the network keeps count of. */
static void check_books(const struct network *n, uint32_t racks)
{
    for (uint32_t i = 0; i < n->links.count; i++) {
        const struct link *l = &n->links.at[i];
        uint64_t weight = 0;
        for (uint32_t k = 0; k < l->riders.count; k++) {
            const struct network_flow *f = &n->flows.at[l->riders.at[k].flow];
            weight += network_weight(f, l);
            expect(l->riders.at[k].weight == (double)network_weight(f, l) && f->rate >= 0);
        }
        expect(l->weight == weight);
    }
    uint32_t busy[2 * 4] = {0};
    for (uint32_t i = 0; i < n->node_count; i++) {
        const struct network_node *x = &n->nodes[i];
        uint32_t down = n->links.at[network_node_link(i, NODE_DOWN)].riders.count;
        expect(x->crew == CREW_NONE || n->crews.at[x->crew].nodes.at[x->crew_at] == i);
        expect(x->crew == CREW_NONE || down == 0);
        busy[2 * x->rack + RACK_DOWN] += x->crew != CREW_NONE || down > 0;
        busy[2 * x->rack + RACK_UP] += n->links.at[network_node_link(i, NODE_UP)].riders.count > 0;
    }
    for (uint32_t i = 0; i < n->spreads.count; i++)
        if (n->spreads.at[i].flows > 0)
            busy[2 * n->spreads.at[i].rack + RACK_UP] += n->spreads.at[i].nodes.count;
    for (uint32_t i = 0; i < 2 * racks; i++)
        expect(n->busy[i] == busy[i]);
}

/* Reads begin, in crowds and alone, narrow and wide, are stopped or end; other flows go on. */
TEST(network_reads_keep_their_books)
{
    enum { NODES = 40, STEPS = 150, READS = 512 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint32_t racks = seed % 4 ? 4 : 1;
        struct cluster *c = crowd_cluster(NODES, racks, racks > 1 ? 2 : 1);
        struct network *n = network_create(c);
        struct rng r = rng_stream(seed, RNG_TEST, 9, 0, 0, 0);
        uint32_t live = 0, begun[READS] = {0}, spreads[3][4];
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t rack = 0; rack < racks; rack++) {
                uint32_t nodes[6], pieces[6];
                for (uint32_t i = 0; i < 6; i++) {
                    nodes[i] = rack + racks * (k + i);
                    pieces[i] = 1 + (uint32_t)rng_below(&r, 3);
                }
                spreads[k][rack] = network_spread(n, nodes, pieces, 6);
            }
        int64_t now = 0;
        for (uint32_t step = 0; step < STEPS || live > 0; step++) {
            int64_t next = network_next_us(n);
            now = step % 3 == 0 || next == INT64_MAX ? now + 100000 : next;
            now = next < now ? next : now;
            while (network_take(n, now) != FLOW_NONE)
                continue;
            for (uint32_t i; (i = network_read_take(n)) != READ_NONE; live--)
                begun[i] = 0;
            if (step < STEPS && rng_below(&r, 6) == 0)
                network_begin(n, now, (uint32_t)rng_below(&r, NODES),
                              (uint32_t)rng_below(&r, NODES), 20 * MB, FLOW_ONE);
            for (uint32_t i = 0; i < READS; i++)
                if (begun[i] && rng_below(&r, 60) == 0) {
                    network_read_stop(n, now, i);
                    begun[i] = 0;
                    live--;
                }
            uint32_t k = (uint32_t)rng_below(&r, 3), more = (uint32_t)rng_below(&r, 25);
            for (uint32_t i = 0; step < STEPS && step % 5 == 0 && i < more; i++) {
                struct network_part parts[8];
                uint32_t count = 0, to = (uint32_t)rng_below(&r, NODES);
                for (uint32_t rack = 0; rack < racks; rack++)
                    parts[count++] =
                        (struct network_part){spreads[k][rack], true, 6 * FLOW_ONE, 6 * MB};
                for (uint32_t from = 30; from < 34; from++)
                    parts[count++] = (struct network_part){from, false, FLOW_ONE, MB};
                uint32_t read = network_read(n, now, to, parts, count);
                expect(read < READS);
                begun[read] = 1;
                live++;
            }
            network_settle(n, now);
            check_books(n, racks);
        }
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t rack = 0; rack < racks; rack++)
                network_spread_drop(n, spreads[k][rack]);
        expect(n->bunches_free.count == n->bunches.count && n->crews_free.count == n->crews.count);
        expect(n->reads_free.count == n->reads.count);
        network_destroy(n);
        cluster_destroy(c);
    }
}
