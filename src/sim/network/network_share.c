/* network_share.c - the share that a link offers to its flows.
 *
 * A link is looked at when flows on it have come, gone or changed (its drift): it works out the
 * share with which its flows fill it, from what their other links offer.
 *
 * Strangers. A node's link and the spreads that the node is in carry the same bytes. Each counts
 * what is on the other as flows of so much weight that could be so fast. Of the many flows from a
 * spread a node's link sees a few steps of speed (its demand) instead of each one. What the two
 * offer depends on each other, so a spread whose flows have not changed goes only half of the way
 * to a new share.
 *
 * Racks. Their links have the most flows and are mostly not full. Such a link is idle: its share is
 * infinite, and it is not looked at while it carries no more than it can. For the links of nodes
 * this was rejected: spreads have to know how much more their flows could take there (errors of 15
 * to 18 % at p95 under overload). */
#include <math.h>
#include <string.h>

#include "sim/network/network_state.h"

enum { LEVEL_PASSES = 4, DEMAND_STEPS = 12 };
#define DEMAND_LOWEST 0.2 /* of an even share */
#define DEMAND_STEP 1.35
#define WEIGHT_NEAR 1e-12 /* rounding errors of sums */

uint32_t network_share_add_link(struct network *n, double capacity, enum link_kind kind,
                                uint32_t of)
{
    vec_push(&n->links, ((struct link){.capacity = capacity, .kind = (uint8_t)kind, .of = of}));
    vec_push(&n->shares, capacity);
    return n->links.count - 1;
}

void network_share_dirty(struct network *n, uint32_t link)
{
    if (!n->links.at[link].dirty)
        vec_push(&n->dirty, link);
    n->links.at[link].dirty = true;
}

static bool is_rack(const struct link *l)
{
    return l->kind == LINK_RACK_UP || l->kind == LINK_RACK_DOWN;
}

/* While so few nodes of a rack send that their links up together are no wider than the rack's, that
 * is not full whatever they send. */
static bool is_idle(const struct network *n, const struct link *l)
{
    uint32_t which = l->kind == LINK_RACK_UP ? RACK_UP : RACK_DOWN;
    return is_rack(l) && n->busy[l->of * RACK_LINKS + which] <= n->busy_max;
}

void network_share_busy(struct network *n, uint32_t rack, uint32_t which, uint32_t more)
{
    uint32_t *busy = &n->busy[rack * RACK_LINKS + which];
    bool before = *busy > n->busy_max;
    *busy += more;
    if (before == (*busy > n->busy_max))
        return;
    network_share_dirty(n, network_rack_link(n, rack, which));
    if (!before && which == RACK_DOWN)
        vec_push(&n->crowded, rack);
}

/* Nodes are many, so their links learn only of changes that matter. */
void network_share_drift_spread(struct network *n, uint32_t spread, double by)
{
    struct spread *s = &n->spreads.at[spread];
    s->drift += by;
    if (s->flows > 0 && s->drift <= NETWORK_DRIFT_MAX * n->links.at[s->link].capacity)
        return;
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        uint32_t up = network_node_link(s->nodes.at[i].node, NODE_UP);
        if (n->links.at[up].riders.count > 0 && !s->nodes.at[i].hot)
            network_share_drift(n, up, s->drift * network_fraction(s, &s->nodes.at[i]));
    }
    s->drift = 0;
}

void network_share_set_rate(struct network *n, struct network_flow *f, double rate)
{
    for (uint8_t k = 0; k < f->hops; k++) {
        struct link *l = &n->links.at[f->hop[k].link];
        if (l->kind != LINK_PLAIN && l->kind != LINK_NODE_DOWN)
            l->rate += rate - f->rate;
    }
    f->rate = rate;
}

/* ---- limits: how fast the flows on a link could be ---- */

