/* network_hot.c - nodes that are busier than the rest of their spread.
 *
 * A wide flow is as fast as its nodes are on the average. That is right as long as they are equally
 * busy. If one of them lags, the part of the data that lies there arrives last, and the flow takes
 * as long as this part: the more flows there are, the longer. So a node that lags (network_lag.c)
 * is taken out of the spread: it is hot. What flows get from there goes on as a part of its own,
 * a narrow flow over the node's own link, and flows that begin later have such a part from the
 * start. A wide flow is over when the rest and all parts are, or all parts if the rest would come
 * from a single node. The caller knows nothing of parts.
 *
 * Where several shuffles overlap, or outputs lie unevenly, nodes lag that have nothing in common
 * but the spreads they are in and how many pieces they have there. These become hot together, in
 * all these spreads: a group, which is a spread itself, with one part for all of its nodes. A node
 * of a group can become hotter than the group, and so on.
 *
 * A node is cool again, for new flows, when it sends nothing or nobody reads from the spread; a
 * group when nobody reads from it. Both were tried earlier, when the node no longer lagged: hot and
 * cool nodes took turns at every instant.
 *
 * The number of hot nodes is limited, so that a reader in a very large shuffle has never more flows
 * than one in a shuffle that is just not very large; and so is the number of parts in all. A very
 * large network that is overloaded for long would otherwise take as long as if every wide flow were
 * many. */
#include <math.h>

#include "base/check.h"
#include "network/network_state.h"

/* Parts that a flow can get, and beyond which there are no more hot nodes. */
enum { PARTS_MAX = 64, PARTS_ALL = 8192 };

bool network_hot_room(const struct network *n, const struct spread *s, uint32_t nodes)
{
    return n->parts < PARTS_ALL && s->hot.count < n->hot_max && network_cool(s) > nodes;
}

/* ---- parts ---- */

/* Changes the weight of a wide flow, and its load. */
static void reweigh(struct network *n, uint32_t i, uint32_t weight)
{
    struct flow *f = &n->flows.at[i];
    f->weight = weight;
    f->load = network_load(&n->spreads.at[f->spread], weight, f->pieces);
    for (uint8_t k = 0; k < f->hops; k++) {
        struct link *l = &n->links.at[f->hop[k].link];
        struct rider *r = &l->riders.at[f->hop[k].at];
        l->weight -= r->weight;
        r->weight = network_weight(f, l);
        l->weight += r->weight;
    }
}

/* Its rate has to be looked at even if its links offer the same. */
static void refresh(struct network *n, uint32_t i)
{
    if (n->flows.at[i].fresh)
        return;
    n->flows.at[i].fresh = true;
    vec_push(&n->fresh, i);
}

static uint32_t hot_count(const struct network *n, struct spread_hot hot)
{
    return hot.group == SPREAD_NONE ? 1 : n->spreads.at[hot.group].nodes.count;
}

/* From how many hot nodes a reader reads: not from itself. */
static uint32_t hot_sources(const struct network *n, const struct spread *s, struct spread_hot hot,
                            uint32_t to)
{
    if (hot.group == SPREAD_NONE)
        return s->nodes.at[hot.at].node != to;
    return n->spreads.at[hot.group].nodes.count -
           (network_spread_index(n, hot.group, to) != UINT32_MAX);
}

static void part_link(struct network *n, uint32_t whole, uint32_t i)
{
    struct flow *w = &n->flows.at[whole], *p = &n->flows.at[i];
    p->whole = whole;
    p->part_prev = FLOW_NONE;
    p->part_next = w->parts;
    if (w->parts != FLOW_NONE)
        n->flows.at[w->parts].part_prev = i;
    w->parts = i;
    n->parts++;
}

/* What comes from one hot node, or from some of a group. */
struct part {
    uint32_t node, nodes, to, weight;
    double bytes;
};

static void part_add(struct network *n, int64_t now_us, uint32_t whole, struct spread_hot hot,
                     struct part p)
{
    uint32_t k = hot.group == SPREAD_NONE
                     ? network_begin(n, now_us, p.node, p.to, p.bytes, p.weight)
                     : network_begin_some(n, now_us, hot.group, p.nodes, p.to, p.bytes, p.weight);
    part_link(n, whole, k);
    if (hot.group != SPREAD_NONE)
        network_hot_begin(n, now_us, k);
}

/* All that a flow has still to get comes from these nodes. A part that is divided once more keeps
 * its rest: others could wait for it. */
static void rest_begin(struct network *n, int64_t now_us, uint32_t i, struct spread_hot hot,
                       uint32_t nodes)
{
    const struct flow *f = &n->flows.at[i];
    const struct spread *s = &n->spreads.at[f->spread];
    double left = network_left_alone(f, now_us);
    if (left <= 0 || f->whole != FLOW_NONE)
        return;
    uint32_t to = f->hop[1].link / NETWORK_NODE_LINKS;
    part_add(n, now_us, i, hot,
             (struct part){s->nodes.at[hot.at].node, nodes, to, f->weight, left});
    network_leave(n, i);
}

/* What a flow gets from hot nodes comes by a flow of its own from now on: the even share of what it
 * has not got, and what these nodes are behind. */
