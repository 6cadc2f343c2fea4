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
 * Rejected, with numbers (docs/NETWORK.md): capacity / number of flows without dividing what others
 * leave; one round; more rounds; exact filling of the part of the network that is concerned, which
 * is mostly all of it. */
#include <math.h>

#include "base/check.h"
#include "sim/network_state.h"

enum { ROUNDS = 2, LEVEL_PASSES = 4 };
#define DRIFT_MAX (1.0 / 16) /* of a link's capacity */
#define SHARE_NEAR 0.01      /* shares that differ by less are the same */
#define RATE_NEAR 1e-9
#define WAIT_MAX 1e17 /* us */

void network_drift(struct network *n, uint32_t link, double by)
{
    struct link *l = &n->links[link];
    l->drift += by;
    if (l->dirty || l->drift <= DRIFT_MAX * l->capacity)
        return;
    l->dirty = true;
    vec_push(&n->dirty, link);
}

/* The least share that the links of a flow offer, but for one of them (or none: HOP_NONE). */
static double least_share(const struct network *n, const struct flow *f, uint32_t but)
{
    double least = INFINITY;
    for (uint8_t k = 0; k < f->hops; k++) {
        double share = n->links[f->hop[k].link].share;
        if (f->hop[k].link != but && share < least)
            least = share;
    }
    return least;
}

/* Gathers the limits of all flows on a link; returns the highest. */
static double gather_limits(struct network *n, uint32_t link)
{
    double most = 0;
    vec_clear(&n->limits);
    for (uint32_t h = n->links[link].first; h != HOP_NONE; h = network_hop(n, h)->next) {
        const struct flow *f = &n->flows.at[h / FLOW_HOPS];
        struct limit limit = {least_share(n, f, link), network_weight(f, &n->links[link])};
        most = limit.rate > most ? limit.rate : most;
        vec_push(&n->limits, limit);
    }
    n->work += n->limits.count;
    return most;
}

/* The flows that use a link without being on its list, as one: their weight and rate. */
static struct limit strangers(const struct network *n, const struct link *l)
{
    const struct rack *r = &n->racks[l->rack];
    if (l->kind == LINK_NODE_UP)
        return (struct limit){r->wide_rate / r->nodes, (double)r->wide_weight / r->nodes};
    if (l->kind == LINK_RACK_OUT)
        return (struct limit){r->narrow_rate, (double)r->narrow_weight};
    return (struct limit){0, 0};
}

/* The share with which the flows on a link fill it: higher than capacity / weight where some flows
 * cannot take that much. Each pass finds more of those; the first few find nearly all. */
static double link_level(struct network *n, uint32_t link)
{
    const struct link *l = &n->links[link];
    double most = gather_limits(n, link);
    struct limit other = strangers(n, l);
    double weight = (double)l->weight + other.weight, share = l->capacity / weight;
    for (int pass = 0; pass < LEVEL_PASSES; pass++) {
        double taken = 0, held = 0;
        for (uint32_t i = 0; i < n->limits.count; i++) {
            const struct limit *x = &n->limits.at[i];
            if (x->rate < share) {
                taken += x->rate * x->weight;
                held += x->weight;
            }
        }
        if (other.rate < other.weight * share) {
            taken += other.rate;
            held += other.weight;
        }
        if (held >= weight) /* nobody is held back here; the rest is for whoever comes */
            return most + (l->capacity - taken);
        double higher = (l->capacity - taken) / (weight - held);
        if (higher <= share * (1 + RATE_NEAR))
            break;
        share = higher;
    }
    return share;
}

/* Gives a flow the rate that its links offer now. */
static void flow_refresh(struct network *n, int64_t now_us, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    n->work++;
    f->fresh = false;
    double rate = least_share(n, f, HOP_NONE) * f->weight, by = fabs(rate - f->rate);
    if (by <= RATE_NEAR * f->rate)
        return;
    f->left = network_left(n, now_us, i);
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
        struct link *l = &n->links[n->dirty.at[d]];
        l->dirty = false;
        l->drift = 0;
        if (l->first == HOP_NONE)
            continue;
        double share = link_level(n, n->dirty.at[d]);
        if (fabs(share - l->share) <= SHARE_NEAR * l->share)
            continue;
        l->share = share;
        vec_push(&n->changed, n->dirty.at[d]);
    }
    vec_clear(&n->dirty);
}

void network_settle(struct network *n, int64_t now_us)
{
    for (int round = 0; round < ROUNDS && (n->dirty.count > 0 || n->fresh.count > 0); round++) {
        level_dirty(n);
        for (uint32_t c = 0; c < n->changed.count; c++) {
            uint32_t h = n->links[n->changed.at[c]].first;
            for (; h != HOP_NONE; h = network_hop(n, h)->next)
                flow_refresh(n, now_us, h / FLOW_HOPS);
        }
        for (uint32_t i = 0; i < n->fresh.count; i++)
            if (n->flows.at[n->fresh.at[i]].fresh)
                flow_refresh(n, now_us, n->fresh.at[i]);
        vec_clear(&n->fresh);
    }
}
