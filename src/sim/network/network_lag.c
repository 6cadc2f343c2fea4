/* network_lag.c - which nodes of a spread lag behind the others.
 *
 * A node offers a share to all that comes from it. If the flows from a spread would be faster than
 * that, the node falls behind, by its deficit for weight 1 and microsecond. The sum of that over
 * time is its lag. A lag is forgotten as the flows that suffered from it end: as fast as the spread
 * sends what one flow needs. What matters is how much of a lag there will be in the end: what there
 * is, and the deficit for as long as a flow takes or whatever else the node has to send lasts.
 * Where that is more than a tenth of what a flow carries, or half of that if it can be hot together
 * with others, the node becomes hot (network_split.c).
 *
 * A node that sends something besides is looked at when its link is. The others are looked at with
 * their spread, if that overlaps others or lies unevenly on its nodes, and some node has more to
 * send by all of it than it can. Nodes are of one kind that are in the same spreads and have about
 * as many pieces of each. Those of a kind become hot together, the kind that is worst off first:
 * there may not be room for all.
 *
 * Rejected: waiting until the lag is there (a node is looked at when something changes; a flow can
 * begin and end in between); the share alone without the bytes (every small flow makes a node hot);
 * making up for the lag at the end of a flow (too much of it depends on what comes in between);
 * kinds by what the nodes offer at the moment (with the next shuffle those with more pieces lag
 * again); hot nodes that make room for others which are farther behind (more subflows than ever).
 */
#include <math.h>

#include "sim/network/network_state.h"

#define LAG_MAX 0.1   /* of what a flow carries, of a node that sends something besides */
#define LAG_KIND 0.05 /* of others: a group costs no more than one node */
enum { KINDS_MAX = 64 };

/* What a flow of weight 1 gets from a spread. */
static double usual_rate(const struct network *n, const struct spread *s)
{
    return n->links.at[s->link].rate / (double)n->links.at[s->link].weight;
}

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

/* Brings the lag of a node up to date. It offers this share now. */
static void note(const struct network *n, int64_t now_us, const struct spread *s,
                 struct spread_node *x, double share)
{
    double time = (double)(now_us - x->since_us), gone = usual_rate(n, s) * time / s->size;
    double kept = gone < 1 ? x->lag * (1 - gone) : 0;
    x->lag = fmax(kept + x->deficit * time, 0);
    x->deficit = fmin(deficit(n, s, share), usual_rate(n, s)); /* no flow has got more than that */
    x->since_us = now_us;
}

/* How far a node will be behind, as a share of what a flow carries, if it has this many bytes to
 * send besides the spread's. */
static double behind(const struct network *n, const struct spread *s, const struct spread_node *x,
                     double besides)
{
    double rate = usual_rate(n, s), more = 0;
    if (x->deficit > 0 && rate > 0)
        more = fmin(x->deficit / rate * s->size,
                    besides / (network_fraction(s, x) * (double)n->links.at[s->link].weight));
    return (x->lag + more) / s->size;
}

/* ---- nodes that send something besides ---- */

static double link_left(const struct network *n, int64_t now_us, const struct link *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->riders.count; i++)
        sum += network_left_alone(&n->flows.at[l->riders.at[i].flow], now_us);
    return sum;
}

/* Cools a node that was hot by itself and sends nothing. */
static void cool_idle(struct network *n, uint32_t spread, uint32_t at)
{
    const struct spread *s = &n->spreads.at[spread];
    for (uint32_t k = 0; k < s->hot.count; k++)
        if (s->hot.at[k].at == at && s->hot.at[k].group == SPREAD_NONE) {
            network_spread_cool(n, spread, k);
            return;
        }
}

static void review_node(struct network *n, int64_t now_us, uint32_t node)
{
    const struct network_node *x = &n->nodes[node];
    uint32_t up = network_node_link(node, NODE_UP);
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
        else if (!y->hot && network_spread_may_heat(n, s, 1) &&
                 behind(n, s, y, link_left(n, now_us, &n->links.at[up])) > LAG_MAX)
            network_split(n, now_us, in.spread,
                          (struct spread_hot){.at = in.at, .group = SPREAD_NONE});
    }
}

/* ---- nodes of spreads that overlap, or that have more pieces than others ---- */

/* A node that sends nothing besides and lags: what it offers, and its kind. */
struct lagging {
    uint32_t node;
    double share;
    uint64_t kind;
};

/* The share that nodes of a kind offer. */
struct kind_share {
    uint64_t kind;
    double share;
};

static bool counts(const struct network *n, struct node_spread in)
{
    const struct spread *s = &n->spreads.at[in.spread];
    return s->flows > 0 && !s->nodes.at[in.at].hot;
}