static void part_begin(struct network *n, int64_t now_us, uint32_t i, struct spread_hot hot)
{
    struct flow *f = &n->flows.at[i];
    const struct spread *s = &n->spreads.at[f->spread];
    const struct spread_node *x = &s->nodes.at[hot.at];
    uint32_t to = f->hop[1].link / NETWORK_NODE_LINKS, node = x->node;
    uint32_t nodes = hot_sources(n, s, hot, to), pieces = hot.pieces;
    if (nodes < hot_count(n, hot))
        pieces -= s->nodes.at[network_spread_index(n, f->spread, to)].pieces;
    if (nodes == 0 || pieces > f->pieces || f->parted >= PARTS_MAX || f->hops == 0)
        return;
    if (pieces == f->pieces) {
        rest_begin(n, now_us, i, hot, nodes);
        return;
    }
    uint32_t weight = (uint32_t)(((uint64_t)f->weight * pieces + f->pieces / 2) / f->pieces);
    double left = network_left_alone(f, now_us), bytes = left * pieces / f->pieces;
    if (weight == 0 || weight >= f->weight || bytes <= 0)
        return;
    double done = 1 - left / (s->size * f->weight);
    if (done > 0)
        bytes += fmin(x->lag * done * weight, (left - bytes) / 2);
    f->left = left - bytes;
    f->settled_us = now_us;
    f->pieces -= pieces;
    f->parted++;
    uint32_t whole = f->whole != FLOW_NONE ? f->whole : i;
    reweigh(n, i, f->weight - weight);
    refresh(n, i);
    part_add(n, now_us, whole, hot, (struct part){node, nodes, to, weight, bytes});
}

/* If all nodes are hot but one, what a flow gets from there is a part like the others. */
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
        part_begin(n, now_us, i, (struct spread_hot){at, SPREAD_NONE, pieces});
}

void network_hot_begin(struct network *n, int64_t now_us, uint32_t flow)
{
    uint32_t s = n->flows.at[flow].spread;
    for (uint32_t k = 0; k < n->spreads.at[s].hot.count; k++)
        part_begin(n, now_us, flow, n->spreads.at[s].hot.at[k]);
    last_begin(n, now_us, flow);
}

/* ---- hot and cool ---- */

/* The number of nodes that are not hot has changed. */
static void resize(struct network *n, struct spread *s)
{
    struct link *l = &n->links.at[s->link];
    check(n->alike);
    l->capacity = network_cool(s) * n->links.at[network_node_up(s->nodes.at[0].node)].capacity;
    for (uint32_t k = 0; k < l->riders.count; k++)
        reweigh(n, l->riders.at[k].flow, n->flows.at[l->riders.at[k].flow].weight);
    l->renewed = true;
    network_drift(n, s->link, l->capacity);
}

/* The k-th of them, as a node of the spread. */
static struct spread_node *hot_node(struct network *n, uint32_t spread, struct spread_hot hot,
                                    uint32_t k)
{
    uint32_t at = hot.at;
    if (hot.group != SPREAD_NONE)
        at = network_spread_index(n, spread, n->spreads.at[hot.group].nodes.at[k].node);
    return &n->spreads.at[spread].nodes.at[at];
}

void network_hot_split(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot)
{
    struct spread *s = &n->spreads.at[spread];
    uint32_t count = hot_count(n, hot), link = s->link;
    hot.pieces = 0;
    uint64_t cooled = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct spread_node *x = hot_node(n, spread, hot, k);
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
            part_begin(n, now_us, flow, hot);
        last_begin(n, now_us, flow);
    }
    resize(n, &n->spreads.at[spread]);
}

void network_hot_cool(struct network *n, uint32_t spread, uint32_t k)
{
    struct spread *s = &n->spreads.at[spread];
    struct spread_hot hot = s->hot.at[k];
    s->hot.at[k] = s->hot.at[--s->hot.count];
    for (uint32_t i = 0; i < hot_count(n, hot); i++) {
        struct spread_node *x = hot_node(n, spread, hot, i);
        x->hot = false;
        s->pieces += x->pieces;
        x->lag = x->deficit = 0;
        x->cooled = n->wide_begun;
    }
    s->hot_nodes -= hot_count(n, hot);
    resize(n, s);
    if (hot.group != SPREAD_NONE && --n->spreads.at[hot.group].parents == 0) {
        n->spreads.at[hot.group].dropped = true;
        network_spread_free_if_over(n, hot.group);
    }
}

/* A group leaves the spreads that it belongs to. */
static void leave_parents(struct network *n, uint32_t group)
{
    const struct node_links *x = &n->nodes[n->spreads.at[group].nodes.at[0].node];
    n->spreads.at[group].parents++; /* so that it is not freed here */
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        const struct spread *parent = &n->spreads.at[x->spreads.at[k].spread];
        uint32_t h = 0;
        while (h < parent->hot.count && parent->hot.at[h].group != group)
            h++;
        if (h < parent->hot.count)
            network_hot_cool(n, x->spreads.at[k].spread, h);
    }
    n->spreads.at[group].parents--;
    check(n->spreads.at[group].parents == 0);
    n->spreads.at[group].dropped = true;
}

void network_hot_over(struct network *n, uint32_t spread)
{
    while (n->spreads.at[spread].hot.count > 0)
        network_hot_cool(n, spread, 0);
    struct spread *s = &n->spreads.at[spread];
    for (uint32_t i = 0; i < s->nodes.count; i++)
        s->nodes.at[i].lag = s->nodes.at[i].deficit = 0;
    if (s->group)
        leave_parents(n, spread);
}
