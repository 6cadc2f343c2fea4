/* network_share.c - how fast each flow is.
 *
 * The exact answer is max-min fairness: raise all speeds together, and whenever a link is full, the
 * flows on it stay as they are. Working it out anew touches every flow of the network. It is also
 * what comes out when every link offers one share to all flows on it, every flow takes the least of
 * its links' offers, and every link makes its offer so that what its flows take fills it: a flow
 * that is held back elsewhere takes less than its share, and the others divide what it leaves. This
 * rule is local, so a change need only be followed where it leads.
 *
 * A link whose flows have changed is looked at again; its flows get their new rates; and these are
 * changes for the other links they cross. Changes are followed for two rounds, and only as far as
 * they matter: a link counts how much the rates on it have changed in all (its drift) and is looked
 * at again when that exceeds a sixteenth of its capacity. So a link with few flows is always up to
 * date, one with a thousand flows is looked at every sixtieth time, and the work for a flow that
 * begins or ends does not grow with the number of flows around it. What two rounds leave over is
 * done at the next settle.
 *
 * A few flows are followed to the end instead (network.exact): links are looked at again after any
 * change, until nothing changes any more. Every flow then crosses a link that is full and on which
 * none is faster, which is what max-min fairness means. The link with the least share has its final
 * one after two rounds, the next one after two more, and so on.
 *
 * A node's link and the spreads that the node is in carry the same bytes. Each counts what is on
 * the other as strangers: flows of so much weight that could be so fast. Of the many flows from a
 * spread, a node sees a few steps of speed (its demand) instead of each one.
 *
 * Rejected, with numbers (docs/NETWORK.md): capacity / number of flows without dividing what others
 * leave; one round; more rounds; exact filling of the part of the network that is concerned, which
 * is mostly all of it. */
#include <math.h>

#include "base/check.h"
#include "network/network_state.h"

enum { ROUNDS = 2, ROUNDS_SPLIT = 2, LEVEL_PASSES = 4, DEMAND_STEPS = 12 };
enum { EXACT_STEPS_MAX = 1000 }; /* rounds and passes of an exact solution: never so many */
#define DEMAND_LOWEST 0.2
#define DEMAND_STEP 1.35
#define DRIFT_MAX (1.0 / 16) /* of a link's capacity */
#define SHARE_NEAR 0.01      /* shares that differ by less are the same */
#define RATE_NEAR 1e-9
#define WEIGHT_NEAR 1e-12 /* rounding errors of sums */
#define WAIT_MAX 1e17     /* us */

void network_drift(struct network *n, uint32_t link, double by)
{
    struct link *l = &n->links.at[link];
    l->drift += by;
    if (l->dirty || (!n->exact && l->drift <= DRIFT_MAX * l->capacity))
        return;
    l->dirty = true;
    vec_push(&n->dirty, link);
}

/* Nodes are many, so they are told only when there is something to tell. */
void network_drift_spread(struct network *n, uint32_t spread, double by)
{
    struct spread *s = &n->spreads.at[spread];
    s->drift += by;
    if (s->flows > 0 && s->drift <= DRIFT_MAX * n->links.at[s->link].capacity)
        return;
    for (uint32_t i = 0; i < s->nodes.count; i++) {
        uint32_t up = network_node_up(s->nodes.at[i].node);
        if (n->links.at[up].riders.count > 0 && !s->nodes.at[i].hot)
            network_drift(n, up, s->drift * network_fraction(s, &s->nodes.at[i]));
    }
    s->drift = 0;
}

/* The least share that the links of a flow offer. */
static double least_share(const struct network *n, const struct flow *f)
{
    double least = n->most;
    for (uint8_t k = 0; k < f->hops; k++) {
        double share = n->shares.at[f->hop[k].link];
        least = share < least ? share : least;
    }
    return least;
}

/* The least share that a rider's other links offer. Without links of racks there is one other. */
static inline double rider_limit(const double *shares, const struct rider *r, bool racks)
{
    double least = shares[r->other[0]];
    if (racks) {
        double b = shares[r->other[1]], c = shares[r->other[2]];
        least = b < least ? b : least;
        least = c < least ? c : least;
    }
    return least;
}

/* Gathers the limits of all flows on a link after those that are there; returns the highest. */
static inline double gather(struct network *n, const struct link *l, bool racks)
{
    double most = 0, highest = n->most;
    uint32_t from = n->limits.count, count = l->riders.count;
    vec_reserve(&n->limits, from + count);
    struct limit *to = n->limits.at + from;
    const double *shares = n->shares.at;
    const struct rider *r = l->riders.at;
    for (uint32_t i = 0; i < count; i++) {
        double least = rider_limit(shares, &r[i], racks);
        least = least < highest ? least : highest;
        most = least > most ? least : most;
        to[i] = (struct limit){least, r[i].weight};
    }
    n->limits.count += count;
    n->work += count;
    return most;
}

