/* Subflows by hand: a reader of 1, 2, 3 and 4 pieces on the nodes 0 to 3, of a megabyte each. */
#include "sim/network/network_crowd_test.h"
#include "sim/network/network_state.h"
#include "tests/unit/test.h"

enum { NODES = 4, OUTSIDE = 4 };

static const uint32_t nodes[NODES] = {0, 1, 2, 3}, pieces[NODES] = {1, 2, 3, 4};

/* What a reader at `to` has still to get, as one flow. */
static uint32_t pieces_of(uint32_t to)
{
    return to == OUTSIDE ? 10 : 10 - pieces[to];
}

static uint32_t read_all(struct network *n, uint32_t spread, uint32_t to)
{
    uint32_t count = pieces_of(to);
    return network_begin_wide(n, 0, spread, to, count * MB, count * FLOW_ONE);
}

/* These nodes become hot: as one, or as a group. */
static uint32_t heat(struct network *n, uint32_t spread, uint32_t first, uint32_t count)
{
    uint32_t group = SPREAD_NONE;
    if (count > 1) {
        group = network_spread_add(n, 0, nodes + first, NULL, count);
        n->spreads.at[group].group = true;
        n->spreads.at[group].parents = 1;
    }
    network_split(n, 0, spread, (struct spread_hot){.at = first, .group = group});
    return group;
}

/* The only subflow is as wide as told, and the rest what is left. */
static void holds(const struct network *n, uint32_t flow, uint32_t got, uint32_t from,
                  uint32_t group)
{
    const struct network_flow *f = &n->flows.at[flow];
    uint32_t rest = f->pieces;
    expect((f->subflows != FLOW_NONE) == (got > 0));
    expect(f->left == rest * MB && f->weight == rest * FLOW_ONE);
    if (f->subflows == FLOW_NONE)
        return;
    const struct network_flow *sub = &n->flows.at[f->subflows];
    expect(sub->subflow_next == FLOW_NONE && sub->whole == flow && sub->spread == group);
    expect(sub->left == got * MB && sub->weight == got * FLOW_ONE);
    expect(sub->hop[0].link == (group == SPREAD_NONE ? network_node_link(from, NODE_UP)
                                                     : n->spreads.at[group].link));
}

/* A reader reads nothing from its own node, whether that is hot by itself or in a group. */
TEST(network_split_is_for_all_hot_nodes_but_the_readers_own)
{
    static const struct {
        uint32_t to, first, count, got, nodes;
    } rows[] = {
        {OUTSIDE, 3, 1, 4, 1}, {3, 3, 1, 0, 0}, {3, 0, 1, 1, 1}, {0, 0, 1, 0, 0},
        {OUTSIDE, 2, 2, 7, 2}, {3, 2, 2, 3, 1}, {2, 2, 2, 4, 1}, {3, 0, 2, 3, 2},
        {0, 1, 2, 5, 2},
    };
    struct cluster *c = crowd_cluster(5, 1, 1);

    for (int later = 0; later < 2; later++) /* the flow was there, or begins afterwards */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct network *n = network_create(c);
            uint32_t s = network_spread(n, nodes, pieces, NODES);
            uint32_t other = read_all(n, s, OUTSIDE), flow = other; /* a spread in use stays hot */
            flow = later ? flow : read_all(n, s, rows[i].to);
            uint32_t group = heat(n, s, rows[i].first, rows[i].count);
            flow = later ? read_all(n, s, rows[i].to) : flow;
            expect(n->flows.at[flow].pieces == pieces_of(rows[i].to) - rows[i].got);
            holds(n, flow, rows[i].got, rows[i].first, group);
            if (rows[i].nodes > 0 && group != SPREAD_NONE)
                expect(n->flows.at[n->flows.at[flow].subflows].pieces == rows[i].nodes);
            expect(n->splits == 1 && network_cool(&n->spreads.at[s]) == NODES - rows[i].count);
            for (uint32_t k = 0; k < NODES; k++)
                expect(n->spreads.at[s].nodes.at[k].hot ==
                       (k >= rows[i].first && k < rows[i].first + rows[i].count));
            network_settle(n, 0);
            network_destroy(n);
        }
    cluster_destroy(c);
}

/* Three hot nodes of four: what comes from the last is a subflow, too, and nothing else is left.
 * Once all have arrived the flow is over. */
TEST(network_split_leaves_no_rest_if_one_node_is_left)
{
    struct cluster *c = crowd_cluster(5, 1, 1);
    struct network *n = network_create(c);
    uint32_t s = network_spread(n, nodes, pieces, NODES), flow = read_all(n, s, OUTSIDE), count = 0;

    for (uint32_t k = 0; k < NODES - 1; k++)
        heat(n, s, k, 1);
    expect(n->flows.at[flow].hops == 0);
    double left = 0;
    for (uint32_t k = n->flows.at[flow].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next) {
        left += n->flows.at[k].left;
        count++;
    }
    expect(count == NODES && left == 10 * MB && n->subflows == NODES);
    network_settle(n, 0);
    int64_t end_us = 0;
    uint32_t ended = FLOW_NONE;
    while (ended == FLOW_NONE && end_us < INT64_MAX) {
        end_us = network_next_us(n);
        ended = network_take(n, end_us);
        network_settle(n, end_us);
    }
    expect(ended == flow && end_us == 100000 && n->subflows == 0); /* 10 MB at 100 MB/s */
    network_spread_drop(n, s);
    network_destroy(n);
    cluster_destroy(c);
}

/* A subflow has some of the flow's weight, and leaves it some. */
TEST(network_split_needs_weight_for_both_parts)
{
    static const struct {
        uint32_t weight, first, count, got;
    } rows[] = {{4, 0, 1, 0}, {5, 0, 1, 1}, {1, 2, 2, 0}, {2, 2, 2, 1}, {5, 2, 2, 4}};
    struct cluster *c = crowd_cluster(5, 1, 1);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct network *n = network_create(c);
        uint32_t s = network_spread(n, nodes, pieces, NODES);
        uint32_t flow = network_begin_wide(n, 0, s, OUTSIDE, MB, rows[i].weight);
        heat(n, s, rows[i].first, rows[i].count);
        uint32_t sub = n->flows.at[flow].subflows;
        expect((sub != FLOW_NONE) == (rows[i].got > 0));
        expect(sub == FLOW_NONE || n->flows.at[sub].weight == rows[i].got);
        expect(n->flows.at[flow].weight == rows[i].weight - rows[i].got);
        network_destroy(n);
    }
    cluster_destroy(c);
}
