/* network_flow.c - flows on the links that they cross. */
#include "base/check.h"
#include "base/list.h"
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

/* A link begins to be used (more: 1) or is not used any more (-1). */
static void link_busy(struct network *n, const struct link *l, uint32_t more)
{
    if (l->kind == LINK_NODE_DOWN)
        network_share_busy(n, n->nodes[l->of].rack, RACK_DOWN, more);
    if (l->kind == LINK_NODE_UP)
        network_share_busy(n, n->nodes[l->of].rack, RACK_UP, more);
}

/* Puts flow i on its k-th link. */
static void link_join(struct network *n, uint32_t i, uint8_t k)
{
    struct network_flow *f = &n->flows.at[i];
    uint32_t link = f->hop[k].link;
    struct link *l = &n->links.at[link];
    uint64_t weight = network_weight(f, l);
    struct rider r = {.flow = i, .weight = (double)weight};
    for (uint8_t o = 0; o < FLOW_HOPS - 1; o++)
        r.other[o] = f->hop[o + (o >= k)].link;
    f->hop[k].at = l->riders.count;
    vec_push(&l->riders, r);
    l->weight += weight;
    l->renewed = true;
    double by = weight > 0 ? l->capacity * (double)weight / (double)l->weight : 0;
    if (l->riders.count == 1)
        link_busy(n, l, 1);
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
        l->idle = false;
        l->drift = l->rate = 0; /* a sum of nothing: rounding errors do not pile up */
        if (l->kind == LINK_NODE_UP && n->wide > 0)
            vec_push(&n->review_nodes, l->of);
        link_busy(n, l, UINT32_MAX);
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

/* ---- flows begin ---- */

static uint32_t flow_add(struct network *n, int64_t now_us, double bytes, uint64_t weight)
{
    check(weight > 0);
    bool used = n->flows_free.count > 0;
    uint32_t i = vec_take(&n->flows, &n->flows_free);
    uint32_t generation = used ? n->flows.at[i].generation : 0;
    n->flows.at[i] = (struct network_flow){.left = bytes,
                                           .settled_us = now_us,
                                           .queued_us = INT64_MAX,
                                           .generation = generation,
                                           .weight = weight,
                                           .away = weight,
                                           .spread = SPREAD_NONE,
                                           .whole = FLOW_NONE,
                                           .bunch = BUNCH_NONE,
                                           .part = READ_NONE,
                                           .subflows = FLOW_NONE};
    return i;
}

/* The flow leaves `first`, a link of this rack, for a sink. */
static void flow_route(struct network *n, uint32_t i, uint32_t first, uint32_t rack, struct sink to)
{
    struct network_flow *f = &n->flows.at[i];
    f->to = to.to;
    f->away = f->weight * (to.nodes - to.inside) / to.nodes;
    for (uint8_t k = 0; k < FLOW_HOPS; k++)
        f->hop[k].link = n->no_link;
    f->hop[f->hops++].link = first;
    if (to.to == NODE_ANY || first != network_node_link(to.to, NODE_DISK))
        f->hop[f->hops++].link = to.link;
    if (rack != to.rack && n->rack_links) {
        f->hop[f->hops++].link = network_rack_link(n, rack, RACK_UP);
        if (to.rack != RACK_ANY)
            f->hop[f->hops++].link = network_rack_link(n, to.rack, RACK_DOWN);
    }
    f->fresh = true;
    vec_push(&n->fresh, i);
    n->live++;
    for (uint8_t k = 0; k < f->hops; k++)
        link_join(n, i, k);
}

/* A flow of some pieces of a spread is on its links. */
static void spread_join(struct network *n, uint32_t i)
{
    const struct network_flow *f = &n->flows.at[i];
    struct spread *s = &n->spreads.at[f->spread];
    const struct link *l = &n->links.at[s->link];
    s->size = f->left / (double)f->weight;
    if (s->flows++ == 0)
        network_share_busy(n, s->rack, RACK_UP, s->nodes.count);
    n->live_wide++;
    n->wide += !s->whole;
    network_share_drift_spread(n, f->spread, l->capacity * (double)f->load / (double)l->weight);
}

uint32_t network_flow_begin(struct network *n, int64_t now_us, uint32_t from, struct sink to,
                            double bytes, uint64_t weight)
{
    check(bytes > 0);
    uint32_t i = flow_add(n, now_us, bytes, weight);
    uint32_t first = network_node_link(from, from == to.to ? NODE_DISK : NODE_UP);
    flow_route(n, i, first, n->nodes[from].rack, to);
    return i;
}

uint32_t network_flow_begin_some(struct network *n, int64_t now_us, uint32_t spread,
                                 uint32_t pieces, struct sink to, double bytes, uint64_t weight)
{
    const struct spread *s = &n->spreads.at[spread];
    check(bytes > 0 && pieces > 0 && (!s->dropped || s->users > 0));
    uint32_t i = flow_add(n, now_us, bytes, weight);
    struct network_flow *f = &n->flows.at[i];
    f->spread = spread;
    f->pieces = pieces;
    f->order = ++n->wide_begun;
    f->load = network_load(s, weight, pieces);
    flow_route(n, i, s->link, s->rack, to);
    spread_join(n, i);
    return i;
}

/* ---- flows are divided ---- */

/* Takes a share of a flow out, without its subflows. */
static uint32_t divide_one(struct network *n, int64_t now_us, uint32_t i, uint32_t take,
                           uint32_t of, struct sink to)
{
    uint64_t weight = (n->flows.at[i].weight * take + of / 2) / of;
    uint32_t part = flow_add(n, now_us, 0, weight > 0 ? weight : 1);
    struct network_flow *f = &n->flows.at[i], *x = &n->flows.at[part];
    x->spread = f->spread;
    x->pieces = f->pieces;
    x->order = f->order;
    x->subflows_made = f->subflows_made;
    x->to = to.to;
    if (f->hops == 0)
        return part; /* all that is left are subflows */
    double left = network_left_alone(f, now_us);
    x->left = left * take / of;
    f->left = left - x->left;
    f->settled_us = now_us;
    if (take < of) {
        network_spread_reweigh(n, i, f->weight > x->weight ? f->weight - x->weight : 1);
        if (!f->fresh)
            vec_push(&n->fresh, i);
        f->fresh = true;
    }
    uint32_t first = f->hop[0].link;
    if (x->spread != SPREAD_NONE) {
        const struct spread *s = &n->spreads.at[x->spread];
        double size = s->size;
        x->load = network_load(s, x->weight, x->pieces);
        flow_route(n, part, first, s->rack, to);
        spread_join(n, part);
        n->spreads.at[x->spread].size = size; /* it has been under way for some time */
    } else {
        flow_route(n, part, first, n->nodes[first / NODE_LINKS].rack, to);
    }
    return part;
}

uint32_t network_flow_divide(struct network *n, int64_t now_us, uint32_t flow, uint32_t take,
                             uint32_t of, struct sink to)
{
    uint32_t whole = divide_one(n, now_us, flow, take, of, to);
    if (n->flows.at[whole].spread != SPREAD_NONE)
        n->spreads.at[n->flows.at[whole].spread].users++;
    for (uint32_t k = n->flows.at[flow].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next) {
        uint32_t i = divide_one(n, now_us, k, take, of, to);
        struct network_flow *at = n->flows.at;
        at[i].whole = whole;
        list_push(at, at[whole].subflows, i, subflow_prev, subflow_next, FLOW_NONE);
        n->subflows++;
    }
    if (take == of)
        network_flow_drop(n, flow);
    return whole;
}

/* ---- flows are over ---- */

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
    if (--s->flows == 0)
        network_share_busy(n, s->rack, RACK_UP, -s->nodes.count);
    n->live_wide--;
    n->wide -= !s->whole;
    network_share_drift_spread(n, f->spread, rate);
    network_spread_left(n, f->spread);
}

static void free_number(struct network *n, uint32_t i)
{
    n->flows.at[i].generation++;
    vec_push(&n->flows_free, i);
}

void network_flow_free(struct network *n, uint32_t i)
{
    uint32_t spread = n->flows.at[i].spread;
    free_number(n, i);
    if (spread == SPREAD_NONE)
        return;
    n->spreads.at[spread].users--;
    network_spread_left(n, spread);
}

void network_flow_free_subflow(struct network *n, uint32_t i)
{
    struct network_flow *at = n->flows.at;
    list_remove(at, at[at[i].whole].subflows, i, subflow_prev, subflow_next, FLOW_NONE);
    n->subflows--;
    free_number(n, i);
}

void network_flow_drop(struct network *n, uint32_t i)
{
    check(n->flows.at[i].hops > 0 || n->flows.at[i].subflows != FLOW_NONE);
    for (uint32_t k; (k = n->flows.at[i].subflows) != FLOW_NONE;) {
        network_flow_leave(n, k);
        network_flow_free_subflow(n, k);
    }
    if (n->flows.at[i].hops > 0)
        network_flow_leave(n, i);
    network_flow_free(n, i);
}
