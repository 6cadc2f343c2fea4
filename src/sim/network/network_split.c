/* network_split.c - subflows of wide flows, for the nodes that are hot.
 *
 * When a node becomes hot, what flows have still to get from it goes on as subflows; flows that
 * begin later have such a subflow from the start. A wide flow is over when the rest and all
 * subflows are, or all subflows if the rest would come from a single node.
 *
 * Where several shuffles overlap, or outputs lie unevenly, nodes lag that have nothing in common
 * but the spreads they are in and how many pieces they have there. These become hot together, in
 * all these spreads: a group, which is a spread itself, with one subflow for all of its nodes. A
 * node of a group can become hotter than the group, and so on.
 *
 * Hot nodes are limited, so that a reader in a very large shuffle never has more flows than one in
 * a shuffle that is just not very large; and so are subflows in all, or a very large network that
 * is overloaded for long would take as long as if every wide flow were many. */
#include <math.h>

#include "base/list.h"
#include "sim/network/network_state.h"

enum { SUBFLOWS_MAX = 64 }; /* of a flow */

/* A subflow of a wide flow: a flow from a hot node, or from `nodes` nodes of a group. */
static void subflow_add(struct network *n, int64_t now_us, uint32_t whole, struct spread_hot hot,
                        uint32_t nodes, uint32_t from, struct sink to, double bytes,
                        uint64_t weight)
{
    uint32_t i = hot.group == SPREAD_NONE
                     ? network_flow_begin(n, now_us, from, to, bytes, weight)
                     : network_flow_begin_some(n, now_us, hot.group, nodes, to, bytes, weight);
    struct network_flow *at = n->flows.at;
    at[i].whole = whole;
    list_push(at, at[whole].subflows, i, subflow_prev, subflow_next, FLOW_NONE);
    n->subflows++;
    if (hot.group != SPREAD_NONE)
        network_split_flow(n, now_us, i);
}

/* What a flow gets from hot nodes comes by a flow of its own from now on: the even share of what it
 * has not got, and what these nodes are behind. If that is all of it, nothing else is left, but a
 * subflow that is divided once more keeps its rest: others could wait for it. */
static void subflow_begin(struct network *n, int64_t now_us, uint32_t i, struct spread_hot hot)
{
    struct network_flow *f = &n->flows.at[i];
    const struct spread *s = &n->spreads.at[f->spread];
    const struct spread_node *x = &s->nodes.at[hot.at];
    struct sink to = network_sink_flow(n, i); /* all its nodes are hot, or none (divide_crews) */
    uint32_t from = x->node;
    uint32_t nodes = network_spread_hot_count(n, hot), pieces = hot.pieces;
    bool own = hot.group == SPREAD_NONE ? from == to.one
                                        : network_spread_index(n, hot.group, to.one) != UINT32_MAX;
    if (own) { /* a reader reads nothing from itself */
        nodes--;
        pieces -= s->nodes.at[network_spread_index(n, f->spread, to.one)].pieces;
    }
    if (nodes == 0 || pieces > f->pieces || f->subflows_made >= SUBFLOWS_MAX || f->hops == 0)
        return;
    double left = network_left_alone(f, now_us), bytes = left * pieces / f->pieces;
    if (pieces == f->pieces) {
        if (left <= 0 || f->whole != FLOW_NONE)
            return;
        subflow_add(n, now_us, i, hot, nodes, from, to, left, f->weight);
        network_flow_leave(n, i);
        return;
    }
    uint64_t weight = (f->weight * pieces + f->pieces / 2) / f->pieces;
    if (weight == 0 || weight >= f->weight || bytes <= 0)
        return;
    double done = 1 - left / (s->size * (double)f->weight);
    if (done > 0)
        bytes += fmin(x->lag * done * (double)weight, (left - bytes) / 2);
    f->left = left - bytes;
    f->settled_us = now_us;
    f->pieces -= pieces;
    f->subflows_made++;
    uint32_t whole = f->whole != FLOW_NONE ? f->whole : i;
    network_spread_reweigh(n, i, f->weight - weight);
    if (!f->fresh) /* its rate changes even if its links offer the same */
        vec_push(&n->fresh, i);
    f->fresh = true;
    subflow_add(n, now_us, whole, hot, nodes, from, to, bytes, weight);
}