/* Gathers the limits of the flows on a link; returns the highest. */
static inline double gather(struct network *n, const struct link *l, bool racks)
{
    double most = 0, highest = n->most;
    uint32_t count = l->riders.count;
    vec_reserve(&n->limits, count);
    vec_reserve(&n->limit_weights, count);
    double *rates = n->limits.at, *weights = n->limit_weights.at;
    const double *shares = n->shares.at;
    const struct rider *r = l->riders.at;
    for (uint32_t i = 0; i < count; i++) {
        double least = network_rider_limit(shares, &r[i], racks);
        least = least < highest ? least : highest;
        most = least > most ? least : most;
        rates[i] = least;
        weights[i] = r[i].weight;
    }
    n->limits.count = n->limit_weights.count = count;
    n->work += count;
    return most;
}

/* What the flows on a spread could take if it were wider, in steps from a fifth of an even share to
 * some five times as much. The limits of the flows have been gathered. */
static void sum_up_demand(const struct network *n, struct spread *s)
{
    const struct link *l = &n->links.at[s->link];
    struct limit sum[DEMAND_STEPS] = {{0, 0}};
    double lowest = l->capacity / (double)l->weight * DEMAND_LOWEST;
    for (uint32_t i = 0; i < n->limits.count; i++) {
        double rate = n->limits.at[i], weight = n->limit_weights.at[i], step = lowest;
        uint32_t k = 0;
        for (; k < DEMAND_STEPS - 1 && rate > step; k++)
            step *= DEMAND_STEP;
        sum[k].rate += rate * weight;
        sum[k].weight += weight;
    }
    vec_clear(&s->demand);
    for (uint32_t k = 0; k < DEMAND_STEPS; k++)
        if (sum[k].weight > 0)
            vec_push(&s->demand, ((struct limit){sum[k].rate / sum[k].weight, sum[k].weight}));
}

/* ---- strangers: their limits are added to those of the riders, and their weight is returned ----
 */

static double stranger(struct network *n, double rate, double weight)
{
    vec_push(&n->limits, rate);
    vec_push(&n->limit_weights, weight);
    return weight;
}

/* Some of the pieces of the flows from a spread. The number and rate of the flows are known at any
 * time, what they could take is from when the spread was last looked at. */
static double spread_stranger(struct network *n, const struct spread *s, uint32_t pieces)
{
    const struct link *l = &n->links.at[s->link];
    double weight = 0, rate = 0, sum = 0, share = n->shares.at[s->link];
    for (uint32_t i = 0; i < s->demand.count; i++) {
        const struct limit *x = &s->demand.at[i];
        weight += x->weight;
        rate += x->weight * (x->rate < share ? x->rate : share);
    }
    if (weight <= 0)
        return 0;
    double grown = (double)l->weight / weight, faster = l->rate / (rate * grown);
    double grown_by = grown * pieces / s->pieces;
    for (uint32_t i = 0; i < s->demand.count; i++)
        sum += stranger(n, s->demand.at[i].rate * faster, s->demand.at[i].weight * grown_by);
    return sum;
}

/* At a node's link: its share of the wide flows from the spreads that it is in. */
static double node_strangers(struct network *n, uint32_t node)
{
    const struct network_node *x = &n->nodes[node];
    double weight = 0;
    for (uint32_t i = 0; i < x->spreads.count; i++) {
        const struct spread *s = &n->spreads.at[x->spreads.at[i].spread];
        const struct spread_node *y = &s->nodes.at[x->spreads.at[i].at];
        if (s->flows > 0 && !y->hot)
            weight += spread_stranger(n, s, y->pieces);
    }
    return weight;
}

/* Counts the pieces of other spreads on a node of a spread, and returns what the node would have to
 * send by all of them. */
static double count_overlaps(struct network *n, const struct spread *s, uint32_t node)
{
    const struct network_node *x = &n->nodes[node];
    double booked = 0;
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        struct spread *o = &n->spreads.at[x->spreads.at[k].spread];
        const struct spread_node *y = &o->nodes.at[x->spreads.at[k].at];
        if (o->flows == 0 || y->hot)
            continue;
        booked += n->links.at[o->link].rate * network_fraction(o, y);
        if (o == s)
            continue;
        if (o->overlap == 0)
            vec_push(&n->others, x->spreads.at[k].spread);
        o->overlap += y->pieces;
    }
    return booked;
}