static double gather_limits(struct network *n, const struct link *l)
{
    return n->rack_links ? gather(n, l, true) : gather(n, l, false);
}

/* Of the flows on a link those that cannot take a share: what they take, and their weight. */
struct held {
    double taken, weight;
};

/* Two sums at a time, because each addition waits for the one before. */
static struct held find_held(const struct network *n, double share)
{
    const struct limit *x = n->limits.at, *end = x + n->limits.count / 2 * 2;
    double taken[2] = {0, 0}, weight[2] = {0, 0};
    for (; x < end; x += 2) {
        bool a = x[0].rate < share, b = x[1].rate < share; /* limits may be infinite */
        taken[0] += a ? x[0].rate * x[0].weight : 0;
        taken[1] += b ? x[1].rate * x[1].weight : 0;
        weight[0] += a ? x[0].weight : 0;
        weight[1] += b ? x[1].weight : 0;
    }
    if (n->limits.count % 2 > 0 && x->rate < share) {
        taken[0] += x->rate * x->weight;
        weight[0] += x->weight;
    }
    return (struct held){taken[0] + taken[1], weight[0] + weight[1]};
}

/* ---- wide flows ---- */

/* What the flows on a spread could take if it were wider, summed up in a few steps from a fifth of
 * an even share to some five times as much: its nodes' links look at that instead of at all flows.
 * The limits of the flows have been gathered. */
static void sum_up_demand(const struct network *n, struct spread *s)
{
    const struct link *l = &n->links.at[s->link];
    struct limit sum[DEMAND_STEPS] = {{0, 0}};
    double lowest = l->capacity / (double)l->weight * DEMAND_LOWEST;
    for (uint32_t i = 0; i < n->limits.count; i++) {
        const struct limit *x = &n->limits.at[i];
        double step = lowest;
        uint32_t k = 0;
        for (; k < DEMAND_STEPS - 1 && x->rate > step; k++)
            step *= DEMAND_STEP;
        sum[k].rate += x->rate * x->weight;
        sum[k].weight += x->weight;
    }
    vec_clear(&s->demand);
    for (uint32_t k = 0; k < DEMAND_STEPS; k++)
        if (sum[k].weight > 0)
            vec_push(&s->demand, ((struct limit){sum[k].rate / sum[k].weight, sum[k].weight}));
}

/* Flows that use a link without riding on it. Returns their weight. */
static double stranger(struct network *n, double rate, double weight)
{
    vec_push(&n->limits, ((struct limit){rate, weight}));
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
    double part = grown * pieces / s->pieces;
    for (uint32_t i = 0; i < s->demand.count; i++)
        sum += stranger(n, s->demand.at[i].rate * faster, s->demand.at[i].weight * part);
    return sum;
}

