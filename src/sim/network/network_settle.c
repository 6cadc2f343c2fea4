/* network_settle.c - how fast each flow is, and how far a change is followed.
 *
 * Where the share of a link has changed, flows that it may hold back get new rates, and these are
 * drift for their other links. What the rounds of a settle leave over is done at the next one. The
 * essay in network.c says when that is exact. */
#include <math.h>

#include "sim/network/network_state.h"

enum { ROUNDS = 2, ROUNDS_SPLIT = 2 };
#define SHARE_NEAR 0.01 /* shares that differ by less are the same */
#define WAIT_MAX 1e17   /* us */

/* The least share that its links offer. */
static double flow_offer(const struct network *n, uint32_t i)
{
    const struct network_flow *f = &n->flows.at[i];
    double least = INFINITY;
    for (uint8_t k = 0; k < f->hops; k++) {
        double offer = n->shares.at[f->hop[k].link];
        least = offer < least ? offer : least;
    }
    return least;
}

/* Gives a flow the rate that its links offer now; `offer` is the least of their shares. */
static void flow_refresh(struct network *n, int64_t now_us, uint32_t i, double offer)
{
    struct network_flow *f = &n->flows.at[i];
    double share = offer < n->most ? offer : n->most;
    f->fresh = false;
    double rate = share * (double)f->weight, by = fabs(rate - f->rate);
    if (by <= NETWORK_RATE_NEAR * f->rate)
        return;
    f->left = network_left_alone(f, now_us);
    f->settled_us = now_us;
    network_share_set_rate(n, f, rate);
    for (uint8_t k = 0; k < f->hops; k++)
        network_share_drift(n, f->hop[k].link, by);

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
        double share = network_share_level(n, link), old = n->shares.at[link];
        if (l->kind == LINK_SPREAD && !l->renewed) /* else it and its nodes' links would swing */
            share = (share + old) / 2;
        l->renewed = false;
        if (l->kind == LINK_RACK_UP && !l->idle)
            vec_push(&n->crowded, l->of);
        if (l->kind == LINK_NODE_UP && n->wide > 0)
            vec_push(&n->review_nodes, l->of);
        double low = share < old ? share : old;
        if (share == old || fabs(share - old) <= (n->exact ? NETWORK_RATE_NEAR : SHARE_NEAR) * low)
            continue;
        n->shares.at[link] = share;
        vec_push(&n->changed, ((struct change){link, low}));
    }
    vec_clear(&n->dirty);
}

/* A rider's limit and the link's own share make the offer to its flow: only flows that get another
 * rate are touched. */
static inline void refresh_held(struct network *n, int64_t now_us, const struct change *c,
                                bool racks)
{
    const struct rider *riders = n->links.at[c->link].riders.at;
    uint32_t count = n->links.at[c->link].riders.count;
    const double *shares = n->shares.at;
    double share = shares[c->link], low = c->low;
    for (uint32_t i = 0; i < count; i++) {
        double limit = network_rider_limit(shares, &riders[i], racks);
        if (limit >= low)
            flow_refresh(n, now_us, riders[i].flow, limit < share ? limit : share);
    }
    n->work += count;
}

/* Refreshes the flows on a link whose rate may have changed with its share. */
static void refresh_riders(struct network *n, int64_t now_us, const struct change *c)
{
    const struct link *l = &n->links.at[c->link];
    double before = l->rate;
    if (n->rack_links)
        refresh_held(n, now_us, c, true);
    else
        refresh_held(n, now_us, c, false);
    if (l->kind == LINK_SPREAD)
        network_share_drift_spread(n, l->of, fabs(l->rate - before));
}

/* Chooses between the exact solution and the approximation. What the latter has left undone is
 * anywhere, so every link that carries something is looked at again. */
static void choose_method(struct network *n)
{
    bool exact = n->live <= NETWORK_EXACT_FLOWS && n->live_wide == 0;
    for (uint32_t i = 0; exact && !n->exact && i < n->links.count; i++)
        if (n->links.at[i].riders.count > 0)
            network_share_drift(n, i, n->links.at[i].capacity);
    n->exact = exact;
}

/* New subflows are followed as far as whatever begins at an instant. */
void network_settle(struct network *n, int64_t now_us)
{
    network_read_settle(n, now_us);
    choose_method(n);
    int left = n->exact ? NETWORK_EXACT_STEPS : ROUNDS;
    for (int round = 0; left > 0 && (n->dirty.count > 0 || n->fresh.count > 0); round++, left--) {
        uint64_t splits = n->splits;
        level_dirty(n);
        network_lag_review(n, now_us);
        network_read_part_crowded(n, now_us);
        if (n->splits != splits && round < ROUNDS_SPLIT)
            left = ROUNDS + 1;
        for (uint32_t c = 0; c < n->changed.count; c++)
            refresh_riders(n, now_us, &n->changed.at[c]);
        for (uint32_t i = 0; i < n->fresh.count; i++)
            if (n->flows.at[n->fresh.at[i]].fresh)
                flow_refresh(n, now_us, n->fresh.at[i], flow_offer(n, n->fresh.at[i]));
        vec_clear(&n->fresh);
    }
}