/* At a spread's link: narrow flows from its nodes, and other spreads. If some node has more to send
 * by all of them than it can, it is time to see whether it lags. */
static double spread_strangers(struct network *n, uint32_t spread)
{
    struct spread *s = &n->spreads.at[spread];
    double weight = 0;
    bool tight = false;
    vec_clear(&n->others);
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        uint32_t node = s->nodes.at[i].node;
        if (s->nodes.at[i].hot)
            continue;
        const struct link *up = &n->links.at[network_node_link(node, NODE_UP)];
        if (up->weight > 0)
            weight += stranger(n, up->rate / (double)up->weight, (double)up->weight);
        tight |= up->rate + count_overlaps(n, s, node) > up->capacity;
    }
    if (tight && (n->others.count > 0 || s->uneven) && !s->review && !s->whole) {
        s->review = true;
        vec_push(&n->review_spreads, spread);
    }
    for (uint32_t i = 0; i < n->others.count; i++) {
        struct spread *o = &n->spreads.at[n->others.at[i]];
        weight += spread_stranger(n, o, o->overlap);
        o->overlap = 0;
    }
    return weight;
}

/* ---- shares ---- */

/* Two numbers, computed with at once. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));

static inline pair pair_of(const double *at)
{
    pair p;
    memcpy(&p, at, sizeof p);
    return p;
}

/* What the flows on a link that cannot take a share take, and their weight. Limits may be infinite:
 * products of those that are not held are left out bit by bit. */
static struct limit find_held(const struct network *n, double share)
{
    pair taken = {0, 0}, weight = {0, 0}, all = {share, share};
    for (uint32_t i = 0; i < n->limits.count; i += 2) {
        pair rates = pair_of(&n->limits.at[i]), weights = pair_of(&n->limit_weights.at[i]);
        pair_bits held = rates < all;
        taken += (pair)((pair_bits)(rates * weights) & held);
        weight += (pair)((pair_bits)weights & held);
    }
    return (struct limit){taken[0] + taken[1], weight[0] + weight[1]};
}

/* The share with which the flows on a link fill it: higher than capacity / weight where some flows
 * cannot take that much. What they take grows with the share, ever more slowly, so each step from
 * anywhere leads to the answer or a little below it, and the next ones nearer. The last share is
 * mostly near. */
double network_share_level(struct network *n, uint32_t link)
{
    struct link *l = &n->links.at[link];
    l->idle = is_idle(n, l);
    if (l->idle)
        return INFINITY;
    double most = n->rack_links ? gather(n, l, true) : gather(n, l, false);
    double weight = (double)l->weight;
    if (l->kind == LINK_SPREAD) {
        sum_up_demand(n, &n->spreads.at[l->of]);
        weight += spread_strangers(n, l->of);
    } else if (l->kind == LINK_NODE_UP) {
        weight += node_strangers(n, l->of);
    }
    if (n->limits.count % 2 > 0) /* they are looked at in pairs */
        stranger(n, INFINITY, 0);
    double least = l->capacity / weight;
    double share = fmax(fmin(n->shares.at[link], l->capacity), least);
    for (int pass = n->exact ? NETWORK_EXACT_STEPS : LEVEL_PASSES; pass > 0; pass--) {
        struct limit held = find_held(n, share);
        bool all = held.weight >= weight * (1 - WEIGHT_NEAR);
        if (all && held.rate <= l->capacity) { /* none is held back here */
            l->idle = is_rack(l);
            return l->idle ? INFINITY : most + (l->capacity - held.rate); /* for newcomers */
        }
        double next = all ? least : (l->capacity - held.rate) / (weight - held.weight);
        next = fmax(next, least);
        if (fabs(next - share) <= NETWORK_RATE_NEAR * share)
            break;
        share = next;
    }
    return share;
}
