/* network_test.c - flows that can be checked by hand. Crowds of them are in network_crowd_test.c
 * and network_overload_test.c. */
#include "sim/network/network.h"

#include <math.h>

#include "base/rng.h"
#include "sim/network/network_crowd_test.h"
#include "tests/unit/test.h"

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
    struct cluster *c = crowd_cluster(4, 1, 1);
    struct network *n = network_create(c);
    expect(network_next_us(n) == INT64_MAX && network_take(n, 0) == FLOW_NONE);
    uint32_t f = network_begin(n, 0, 0, 1, 100 * MB, 1);
    network_settle(n, 0);
    expect(crowd_rate(n, f) == 100);
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
    struct cluster *c = crowd_cluster(6, 1, 1);
    struct network *n = network_create(c);
    /* Three from node 0; two of them meet two more at node 1, which is the narrower place. */
    uint32_t a = network_begin(n, 0, 0, 1, 100 * MB, 1), b = network_begin(n, 0, 0, 1, 100 * MB, 1);
    uint32_t wide = network_begin(n, 0, 0, 2, 100 * MB, 1);
    network_begin(n, 0, 3, 1, 100 * MB, 1);
    network_begin(n, 0, 4, 1, 100 * MB, 1);
    network_settle(n, 0);
    expect(crowd_rate(n, a) == 25 && crowd_rate(n, b) == 25 && crowd_rate(n, wide) == 50);
    expect(next_end(n, 0, wide) == 2000 * 1000);
    /* Its neighbours are held back elsewhere and gain nothing. */
    network_settle(n, 2000 * 1000);
    expect(crowd_rate(n, a) == 25);
    network_stop(n, a);
    network_settle(n, 2000 * 1000);
    expect(fabs(crowd_rate(n, b) - 100.0 / 3) < 1e-9);
    expect(network_left(n, 2000 * 1000, b) == 50 * MB);
    /* A stopped flow never ends, and its number is used again. */
    expect(network_begin(n, 2000 * 1000, 5, 5, MB, 1) == a);
    network_destroy(n);
    cluster_destroy(c);
}

/* One flow more than NETWORK_EXACT_FLOWS: that one of them ends is not worth a look. With the next
 * one every link is looked at, also for what was left undone before. */
