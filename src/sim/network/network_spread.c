/* network_spread.c - the nodes that wide flows come from, and parts for those of them that are hot.
 *
 * A spread has one link, the sum of the links up of its nodes that are not hot. Its nodes know the
 * spreads that they are in. Spreads that are over are used again: large jobs come and go.
 *
 * When a node becomes hot, what flows have still to get from it goes on as parts; flows that begin
 * later have such a part from the start. A wide flow is over when the rest and all parts are, or
 * all parts if the rest would come from a single node.
 *
 * Where several shuffles overlap, or outputs lie unevenly, nodes lag that have nothing in common
 * but the spreads they are in and how many pieces they have there. These become hot together, in
 * all these spreads: a group, which is a spread itself, with one part for all of its nodes. A node
 * of a group can become hotter than the group, and so on.
 *
 * A node is cool again, for new flows, when it sends nothing or nothing reads from the spread; a
 * group when nothing reads from it. Cooling a node as soon as it no longer lagged was rejected: hot
 * and cool nodes took turns at every instant.
 *
 * Hot nodes are limited, so that a reader in a very large shuffle never has more flows than one in
 * a shuffle that is just not very large; and so are parts in all, or a very large network that is
 * overloaded for long would take as long as if every wide flow were many. */
#include <math.h>

#include "base/check.h"
#include "base/list.h"
#include "sim/network/network_state.h"

/* Parts of a flow, and of all flows; beyond the latter no node becomes hot. */
enum { PARTS_MAX = 64, PARTS_ALL = 8192 };

/* ---- spreads ---- */

/* Numbers of pieces that differ by less than a twelfth have the same size. */
static uint16_t size_of(uint32_t pieces)
{
    uint16_t size = 0;
    for (uint64_t most = 1; pieces > most; most += most / 12 + 1)
        size++;
    return size;
}

uint32_t network_spread_add(struct network *n, uint32_t rack, const uint32_t *nodes,
                            const uint32_t *pieces, uint32_t count)
{
    bool used = n->spreads_free.count > 0;
    uint32_t s = vec_take(&n->spreads, &n->spreads_free);
    if (!used)
        n->spreads.at[s] = (struct spread){.link = network_link_add(n, 0, LINK_SPREAD, s)};
    struct spread *x = &n->spreads.at[s];
    x->rack = rack;
    x->dropped = x->group = x->review = x->uneven = false;
    x->parents = 0;
    x->pieces_all = 0;
    double up = 0;
    for (uint32_t i = 0; i < count; i++) {
        check(n->nodes[nodes[i]].rack == rack);
        uint32_t has = pieces ? pieces[i] : 1;
        check(has > 0);
        x->pieces_all += has;
        x->uneven |= pieces && has != pieces[0];
        up += n->links.at[network_node_link(nodes[i], NODE_UP)].capacity;
        vec_push(&x->nodes, ((struct spread_node){nodes[i], .pieces = has, .size = size_of(has)}));
        vec_push(&n->nodes[nodes[i]].spreads, ((struct node_spread){s, i}));
    }
    if (count > 0 && n->alike) /* without rounding errors */
        up = count * n->links.at[network_node_link(nodes[0], NODE_UP)].capacity;
    n->links.at[x->link].capacity = n->shares.at[x->link] = up;
    x->pieces = x->pieces_all;
    return s;
}

uint32_t network_spread(struct network *n, const uint32_t *nodes, const uint32_t *pieces,
                        uint32_t count)
{
    check(count > 0);
    return network_spread_add(n, n->nodes[nodes[0]].rack, nodes, pieces, count);
}

uint32_t network_spread_rack(const struct network *n, uint32_t rack)
{
    (void)n;
    return rack; /* they were made first, in this order */
}

uint32_t network_spread_index(const struct network *n, uint32_t spread, uint32_t node)
{
    const struct network_node *x = &n->nodes[node];
    for (uint32_t k = 0; k < x->spreads.count; k++)
        if (x->spreads.at[k].spread == spread)
            return x->spreads.at[k].at;
    return UINT32_MAX;
}

static void free_if_over(struct network *n, uint32_t s)
{
    struct spread *x = &n->spreads.at[s];
    if (!x->dropped || x->flows > 0 || x->users > 0)
        return;
    check(x->hot.count == 0);
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        struct network_node *node = &n->nodes[x->nodes.at[i].node];
        uint32_t k = 0;
        while (node->spreads.at[k].spread != s)
            k++;
        node->spreads.at[k] = node->spreads.at[--node->spreads.count];
    }
    vec_clear(&x->nodes);
    vec_clear(&x->demand);
    x->dropped = false;
    vec_push(&n->spreads_free, s);
}

void network_spread_drop(struct network *n, uint32_t spread)
{
    check(!n->spreads.at[spread].whole && !n->spreads.at[spread].dropped);
    n->spreads.at[spread].dropped = true;
    free_if_over(n, spread);
}

/* ---- parts ---- */