/* If all nodes are hot but one, what a flow gets from there is a subflow like the others. */
static void last_begin(struct network *n, int64_t now_us, uint32_t i)
{
    const struct spread *s = &n->spreads.at[n->flows.at[i].spread];
    uint32_t at = 0;
    if (network_cool(s) != 1 || n->flows.at[i].hops == 0)
        return;
    while (s->nodes.at[at].hot)
        at++;
    uint32_t pieces = s->nodes.at[at].pieces;
    if (pieces == n->flows.at[i].pieces)
        subflow_begin(n, now_us, i, (struct spread_hot){at, SPREAD_NONE, pieces});
}

void network_split_flow(struct network *n, int64_t now_us, uint32_t flow)
{
    uint32_t s = n->flows.at[flow].spread;
    for (uint32_t k = 0; k < n->spreads.at[s].hot.count; k++)
        subflow_begin(n, now_us, flow, n->spreads.at[s].hot.at[k]);
    last_begin(n, now_us, flow);
}

/* Readers read nothing from themselves: hot nodes that read from the spread are not like the others
 * of their crew any more. */
static void divide_crews(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot)
{
    uint32_t count = network_spread_hot_count(n, hot);
    const struct link *l = &n->links.at[n->spreads.at[spread].link];
    bool any = false;
    for (uint32_t k = 0; k < l->riders.count; k++) {
        uint32_t i = l->riders.at[k].flow, whole = n->flows.at[i].whole;
        uint32_t bunch = n->flows.at[whole != FLOW_NONE ? whole : i].bunch;
        if (bunch == BUNCH_NONE || n->bunches.at[bunch].crew == CREW_NONE)
            continue;
        n->crews.at[n->bunches.at[bunch].crew].marked = any = true;
    }
    for (uint32_t k = 0; any && k < count; k++) {
        uint32_t node = network_spread_hot_node(n, spread, hot, k)->node;
        uint32_t crew = n->nodes[node].crew;
        if (crew == CREW_NONE || !n->crews.at[crew].marked)
            continue;
        vec_clear(&n->leaving);
        for (uint32_t j = k; j < count; j++) {
            uint32_t other = network_spread_hot_node(n, spread, hot, j)->node;
            if (n->nodes[other].crew == crew)
                vec_push(&n->leaving, other);
        }
        n->crews.at[crew].marked = n->leaving.count < n->crews.at[crew].nodes.count;
        if (n->crews.at[crew].marked)
            network_bunch_divide(n, now_us, crew, n->leaving.at, n->leaving.count,
                                 n->crews.at[crew].rack);
    }
    for (uint32_t k = 0; any && k < n->crews.count; k++)
        n->crews.at[k].marked = false;
}

void network_split(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot)
{
    uint32_t count = network_spread_hot_count(n, hot), link = n->spreads.at[spread].link;
    divide_crews(n, now_us, spread, hot);
    struct spread *s = &n->spreads.at[spread];
    hot.pieces = 0;
    uint64_t cooled = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct spread_node *x = network_spread_hot_node(n, spread, hot, k);
        x->hot = true;
        s->pieces -= x->pieces;
        hot.pieces += x->pieces;
        cooled = x->cooled > cooled ? x->cooled : cooled;
    }
    vec_push(&s->hot, hot);
    s->hot_nodes += count;
    n->splits++;
    for (uint32_t k = n->links.at[link].riders.count; k-- > 0;) { /* some leave */
        uint32_t flow = n->links.at[link].riders.at[k].flow;
        if (n->flows.at[flow].order > cooled)
            subflow_begin(n, now_us, flow, hot);
        last_begin(n, now_us, flow);
    }
    network_spread_resize(n, &n->spreads.at[spread]);
}
