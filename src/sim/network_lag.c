/* network_lag.c - which nodes of a spread lag behind the others.
 *
 * A node offers a share to all that comes from it. If the flows from a spread would be faster than
 * that, the node falls behind: so many bytes for weight 1 and microsecond, its deficit. The sum of
 * that over time is its lag. A lag is forgotten as the flows that suffered from it end: as fast as
 * the spread sends what one flow needs. What matters is how much of a lag there will be in the end:
 * what there is, and the deficit for as long as a flow takes or whatever else the node has to send
 * lasts. Where that is more than a tenth of what a flow carries, the node is hot (network_hot.c).
 *
 * A node that sends something besides is looked at when its link is. The others are looked at with
 * their spread, if it overlaps others and what their flows take together is more than a node has.
 * They are all alike that are in the same spreads; there are few kinds of them.
 *
 * Rejected: waiting until the lag is there (a node is looked at when something changes; a flow can
 * begin and end in between); the share alone without the bytes (every small flow makes a node hot);
 * making up for the lag at the end of a flow (too much of it depends on what comes in between). */
#include <math.h>

#include "base/check.h"
#include "sim/network_state.h"

#define LAG_MAX 0.1 /* of what a flow carries */
enum { KINDS_MAX = 16 };

/* How much less than usual the flows from a spread would get from a node that offers this share,
 * for weight 1. */
static double deficit(const struct network *n, const struct spread *s, double share)
{
    double weight = 0, lost = 0, usual = n->shares.at[s->link];
    for (uint32_t i = 0; i < s->demand.count; i++) {
        const struct limit *x = &s->demand.at[i];
        weight += x->weight;
        double now = x->rate < usual ? x->rate : usual, there = x->rate < share ? x->rate : share;
        lost += (now - there) * x->weight;
    }
    return weight > 0 ? lost / weight : 0;
}

/* What a flow of weight 1 gets from a spread. */
static double usual_rate(const struct network *n, const struct spread *s)
{
    return n->links.at[s->link].rate / (double)s->weight;
}

/* Brings the lag of a node up to date. It offers this share now. */
static void note(const struct network *n, int64_t now_us, const struct spread *s,
                 struct spread_node *x, double share)
{
    double time = (double)(now_us - x->since_us), gone = usual_rate(n, s) * time / s->size;
    double kept = gone < 1 ? x->lag * (1 - gone) : 0;
    x->lag = fmax(kept + x->deficit * time, 0);
    x->deficit = deficit(n, s, share);
    x->since_us = now_us;
}

/* True if a node will be too far behind. It has so many bytes to send besides the spread's. */
static bool lags(const struct network *n, const struct spread *s, const struct spread_node *x,
                 double besides)
{
    double rate = usual_rate(n, s), more = 0;
    if (x->deficit > 0 && rate > 0)
        more = fmin(x->deficit / rate * s->size, besides * network_cool(s) / (double)s->weight);
    return x->lag + more > LAG_MAX * s->size;
}

/* ---- nodes that send something besides ---- */

static double link_left(const struct network *n, int64_t now_us, const struct link *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->riders.count; i++)
        sum += network_left_alone(&n->flows.at[l->riders.at[i].flow], now_us);
    return sum;
}

/* A node that is hot for itself and sends nothing is cool. */
static void cool_idle(struct network *n, uint32_t spread, uint32_t at)
{
    const struct spread *s = &n->spreads.at[spread];
    for (uint32_t k = 0; k < s->hot.count; k++)
        if (s->hot.at[k].at == at && s->hot.at[k].group == SPREAD_NONE) {
            network_hot_cool(n, spread, k);
            return;
        }
}

static void review_node(struct network *n, int64_t now_us, uint32_t node)
{
    const struct node_links *x = &n->nodes[node];
    uint32_t up = network_node_up(node);
    bool idle = n->links.at[up].riders.count == 0;
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        struct node_spread in = x->spreads.at[k];
        struct spread *s = &n->spreads.at[in.spread];
        struct spread_node *y = &s->nodes.at[in.at];
        if (s->whole || s->flows == 0)
            continue;
        note(n, now_us, s, y, idle ? INFINITY : n->shares.at[up]);
        if (y->hot && idle)
            cool_idle(n, in.spread, in.at);
        else if (!y->hot && network_hot_room(n, s, 1) &&
                 lags(n, s, y, link_left(n, now_us, &n->links.at[up])))
            network_hot_split(n, now_us, in.spread, (struct spread_hot){in.at, SPREAD_NONE});
    }
}

/* ---- nodes of spreads that overlap ---- */

static bool counts(const struct network *n, struct node_spread in)
{
    const struct spread *s = &n->spreads.at[in.spread];
    return s->flows > 0 && !s->nodes.at[in.at].hot;
}

/* The spreads with flows that a node is in, as a number in which their order does not matter. */
struct signature {
    uint64_t sum;
    uint32_t count;
};