/* Changes the weight of a wide flow, and its load. */
static void reweigh(struct network *n, uint32_t i, uint32_t weight)
{
    struct network_flow *f = &n->flows.at[i];
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

static uint32_t hot_count(const struct network *n, struct spread_hot hot)
{
    return hot.group == SPREAD_NONE ? 1 : n->spreads.at[hot.group].nodes.count;
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

/* A part of a wide flow: a flow from a hot node, or from `nodes` nodes of a group. */
static void part_add(struct network *n, int64_t now_us, uint32_t whole, struct spread_hot hot,
                     uint32_t nodes, uint32_t from, uint32_t to, double bytes, uint32_t weight)
{
    uint32_t i = hot.group == SPREAD_NONE
                     ? network_begin(n, now_us, from, to, bytes, weight)
                     : network_begin_some(n, now_us, hot.group, nodes, to, bytes, weight);
    struct network_flow *at = n->flows.at;
    at[i].whole = whole;
    list_push(at, at[whole].parts, i, part_prev, part_next, FLOW_NONE);
    n->parts++;
    if (hot.group != SPREAD_NONE)
        network_spread_parts(n, now_us, i);
}

/* What a flow gets from hot nodes comes by a flow of its own from now on: the even share of what it
 * has not got, and what these nodes are behind. If that is all of it, nothing else is left, but a
 * part that is divided once more keeps its rest: others could wait for it. */
static void part_begin(struct network *n, int64_t now_us, uint32_t i, struct spread_hot hot)
{
    struct network_flow *f = &n->flows.at[i];
    const struct spread *s = &n->spreads.at[f->spread];
    const struct spread_node *x = &s->nodes.at[hot.at];
    uint32_t to = f->hop[1].link / NODE_LINKS, from = x->node;
    uint32_t nodes = hot_count(n, hot), pieces = hot.pieces;
    bool own = hot.group == SPREAD_NONE ? from == to
                                        : network_spread_index(n, hot.group, to) != UINT32_MAX;
    if (own) { /* a reader reads nothing from itself */
        nodes--;
        pieces -= s->nodes.at[network_spread_index(n, f->spread, to)].pieces;
    }
    if (nodes == 0 || pieces > f->pieces || f->parted >= PARTS_MAX || f->hops == 0)
        return;
    double left = network_left_alone(f, now_us), bytes = left * pieces / f->pieces;
    if (pieces == f->pieces) {
        if (left <= 0 || f->whole != FLOW_NONE)
            return;
        part_add(n, now_us, i, hot, nodes, from, to, left, f->weight);
        network_leave(n, i);
        return;
    }
    uint32_t weight = (uint32_t)(((uint64_t)f->weight * pieces + f->pieces / 2) / f->pieces);
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
    if (!f->fresh) /* its rate changes even if its links offer the same */
        vec_push(&n->fresh, i);
    f->fresh = true;
    part_add(n, now_us, whole, hot, nodes, from, to, bytes, weight);
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

void network_spread_parts(struct network *n, int64_t now_us, uint32_t flow)
{
    uint32_t s = n->flows.at[flow].spread;
    for (uint32_t k = 0; k < n->spreads.at[s].hot.count; k++)
        part_begin(n, now_us, flow, n->spreads.at[s].hot.at[k]);
    last_begin(n, now_us, flow);
}

/* ---- hot and cool ---- */

bool network_spread_room(const struct network *n, const struct spread *s, uint32_t nodes)
{
    return n->parts < PARTS_ALL && s->hot.count < n->hot_max && network_cool(s) > nodes;
}

/* The number of nodes that are not hot has changed. */
static void resize(struct network *n, struct spread *s)
{
    struct link *l = &n->links.at[s->link];
    check(n->alike);
    l->capacity =
        network_cool(s) * n->links.at[network_node_link(s->nodes.at[0].node, NODE_UP)].capacity;
    for (uint32_t k = 0; k < l->riders.count; k++)
        reweigh(n, l->riders.at[k].flow, n->flows.at[l->riders.at[k].flow].weight);
    l->renewed = true;
    network_share_drift(n, s->link, l->capacity);
}

void network_spread_split(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot)
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

void network_spread_cool(struct network *n, uint32_t spread, uint32_t k)
{
    struct spread *s = &n->spreads.at[spread];
    struct spread_hot hot = s->hot.at[k];
    uint32_t count = hot_count(n, hot);
    s->hot.at[k] = s->hot.at[--s->hot.count];
    for (uint32_t i = 0; i < count; i++) {
        struct spread_node *x = hot_node(n, spread, hot, i);
        x->hot = false;
        s->pieces += x->pieces;
        x->lag = x->deficit = 0;
        x->cooled = n->wide_begun;
    }
    s->hot_nodes -= count;
    resize(n, s);
    if (hot.group != SPREAD_NONE && --n->spreads.at[hot.group].parents == 0) {
        n->spreads.at[hot.group].dropped = true;
        free_if_over(n, hot.group);
    }
}

/* A group leaves the spreads that it belongs to. */
static void leave_parents(struct network *n, uint32_t group)
{
    const struct network_node *x = &n->nodes[n->spreads.at[group].nodes.at[0].node];
    n->spreads.at[group].parents++; /* so that it is not freed here */
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        const struct spread *parent = &n->spreads.at[x->spreads.at[k].spread];
        uint32_t h = 0;
        while (h < parent->hot.count && parent->hot.at[h].group != group)
            h++;
        if (h < parent->hot.count)
            network_spread_cool(n, x->spreads.at[k].spread, h);
    }
    n->spreads.at[group].parents--;
    check(n->spreads.at[group].parents == 0);
    n->spreads.at[group].dropped = true;
}

void network_spread_left(struct network *n, uint32_t spread)
{
    if (n->spreads.at[spread].flows == 0 && n->spreads.at[spread].users == 0) {
        while (n->spreads.at[spread].hot.count > 0)
            network_spread_cool(n, spread, 0);
        struct spread *s = &n->spreads.at[spread];
        for (uint32_t i = 0; i < s->nodes.count; i++)
            s->nodes.at[i].lag = s->nodes.at[i].deficit = 0;
        if (s->group)
            leave_parents(n, spread);
    }
    free_if_over(n, spread);
}