TEST(network_is_exact_again_when_few_flows_are_left)
{
    enum { FLOWS = NETWORK_EXACT_FLOWS + 2 };
    struct cluster *c = crowd_cluster(FLOWS + 1, 1, 1);
    struct network *n = network_create(c);
    uint32_t flow[FLOWS];
    for (uint32_t i = 0; i < FLOWS; i++)
        flow[i] = network_begin(n, 0, 0, i + 1, 100 * MB, 1);
    network_settle(n, 0);
    expect(fabs(crowd_rate(n, flow[0]) - 100.0 / FLOWS) < 1e-9);
    network_stop(n, flow[FLOWS - 1]);
    network_settle(n, 1);
    expect(fabs(crowd_rate(n, flow[0]) - 100.0 / FLOWS) < 1e-9);
    network_stop(n, flow[FLOWS - 2]);
    network_settle(n, 2);
    expect(fabs(crowd_rate(n, flow[0]) - 100.0 / NETWORK_EXACT_FLOWS) < 1e-9);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_weight_stands_for_many_flows)
{
    struct cluster *c = crowd_cluster(4, 1, 1);
    struct network *n = network_create(c);
    uint32_t three = network_begin(n, 0, 0, 2, 75 * MB, 3), one = network_begin(n, 0, 1, 2, MB, 1);
    network_settle(n, 0);
    expect(crowd_rate(n, three) == 75 && crowd_rate(n, one) == 25);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_stream_holds_back_what_links_do_not)
{
    struct cluster *c = crowd_cluster(4, 1, 1);
    c->wires.stream = 30 * 1000 * 1000;
    struct network *n = network_create(c);
    /* One read is as fast as a stream; three reads in one flow as three; half a read as half. */
    uint32_t one = network_begin(n, 0, 0, 1, 15 * MB, FLOW_ONE);
    uint32_t three = network_begin(n, 0, 2, 3, 900 * MB, 3 * FLOW_ONE);
    uint32_t half = network_begin(n, 0, 1, 2, 900 * MB, FLOW_ONE / 2);
    uint32_t own = network_begin(n, 0, 0, 0, 900 * MB, FLOW_ONE);
    network_settle(n, 0);
    expect(fabs(crowd_rate(n, one) - 30) < 1e-9 && fabs(crowd_rate(n, three) - 90) < 1e-9);
    expect(fabs(crowd_rate(n, half) - 15) < 1e-9 && fabs(crowd_rate(n, own) - 30) < 1e-9);
    /* Four from node 0 take 25 each; what they leave to the others is not theirs to take. */
    for (uint32_t i = 1; i < 4; i++)
        network_begin(n, 0, 0, i, 900 * MB, FLOW_ONE);
    network_settle(n, 0);
    expect(fabs(crowd_rate(n, one) - 25) < 1e-9 && fabs(crowd_rate(n, half) - 15) < 1e-9);
    network_stop(n, one);
    network_settle(n, 0);
    expect(fabs(crowd_rate(n, three) - 75) < 1.01); /* node 3 receives 100, 30 of it from 0 */
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_racks_are_narrow_only_between_them)
{
    /* Nodes 0, 2, 4, 6 in one rack, the others in the other: 4 x 100 / 8 = 50 between them. */
    struct cluster *c = crowd_cluster(8, 2, 8);
    struct network *n = network_create(c);
    uint32_t across = network_begin(n, 0, 0, 1, MB, 1), back = network_begin(n, 0, 3, 2, MB, 1);
    uint32_t inside = network_begin(n, 0, 4, 6, MB, 1);
    network_settle(n, 0);
    expect(crowd_rate(n, across) == 50 && crowd_rate(n, back) == 50);
    expect(crowd_rate(n, inside) == 100);
    uint32_t second = network_begin(n, 1, 2, 3, MB, 1);
    network_settle(n, 1);
    expect(crowd_rate(n, across) == 25 && crowd_rate(n, second) == 25);
    expect(crowd_rate(n, back) == 50);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_background_takes_its_share_of_links_but_not_of_disks)
{
    struct cluster *c = crowd_cluster(2, 1, 1);
    c->wires.background = 0.25;
    struct network *n = network_create(c);
    uint32_t far = network_begin(n, 0, 0, 1, MB, 1), near = network_begin(n, 0, 0, 0, MB, 1);
    network_settle(n, 0);
    expect(crowd_rate(n, far) == 75 && crowd_rate(n, near) == 50);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_wide_and_narrow_flows_share_the_wires)
{
    struct cluster *c = crowd_cluster(8, 2, 1);
    struct network *n = network_create(c);
    /* Rack 0 is nodes 0, 2, 4, 6. Eight readers want all that it can send; a ninth asks node 0. */
    uint32_t wide[8];
    for (uint32_t i = 0; i < 8; i++)
        wide[i] = network_begin_wide(n, 0, network_spread_rack(n, 0), i, 100 * MB, 4);
    network_settle(n, 0);
    expect(crowd_rate(n, wide[0]) == 50 && crowd_rate(n, wide[7]) == 50);
    uint32_t narrow = network_begin(n, 1, 0, 7, 100 * MB, 1);
    network_settle(n, 1);
    /* Node 0 serves a quarter of each wide flow, and this one: nine alike. */
    expect(fabs(crowd_rate(n, narrow) - 100.0 / 9) < 1);
    network_destroy(n);
    cluster_destroy(c);
}