static struct signature sign(const struct network *n, uint32_t node)
{
    const struct node_links *x = &n->nodes[node];
    struct signature s = {0, 0};
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        if (!counts(n, x->spreads.at[k]))
            continue;
        uint64_t mixed = (x->spreads.at[k].spread + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
        s.sum += mixed ^ mixed >> 29;
        s.count++;
    }
    return s;
}

static bool is_idle(const struct network *n, uint32_t node)
{
    return n->links.at[network_node_up(node)].riders.count == 0;
}

/* True if node b is in all the spreads with flows that node a is in; they have the same signature,
 * so it is mostly. */
static bool alike(const struct network *n, uint32_t a, uint32_t b)
{
    const struct node_links *x = &n->nodes[a], *y = &n->nodes[b];
    for (uint32_t i = 0; i < x->spreads.count; i++) {
        uint32_t k = 0;
        if (!counts(n, x->spreads.at[i]))
            continue;
        while (k < y->spreads.count &&
               (y->spreads.at[k].spread != x->spreads.at[i].spread || !counts(n, y->spreads.at[k])))
            k++;
        if (k == y->spreads.count)
            return false;
    }
    return true;
}

/* All nodes of a spread that are like this one become hot, in all spreads that they are in. */
static void split_kind(struct network *n, int64_t now_us, uint32_t spread, uint32_t node)
{
    VEC(uint32_t) nodes = {0};
    VEC(struct node_spread) parents = {0};
    uint64_t sum = sign(n, node).sum;
    for (uint32_t i = 0; i < n->spreads.at[spread].nodes.count; i++) {
        const struct spread_node *x = &n->spreads.at[spread].nodes.at[i];
        if (!x->hot && is_idle(n, x->node) && sign(n, x->node).sum == sum &&
            alike(n, node, x->node))
            vec_push(&nodes, x->node);
    }
    for (uint32_t k = 0; k < n->nodes[node].spreads.count; k++) {
        struct node_spread in = n->nodes[node].spreads.at[k];
        const struct spread *s = &n->spreads.at[in.spread];
        if (!s->whole && counts(n, in) && network_hot_room(n, s, nodes.count))
            vec_push(&parents, in);
    }
    uint32_t group = SPREAD_NONE;
    if (parents.count > 0 && nodes.count > 1) {
        group = network_spread_add(n, n->nodes[node].rack, nodes.at, nodes.count);
        n->spreads.at[group].group = true;
        n->spreads.at[group].parents = parents.count;
    }
    for (uint32_t k = 0; k < parents.count; k++)
        network_hot_split(n, now_us, parents.at[k].spread,
                          (struct spread_hot){parents.at[k].at, group});
    if (group != SPREAD_NONE && n->spreads.at[group].flows == 0) { /* nobody had more to get */
        network_hot_over(n, group);
        network_spread_free_if_over(n, group);
    }
    vec_free(&nodes);
    vec_free(&parents);
}

/* The share that a node of this kind offers. */
struct kind {
    uint64_t sum;
    double share;
};

/* The share that a node offers which sends nothing but parts of wide flows. It is worked out once
 * for each kind of the spread's nodes. */
static double kind_share(struct network *n, uint32_t node, struct kind *kinds, uint32_t *count)
{
    struct signature s = sign(n, node);
    if (s.count < 2)
        return INFINITY;
    for (uint32_t k = 0; k < *count; k++)
        if (kinds[k].sum == s.sum)
            return kinds[k].share;
    double share = network_level(n, network_node_up(node));
    if (*count < KINDS_MAX)
        kinds[(*count)++] = (struct kind){s.sum, share};
    return share;
}

static void review_spread(struct network *n, int64_t now_us, uint32_t spread)
{
    struct kind kinds[KINDS_MAX];
    uint32_t count = 0;
    n->spreads.at[spread].review = false;
    for (uint32_t i = 0; i < n->spreads.at[spread].nodes.count; i++) {
        struct spread *s = &n->spreads.at[spread];
        struct spread_node *x = &s->nodes.at[i];
        if (s->flows == 0 || !network_hot_room(n, s, 1))
            return;
        if (x->hot || !is_idle(n, x->node))
            continue;
        note(n, now_us, s, x, kind_share(n, x->node, kinds, &count));
        if (lags(n, s, x, INFINITY))
            split_kind(n, now_us, spread, x->node);
    }
}

void network_lag_review(struct network *n, int64_t now_us)
{
    for (uint32_t i = 0; i < n->review_nodes.count; i++)
        review_node(n, now_us, n->review_nodes.at[i]);
    vec_clear(&n->review_nodes);
    for (uint32_t i = 0; i < n->review_spreads.count; i++)
        review_spread(n, now_us, n->review_spreads.at[i]);
    vec_clear(&n->review_spreads);
}