/* The spreads with flows that a node is in, and about how many pieces it has of each, as a number
 * in which their order does not matter. `busier` says whether the node can be busier than others.
 */
static uint64_t kind_of(const struct network *n, uint32_t node, bool *busier)
{
    const struct network_node *x = &n->nodes[node];
    uint64_t kind = 0;
    uint32_t count = 0;
    *busier = false;
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        struct node_spread in = x->spreads.at[k];
        if (!counts(n, in))
            continue;
        const struct spread *s = &n->spreads.at[in.spread];
        uint64_t one = ((uint64_t)s->nodes.at[in.at].size << 32) + in.spread + 1;
        one *= UINT64_C(0x9E3779B97F4A7C15);
        kind += one ^ one >> 29;
        *busier |= ++count > 1 || s->uneven;
    }
    return kind;
}

/* The nodes of a spread that lag and send nothing besides. What such a node offers is worked out
 * once for each kind. */
static uint32_t find_lagging(struct network *n, int64_t now_us, uint32_t spread,
                             struct lagging *lagging)
{
    struct kind_share known[KINDS_MAX];
    uint32_t kinds = 0, count = 0;
    struct spread *s = &n->spreads.at[spread];
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        struct spread_node *x = &s->nodes.at[i];
        uint32_t up = network_node_link(x->node, NODE_UP), k = 0;
        if (x->hot || n->links.at[up].riders.count > 0)
            continue;
        bool busier;
        uint64_t kind = kind_of(n, x->node, &busier);
        double share = INFINITY;
        while (k < kinds && known[k].kind != kind)
            k++;
        if (busier)
            share = k < kinds ? known[k].share : network_share_level(n, up);
        if (busier && k == kinds && kinds < KINDS_MAX)
            known[kinds++] = (struct kind_share){kind, share};
        note(n, now_us, s, x, share);
        if (behind(n, s, x, INFINITY) > LAG_KIND)
            lagging[count++] = (struct lagging){x->node, share, kind};
    }
    return count;
}

/* Moves the nodes of the kind that is worst off from `lagging` to `nodes`; returns their number. */
static uint32_t take_kind(struct lagging *lagging, uint32_t *count, uint32_t *nodes)
{
    struct lagging worst = lagging[0];
    for (uint32_t i = 1; i < *count; i++)
        if (lagging[i].share < worst.share)
            worst = lagging[i];
    uint32_t left = 0, taken = 0;
    nodes[taken++] = worst.node;
    for (uint32_t i = 0; i < *count; i++)
        if (lagging[i].kind != worst.kind)
            lagging[left++] = lagging[i];
        else if (lagging[i].node != worst.node)
            nodes[taken++] = lagging[i].node;
    *count = left;
    return taken;
}

/* Nodes of a kind become hot together, in all spreads that they are in. */
static void split_kind(struct network *n, int64_t now_us, const uint32_t *nodes, uint32_t count)
{
    VEC(struct node_spread) parents = {0};
    for (uint32_t k = 0; k < n->nodes[nodes[0]].spreads.count; k++) {
        struct node_spread in = n->nodes[nodes[0]].spreads.at[k];
        const struct spread *s = &n->spreads.at[in.spread];
        if (!s->whole && counts(n, in) && network_spread_may_heat(n, s, count))
            vec_push(&parents, in);
    }
    uint32_t group = SPREAD_NONE;
    if (parents.count > 0 && count > 1) {
        group = network_spread_add(n, n->nodes[nodes[0]].rack, nodes, NULL, count);
        n->spreads.at[group].group = true;
        n->spreads.at[group].parents = parents.count;
    }
    for (uint32_t k = 0; k < parents.count; k++)
        network_split(n, now_us, parents.at[k].spread,
                      (struct spread_hot){.at = parents.at[k].at, .group = group});
    if (group != SPREAD_NONE && n->spreads.at[group].flows == 0)
        network_spread_left(n, group); /* no flow had more to get from there */
    vec_free(&parents);
}

static void review_spread(struct network *n, int64_t now_us, uint32_t spread)
{
    const struct spread *s = &n->spreads.at[spread];
    n->spreads.at[spread].review = false;
    if (s->flows == 0 || !network_spread_may_heat(n, s, 1))
        return;
    struct lagging *lagging = mem_zalloc(s->nodes.count, sizeof *lagging);
    uint32_t *nodes = mem_zalloc(s->nodes.count, sizeof *nodes);
    uint32_t count = find_lagging(n, now_us, spread, lagging);
    while (count > 0 && n->spreads.at[spread].flows > 0 &&
           network_spread_may_heat(n, &n->spreads.at[spread], 1)) {
        uint32_t taken = take_kind(lagging, &count, nodes);
        split_kind(n, now_us, nodes, taken);
    }
    mem_free(lagging);
    mem_free(nodes);
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