TEST(network_flows_from_a_part_of_a_rack_meet_only_there)
{
    struct cluster *c = crowd_cluster(8, 1, 1);
    struct network *n = network_create(c);
    uint32_t part[] = {0, 1}, s = network_spread(n, part, NULL, 2);
    /* Two readers want all that nodes 0 and 1 can send. */
    uint32_t a = network_begin_wide(n, 0, s, 6, 100 * MB, 2);
    uint32_t b = network_begin_wide(n, 0, s, 7, 100 * MB, 2);
    network_settle(n, 0);
    expect(crowd_rate(n, a) == 100 && crowd_rate(n, b) == 100);
    uint32_t here = network_begin(n, 1, 0, 5, 100 * MB, 1);
    uint32_t there = network_begin(n, 1, 2, 4, 100 * MB, 1);
    network_settle(n, 1);
    expect(crowd_rate(n, there) == 100); /* node 2 has nothing to do with it */
    expect(fabs(crowd_rate(n, here) - 100.0 / 3) < 2);
    /* A spread that is dropped serves those who read from it, and its number is used again. */
    network_spread_drop(n, s);
    network_stop(n, a);
    network_settle(n, 2);
    expect(crowd_rate(n, b) > 60);
    network_stop(n, b);
    network_settle(n, 3);
    expect(crowd_rate(n, here) == 100);
    expect(network_spread(n, part, NULL, 1) == s);
    network_destroy(n);
    cluster_destroy(c);
}

/* Eight readers of eight nodes get 12.5 of each, but node 0 has as many others to serve: it gives
 * 6.25 to each. All but what lies there has arrived after 0.8 s, the rest after 1.6 s. */
TEST(network_wide_flow_ends_with_its_busiest_node)
{
    enum { READERS = 8 };
    struct cluster *c = crowd_cluster(20, 1, 1);
    struct network *n = network_create(c);
    uint32_t nodes[8], wide[READERS];
    for (uint32_t i = 0; i < 8; i++)
        nodes[i] = i;
    uint32_t s = network_spread(n, nodes, NULL, 8), narrow = FLOW_NONE;
    for (uint32_t i = 0; i < READERS; i++) {
        narrow = network_begin(n, 0, 0, 16 + i % 4, 100 * MB, FLOW_ONE);
        wide[i] = network_begin_wide(n, 0, s, 8 + i, 80 * MB, 8 * FLOW_ONE);
    }
    network_settle(n, 0);
    network_settle(n, 1);
    expect(fabs(crowd_rate(n, wide[0]) - 93.75) < 1 && fabs(crowd_rate(n, narrow) - 6.25) < 0.1);
    expect(network_take(n, 850 * 1000) == FLOW_NONE); /* the other parts: not for callers */
    network_settle(n, 850 * 1000);
    expect(fabs(network_left(n, 900 * 1000, wide[0]) - (10 - 0.9 * 6.25) * MB) < 0.2 * MB);
    expect(fabs(crowd_rate(n, wide[0]) - 6.25) < 0.1);
    network_stop(n, wide[7]); /* with all its parts */
    network_settle(n, 900 * 1000);
    int64_t end = 0;
    for (uint32_t ended = 0; ended < READERS - 1;) {
        end = network_next_us(n);
        uint32_t f = network_take(n, end);
        ended += f != FLOW_NONE;
        expect(f == FLOW_NONE || (f != narrow && f != wide[7]));
        network_settle(n, end);
    }
    expect(end > 1540 * 1000 && end < 1620 * 1000); /* a little sooner without that one */
    network_spread_drop(n, s);
    network_destroy(n);
    cluster_destroy(c);
}

/* Node 0 has as many pieces as the other seven together with one more: 8 of 15. It sends 640 MB in
 * 6.4 s, and all readers wait for that. */
