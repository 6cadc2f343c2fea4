/* network_flow.c - flows on the links that they cross. */
#include "base/check.h"
#include "sim/network/network_state.h"

/* The spreads of a node learn that narrow flows from it have changed by this much. */
static void drift_spreads(struct network *n, uint32_t node, double by)
{
    const struct network_node *x = &n->nodes[node];
    for (uint32_t i = 0; i < x->spreads.count; i++) {
        const struct spread *s = &n->spreads.at[x->spreads.at[i].spread];
        if (s->flows > 0 && !s->nodes.at[x->spreads.at[i].at].hot)
            network_share_drift(n, s->link, by);
    }
}

/* Puts flow i on its k-th link. */
static void link_join(struct network *n, uint32_t i, uint8_t k)
{
    struct network_flow *f = &n->flows.at[i];
    uint32_t link = f->hop[k].link;
    struct link *l = &n->links.at[link];
    uint32_t weight = network_weight(f, l);
    struct rider r = {.flow = i, .weight = weight};
    for (uint8_t o = 0; o < FLOW_HOPS - 1; o++)
        r.other[o] = f->hop[o + (o >= k)].link;
    f->hop[k].at = l->riders.count;
    vec_push(&l->riders, r);
    l->weight += weight;
    l->renewed = true;
    double by = l->capacity * weight / (double)l->weight;
    network_share_drift(n, link, by);
    if (l->kind == LINK_NODE_UP)
        drift_spreads(n, l->of, by);
}

static void link_leave(struct network *n, const struct network_flow *f, const struct hop *h,
                       double rate)
{
    struct link *l = &n->links.at[h->link];
    struct rider last = l->riders.at[--l->riders.count];
    l->weight -= network_weight(f, l);
    l->renewed = true;
    if (l->kind == LINK_NODE_UP)
        drift_spreads(n, l->of, rate);
    if (l->riders.count == 0) {
        n->shares.at[h->link] = l->capacity;
        l->drift = l->rate = 0; /* a sum of nothing: rounding errors do not pile up */
        if (l->kind == LINK_NODE_UP && n->wide > 0)
            vec_push(&n->review_nodes, l->of);
        return;
    }
    if (h->at < l->riders.count) { /* the last one takes its place */
        struct network_flow *moved = &n->flows.at[last.flow];
        uint8_t k = 0;
        while (moved->hop[k].link != h->link)
            k++;
        moved->hop[k].at = h->at;
        l->riders.at[h->at] = last;
    }
    network_share_drift(n, h->link, rate);
}

static uint32_t flow_add(struct network *n, int64_t now_us, double bytes, uint32_t weight)
{
    check(bytes > 0 && weight > 0);
    bool used = n->flows_free.count > 0;
    uint32_t i = vec_take(&n->flows, &n->flows_free);
    uint32_t generation = used ? n->flows.at[i].generation : 0;
    n->flows.at[i] = (struct network_flow){.left = bytes,
                                           .settled_us = now_us,
                                           .queued_us = INT64_MAX,
                                           .generation = generation,
                                           .weight = weight,
                                           .spread = SPREAD_NONE,
                                           .whole = FLOW_NONE,
                                           .subflows = FLOW_NONE,
                                           .fresh = true};
    vec_push(&n->fresh, i);
    n->live++;
    return i;
}

/* The flow leaves `first`, a link of this rack, for a node. */
static void flow_route(struct network *n, uint32_t i, uint32_t first, uint32_t rack, uint32_t to)
{
    struct network_flow *f = &n->flows.at[i];
    uint32_t to_rack = n->nodes[to].rack;
    for (uint8_t k = 0; k < FLOW_HOPS; k++)
        f->hop[k].link = n->no_link;
    f->hop[f->hops++].link = first;
    if (first != network_node_link(to, NODE_DISK))
        f->hop[f->hops++].link = network_node_link(to, NODE_DOWN);
    if (rack != to_rack && n->rack_links) {
        f->hop[f->hops++].link = network_rack_link(n, rack, RACK_UP);
        f->hop[f->hops++].link = network_rack_link(n, to_rack, RACK_DOWN);
    }
    for (uint8_t k = 0; k < f->hops; k++)
        link_join(n, i, k);
}

uint32_t network_flow_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to,
                            double bytes, uint32_t weight)
{
    uint32_t i = flow_add(n, now_us, bytes, weight);
    uint32_t first = network_node_link(from, from == to ? NODE_DISK : NODE_UP);
    flow_route(n, i, first, n->nodes[from].rack, to);
    return i;
}

uint32_t network_flow_begin_some(struct network *n, int64_t now_us, uint32_t spread,
                                 uint32_t pieces, uint32_t to, double bytes, uint32_t weight)
{
    struct spread *s = &n->spreads.at[spread];
    check(pieces > 0 && !s->dropped);
    uint32_t i = flow_add(n, now_us, bytes, weight), load = network_load(s, weight, pieces);
    n->flows.at[i].spread = spread;
    n->flows.at[i].pieces = pieces;
    n->flows.at[i].order = ++n->wide_begun;
    n->flows.at[i].load = load;
    flow_route(n, i, s->link, s->rack, to);
    s->size = bytes / weight;
    s->flows++;
    n->live_wide++;
    n->wide += !s->whole;
    const struct link *l = &n->links.at[s->link];
    network_share_drift_spread(n, spread, l->capacity * load / (double)l->weight);
    return i;
}

void network_flow_leave(struct network *n, uint32_t i)
{
    struct network_flow *f = &n->flows.at[i];
    double rate = f->rate;
    network_share_set_rate(n, f, 0);
    for (uint8_t k = 0; k < f->hops; k++)
        link_leave(n, f, &f->hop[k], rate);
    n->live--;
    f->hops = 0;
    f->fresh = false;
    f->left = 0;
    f->queued_us = INT64_MAX;
    if (f->spread == SPREAD_NONE)
        return;
    struct spread *s = &n->spreads.at[f->spread];
    s->flows--;
    n->live_wide--;
    n->wide -= !s->whole;
    network_share_drift_spread(n, f->spread, rate);
    network_spread_left(n, f->spread);
}