/* At a node's link: its part of the wide flows from the spreads that it is in. */
static double node_strangers(struct network *n, uint32_t node)
{
    const struct node_links *x = &n->nodes[node];
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
    const struct node_links *x = &n->nodes[node];
    double booked = 0;
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        struct spread *o = &n->spreads.at[x->spreads.at[k].spread];
        const struct spread_node *y = &o->nodes.at[x->spreads.at[k].at];
        if (o->flows == 0 || y->hot)
            continue;
        booked += n->links.at[o->link].rate * network_fraction(o, y);
        if (o != s && o->overlap == 0)
            vec_push(&n->others, x->spreads.at[k].spread);
        o->overlap += o != s ? y->pieces : 0;
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
        if (s->nodes.at[i].hot)
            continue;
        const struct link *up = &n->links.at[network_node_up(s->nodes.at[i].node)];
        if (up->weight > 0)
            weight += stranger(n, up->rate / (double)up->weight, (double)up->weight);
        double booked = count_overlaps(n, s, s->nodes.at[i].node);
        tight |= up->rate + booked > up->capacity;
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

static double strangers(struct network *n, const struct link *l)
{
    if (l->kind == LINK_NODE_UP)
        return node_strangers(n, l->of);
    return l->kind == LINK_SPREAD ? spread_strangers(n, l->of) : 0;
}

/* ---- shares ---- */

/* The share with which the flows on a link fill it: higher than capacity / weight where some flows
 * cannot take that much. What they take grows with the share, ever more slowly, so each step from
 * anywhere leads to the answer or a little below it, and the next ones nearer. The last share is
 * mostly near. */
double network_level(struct network *n, uint32_t link)
{
    const struct link *l = &n->links.at[link];
    vec_clear(&n->limits);
    double most = gather_limits(n, l);
    if (l->kind == LINK_SPREAD)
        sum_up_demand(n, &n->spreads.at[l->of]);
    double weight = (double)l->weight + strangers(n, l), least = l->capacity / weight;
    double share = fmax(n->shares.at[link], least);
    for (int pass = n->exact ? EXACT_STEPS_MAX : LEVEL_PASSES; pass > 0; pass--) {
        struct held held = find_held(n, share);
        bool all = held.weight >= weight * (1 - WEIGHT_NEAR);
        /* nobody is held back here; the rest is for whoever comes */
        if (all && held.taken <= l->capacity)
            return most + (l->capacity - held.taken);
        double next = all ? least : (l->capacity - held.taken) / (weight - held.weight);
        next = fmax(next, least);
        if (fabs(next - share) <= RATE_NEAR * share)
            break;
        share = next;
    }
    return share;
}

/* Gives a flow the rate that its links offer now. */
static void flow_refresh(struct network *n, int64_t now_us, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    f->fresh = false;
    double rate = least_share(n, f) * f->weight, by = fabs(rate - f->rate);
    if (by <= RATE_NEAR * f->rate)
        return;
    f->left = network_left_alone(f, now_us);
    f->settled_us = now_us;
    network_set_rate(n, f, rate);
    for (uint8_t k = 0; k < f->hops; k++)
        network_drift(n, f->hop[k].link, by);

    double wait = ceil(f->left / rate);
    int64_t due_us = wait < WAIT_MAX ? now_us + (wait > 1 ? (int64_t)wait : 1) : INT64_MAX - 1;
    if (due_us < f->queued_us) { /* else its entry comes early and is put back */
        f->queued_us = due_us;
        timeq_push(n->ends, due_us, (uint64_t)f->generation << 32 | i);
    }
}

/* Works out the shares of all dirty links. Those that have changed are in n->changed. */
static void level_dirty(struct network *n)
{
    vec_clear(&n->changed);
    for (uint32_t d = 0; d < n->dirty.count; d++) {
        uint32_t link = n->dirty.at[d];
        struct link *l = &n->links.at[link];
        l->dirty = false;
        l->drift = 0;
        if (l->riders.count == 0)
            continue;
        double share = network_level(n, link), old = n->shares.at[link];
        if (l->kind == LINK_SPREAD && !l->renewed) /* else it and its nodes' links would swing */
            share = (share + old) / 2;
        l->renewed = false;
        if (l->kind == LINK_NODE_UP && n->wide > 0)
            vec_push(&n->review_nodes, l->of);
        if (fabs(share - old) <= (n->exact ? RATE_NEAR : SHARE_NEAR) * old)
            continue;
        n->shares.at[link] = share;
        vec_push(&n->changed, ((struct change){link, share < old ? share : old}));
    }
    vec_clear(&n->dirty);
}

/* The flows on a link whose rate may have changed with its share. */
static void refresh_riders(struct network *n, int64_t now_us, const struct change *c)
{
    const struct link *l = &n->links.at[c->link];
    double before = l->rate;
    n->work += l->riders.count;
    for (uint32_t i = 0; i < l->riders.count; i++)
        if (rider_limit(n->shares.at, &l->riders.at[i], n->rack_links) >= c->low)
            flow_refresh(n, now_us, l->riders.at[i].flow);
    if (l->kind == LINK_SPREAD)
        network_drift_spread(n, l->of, fabs(l->rate - before));
}

/* Chooses between the exact solution and the approximation. What the latter has left undone is
 * anywhere, so every link that carries something is looked at again. */
static void choose_method(struct network *n)
{
    bool exact = n->live <= NETWORK_EXACT_FLOWS && n->live_wide == 0;
    for (uint32_t i = 0; exact && !n->exact && i < n->links.count; i++)
        if (n->links.at[i].riders.count > 0)
            network_drift(n, i, n->links.at[i].capacity);
    n->exact = exact;
}

/* New parts are followed as far as whatever begins at an instant. */
void network_settle(struct network *n, int64_t now_us)
{
    choose_method(n);
    int left = n->exact ? EXACT_STEPS_MAX : ROUNDS;
    for (int round = 0; left > 0 && (n->dirty.count > 0 || n->fresh.count > 0); round++, left--) {
        level_dirty(n);
        uint64_t splits = n->splits;
        if (n->review_nodes.count > 0 || n->review_spreads.count > 0)
            network_lag_review(n, now_us);
        if (n->splits != splits && round < ROUNDS_SPLIT)
            left = ROUNDS + 1;
        for (uint32_t c = 0; c < n->changed.count; c++)
            refresh_riders(n, now_us, &n->changed.at[c]);
        for (uint32_t i = 0; i < n->fresh.count; i++)
            if (n->flows.at[n->fresh.at[i]].fresh)
                flow_refresh(n, now_us, n->fresh.at[i]);
        vec_clear(&n->fresh);
    }
}