TEST(network_wide_flow_ends_with_its_fullest_node)
{
    struct cluster *c = crowd_cluster(16, 1, 1);
    struct network *n = network_create(c);
    uint32_t nodes[8], pieces[8], ended = 0;
    for (uint32_t i = 0; i < 8; i++) {
        nodes[i] = i;
        pieces[i] = i == 0 ? 8 : 1;
    }
    uint32_t s = network_spread(n, nodes, pieces, 8);
    for (uint32_t i = 0; i < 8; i++)
        network_begin_wide(n, 0, s, 8 + i, 150 * MB, 15 * FLOW_ONE);
    network_settle(n, 0);
    int64_t now = 0;
    for (; ended < 8; network_settle(n, now)) {
        now = network_next_us(n);
        while (network_take(n, now) != FLOW_NONE)
            ended++;
        expect(ended == 0 || now > 6200 * 1000);
    }
    expect(now < 6600 * 1000);
    /* Node 0 does not wait for what it has itself. */
    uint32_t own = network_begin_wide(n, now, s, 0, 7 * MB, 7 * FLOW_ONE);
    network_settle(n, now);
    expect(fabs(crowd_rate(n, own) - 100) < 1);
    network_spread_drop(n, s);
    network_destroy(n);
    cluster_destroy(c);
}

/* A shuffle of uneven outputs among narrow flows, all of which begin at once: how far rates are
 * from what they are when they are settled again and again, at most. */
static double unsettled(uint64_t seed)
{
    enum { NODES = 20, MOST = 10 };
    struct rng r = rng_stream(seed, RNG_TEST, 9, 0, 0, 0);
    struct cluster *c = crowd_cluster(NODES, 1, 1);
    struct network *n = network_create(c);
    uint32_t nodes[MOST], pieces[MOST], flows[30], count = 0, sum = 0;
    uint32_t from = 3 + (uint32_t)rng_below(&r, MOST - 2), first = (uint32_t)rng_below(&r, MOST);
    for (uint32_t i = 0; i < from; i++) {
        nodes[i] = first + i;
        sum += pieces[i] = 1 + (uint32_t)rng_below(&r, 4);
    }
    uint32_t s = network_spread(n, nodes, pieces, from);
    for (uint32_t left = 2 + (uint32_t)rng_below(&r, 6); left > 0; left--)
        flows[count++] =
            network_begin_wide(n, 0, s, (uint32_t)rng_below(&r, NODES), 80 * MB, sum * FLOW_ONE);
    for (uint32_t left = (uint32_t)rng_below(&r, 12); left > 0; left--)
        flows[count++] = network_begin(n, 0, (uint32_t)rng_below(&r, 4),
                                       10 + (uint32_t)rng_below(&r, 10), 80 * MB, FLOW_ONE);
    double once[30], worst = 0;
    network_settle(n, 0);
    for (uint32_t i = 0; i < count; i++)
        once[i] = crowd_rate(n, flows[i]);
    for (int k = 0; k < 30; k++)
        network_settle(n, 0);
    for (uint32_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(once[i] / crowd_rate(n, flows[i]) - 1));
    network_spread_drop(n, s);
    network_destroy(n);
    cluster_destroy(c);
    return worst;
}

/* Parts that come into being while rates are worked out are followed as far as all that is new. */
TEST(network_mostly_settles_at_once)
{
    enum { CASES = 200 };
    uint32_t far = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        far += unsettled(seed) > 0.05;
    expect(far <= CASES / 4);
}

TEST(network_wide_flows_are_for_very_large_shuffles)
{
    struct cluster *c = crowd_cluster(40, 1, 1);
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
    struct cluster *c = crowd_cluster(4, 2, 4);
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

/* Two racks of two nodes, links of 100 bytes/us per node, racks 2:1, so 100 per rack. */
TEST(network_tells_what_a_newcomer_could_get_of_a_rack)
{
    struct cluster *c = cluster_plain(4, 1);
    cluster_add_rack(c, "r1");
    c->nodes[2].rack = c->nodes[3].rack = 1;
    c->wires = (struct wires){.is_simulated = true,
                              .up = 100000000,
                              .down = 100000000,
                              .disk = 100000000,
                              .oversubscription = 2};
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
