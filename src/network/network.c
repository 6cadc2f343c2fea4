/* network.c - flows begin, end, and ride on the links they cross.
 *
 * The problem: a shuffle of m x r pieces makes that many flows; each that begins or ends changes
 * the speed of others; and the simulator has a microsecond or so for each.
 *
 * The method: each link has an array of the flows on it, and each flow knows its places in these,
 * so that beginning and stopping cost as much as a flow has links. Speeds are network_share.c's
 * business. What a flow has still to carry is worked out only when its speed changes: left = left -
 * rate x time. Its end is an entry in a queue of times. A flow that slows down keeps its entry,
 * which then comes too early and is put back where it belongs; one that speeds up gets another
 * entry, and the old one is recognised by its time. So nothing is ever searched for in the queue.
 *
 * Paths: a node reads from itself through its disk. Between nodes of a rack a flow crosses the
 * sender's link up and the receiver's link down, between racks also the two racks' links, unless
 * these can carry all that their nodes can send. A wide flow stands for flows from many nodes of a
 * rack, its spread (network_spread.c), and crosses the sum of their links up. All readers of a
 * phase share its spreads. Narrow flows from a node and wide flows from spreads that it is in use
 * the same wires, so each counts at the other's link (network_share.c). What a wide flow gets from
 * nodes that lag behind the others comes by parts (network_lag.c, network_hot.c): flows like
 * others, but it is the wide flow that ends, with the last of them. Where readers each miss
 * something else and their sources have nothing in common, the spread is the whole rack: all of
 * them together are as busy with one node as with another.
 *
 * Rejected: one flow for each pair of tasks (equal flows on equal links have equal speeds: one of
 * their weight says the same). Rejected: packets, windows and round trips; times in question are
 * seconds. */
#include "network/network.h"

#include <math.h>

#include "base/check.h"
#include "network/network_state.h"

/* ---- links ---- */

enum { NODE_LINK_UP, NODE_LINK_DOWN, NODE_LINK_DISK, NODE_LINKS = NETWORK_NODE_LINKS };
enum { RACK_LINK_UP, RACK_LINK_DOWN, RACK_LINKS };

static uint32_t node_link(uint32_t node, uint32_t which)
{
    return node * NODE_LINKS + which;
}

static uint32_t rack_link(const struct network *n, uint32_t rack, uint32_t which)
{
    return n->node_count * NODE_LINKS + rack * RACK_LINKS + which;
}

uint32_t network_link_add(struct network *n, double capacity, enum link_kind kind, uint32_t of)
{
    vec_push(&n->links, ((struct link){.capacity = capacity, .kind = (uint8_t)kind, .of = of}));
    vec_push(&n->shares, capacity);
    return n->links.count - 1;
}

/* ---- the network ---- */

/* Up to so many nodes a reader has a flow from each, and up to so many flows a whole shuffle. */
enum { NARROW_NODES = 32, NARROW_FLOWS = 4096 };

/* Hot nodes of a spread, and of the spreads in all racks together. */
enum { HOT_MAX = 40, HOT_MIN = 2, HOT_ALL = 80 };

bool network_wide_pays(const struct network *n, uint32_t nodes, uint32_t readers)
{
    return n->alike && nodes > NARROW_NODES && (uint64_t)nodes * readers > NARROW_FLOWS;
}

/* The spread of all nodes of a rack, even of none. */
static void add_whole_rack(struct network *n, uint32_t rack)
{
    VEC(uint32_t) nodes = {0};
    for (uint32_t i = 0; i < n->node_count; i++)
        if (n->nodes[i].rack == rack)
            vec_push(&nodes, i);
    uint32_t s = network_spread_add(n, rack, nodes.at, NULL, nodes.count);
    n->spreads.at[s].whole = true;
    vec_free(&nodes);
}

struct network *network_create(const struct cluster *c)
{
    const struct wires *wires = &c->wires;
    check(wires->on && wires->oversubscription >= 1 && wires->background < 1);
    struct network *n = mem_zalloc(1, sizeof *n);
    n->node_count = c->node_count;
    n->rack_links = wires->oversubscription > 1;
    n->hot_max = c->rack_count > 0 ? HOT_ALL / c->rack_count : HOT_MAX;
    n->hot_max = n->hot_max < HOT_MIN ? HOT_MIN : n->hot_max > HOT_MAX ? HOT_MAX : n->hot_max;
    n->nodes = mem_zalloc(c->node_count, sizeof *n->nodes);
    n->alike = true;
    double up = (double)wires->up * (1 - wires->background) / 1e6;
    n->most = wires->stream > 0 ? (double)wires->stream / 1e6 / FLOW_ONE : INFINITY;
    double down = (double)wires->down * (1 - wires->background) / 1e6;
    double *sizes = mem_zalloc(c->rack_count, sizeof *sizes);
    for (uint32_t i = 0; i < c->node_count; i++) {
        double links = c->nodes[i].links;
        check(links > 0);
        n->alike = n->alike && links == c->nodes[0].links;
        n->nodes[i].rack = c->nodes[i].rack;
        sizes[c->nodes[i].rack] += links;
        network_link_add(n, links * up, LINK_NODE_UP, i);
        network_link_add(n, links * down, LINK_PLAIN, i);
        network_link_add(n, links * (double)wires->disk / 1e6, LINK_PLAIN, i);
    }
    for (uint32_t r = 0; r < c->rack_count; r++) {
        network_link_add(n, sizes[r] * up / wires->oversubscription, LINK_PLAIN, r);
        network_link_add(n, sizes[r] * down / wires->oversubscription, LINK_PLAIN, r);
    }
    mem_free(sizes);
    n->no_link = network_link_add(n, INFINITY, LINK_PLAIN, 0);
    for (uint32_t r = 0; r < c->rack_count; r++)
        add_whole_rack(n, r);
    n->ends = timeq_create();
    n->flow_free = FLOW_NONE;
    return n;
}

void network_destroy(struct network *n)
{
    if (!n)
        return;
    for (uint32_t i = 0; i < n->links.count; i++)
        vec_free(&n->links.at[i].riders);
    for (uint32_t i = 0; i < n->spreads.count; i++) {
        vec_free(&n->spreads.at[i].nodes);
        vec_free(&n->spreads.at[i].hot);
        vec_free(&n->spreads.at[i].demand);
    }
    for (uint32_t i = 0; i < n->node_count; i++)
        vec_free(&n->nodes[i].spreads);
    vec_free(&n->links);
    vec_free(&n->shares);
    vec_free(&n->spreads);
    vec_free(&n->spreads_free);
    mem_free(n->nodes);
    vec_free(&n->flows);
    vec_free(&n->dirty);
    vec_free(&n->changed);
    vec_free(&n->fresh);
    vec_free(&n->limits);
    vec_free(&n->review_nodes);
    vec_free(&n->others);
    vec_free(&n->lagging);
    vec_free(&n->review_spreads);
    timeq_destroy(n->ends);
    mem_free(n);
}

/* ---- flows on links ---- */

/* Flow i crosses this link, too. Where it stands there is settled by path_join. */
static void path_add(struct network *n, uint32_t i, uint32_t link)
{
    struct flow *f = &n->flows.at[i];
    f->hop[f->hops++].link = link;
}

/* Narrow flows from a node have changed by so much; its spreads notice. */
static void drift_spreads(struct network *n, uint32_t node, double by)
{
    const struct node_links *x = &n->nodes[node];
    for (uint32_t i = 0; i < x->spreads.count; i++) {
        const struct spread *s = &n->spreads.at[x->spreads.at[i].spread];
        if (s->flows > 0 && !s->nodes.at[x->spreads.at[i].at].hot)
            network_drift(n, s->link, by);
    }
}

/* The path is complete: the flow rides on all its links. */
static void path_join(struct network *n, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    for (uint8_t k = 0; k < f->hops; k++) {
        uint32_t link = f->hop[k].link;
        struct link *l = &n->links.at[link];
        uint32_t weight = network_weight(f, l);
        struct rider r = {i, weight, {n->no_link, n->no_link, n->no_link}};
        for (uint8_t o = 0, to = 0; o < f->hops; o++)
            if (o != k)
                r.other[to++] = f->hop[o].link;
        f->hop[k].at = l->riders.count;
        vec_push(&l->riders, r);
        l->weight += weight;
        l->renewed = true;
        double by = l->capacity * weight / (double)l->weight;
        network_drift(n, link, by);
        if (l->kind == LINK_NODE_UP)
            drift_spreads(n, l->of, by);
    }
}

static void link_leave(struct network *n, const struct flow *f, const struct hop *h, double rate)
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
        struct flow *moved = &n->flows.at[last.flow];
        uint8_t k = 0;
        while (moved->hop[k].link != h->link)
            k++;
        moved->hop[k].at = h->at;
        l->riders.at[h->at] = last;
    }
    network_drift(n, h->link, rate);
}

static uint32_t flow_add(struct network *n, int64_t now_us, double bytes, uint32_t weight)
{
    check(bytes > 0 && weight > 0);
    uint32_t i = n->flow_free, generation = 0;
    if (i != FLOW_NONE) {
        n->flow_free = n->flows.at[i].hop[0].at;
        generation = n->flows.at[i].generation;
    } else {
        i = n->flows.count;
        check(i < FLOW_NONE);
        (void)vec_add(&n->flows);
    }
    n->flows.at[i] = (struct flow){.left = bytes,
                                   .settled_us = now_us,
                                   .queued_us = INT64_MAX,
                                   .generation = generation,
                                   .weight = weight,
                                   .spread = SPREAD_NONE,
                                   .whole = FLOW_NONE,
                                   .parts = FLOW_NONE,
                                   .fresh = true};
    vec_push(&n->fresh, i);
    n->live++;
    return i;
}

/* The links between two racks, which may be one and the same. */
static void path_add_racks(struct network *n, uint32_t i, uint32_t from, uint32_t to)
{
    if (from == to || !n->rack_links)
        return;
    path_add(n, i, rack_link(n, from, RACK_LINK_UP));
    path_add(n, i, rack_link(n, to, RACK_LINK_DOWN));
}

uint32_t network_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to, double bytes,
                       uint32_t weight)
{
    uint32_t i = flow_add(n, now_us, bytes, weight);
    if (from == to) {
        path_add(n, i, node_link(from, NODE_LINK_DISK));
    } else {
        path_add(n, i, node_link(from, NODE_LINK_UP));
        path_add(n, i, node_link(to, NODE_LINK_DOWN));
        path_add_racks(n, i, n->nodes[from].rack, n->nodes[to].rack);
    }
    path_join(n, i);
    return i;
}

uint32_t network_begin_some(struct network *n, int64_t now_us, uint32_t spread, uint32_t pieces,
                            uint32_t to, double bytes, uint32_t weight)
{
    struct spread *x = &n->spreads.at[spread];
    check(pieces > 0 && !x->dropped);
    uint32_t i = flow_add(n, now_us, bytes, weight);
    n->flows.at[i].spread = spread;
    n->flows.at[i].pieces = pieces;
    n->flows.at[i].order = ++n->wide_begun;
    n->flows.at[i].load = network_load(x, weight, pieces);
    path_add(n, i, x->link);
    path_add(n, i, node_link(to, NODE_LINK_DOWN));
    path_add_racks(n, i, x->rack, n->nodes[to].rack);
    path_join(n, i);
    x->size = bytes / weight;
    x->flows++;
    n->live_wide++;
    n->wide += !x->whole;
    const struct link *l = &n->links.at[x->link];
    network_drift_spread(n, spread, l->capacity * n->flows.at[i].load / (double)l->weight);
    return i;
}

uint32_t network_begin_wide(struct network *n, int64_t now_us, uint32_t spread, uint32_t to,
                            double bytes, uint32_t weight)
{
    const struct spread *s = &n->spreads.at[spread];
    uint32_t own = network_spread_index(n, spread, to);
    uint32_t pieces = s->pieces_all - (own != UINT32_MAX ? s->nodes.at[own].pieces : 0);
    uint32_t i = network_begin_some(n, now_us, spread, pieces, to, bytes, weight);
    n->spreads.at[spread].users++;
    network_hot_begin(n, now_us, i);
    return i;
}

void network_set_rate(struct network *n, struct flow *f, double rate)
{
    struct link *from = &n->links.at[f->hop[0].link];
    if (from->kind != LINK_PLAIN)
        from->rate += rate - f->rate;
    f->rate = rate;
}

/* Looks whether anything comes from a spread yet. */
static void spread_left(struct network *n, uint32_t spread)
{
    const struct spread *s = &n->spreads.at[spread];
    if (s->flows == 0 && s->users == 0)
        network_hot_over(n, spread);
    network_spread_free_if_over(n, spread);
}

void network_leave(struct network *n, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    double rate = f->rate;
    network_set_rate(n, f, 0);
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
    network_drift_spread(n, f->spread, rate);
    spread_left(n, f->spread);
}

static void flow_free(struct network *n, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    f->generation++;
    f->hop[0].at = n->flow_free;
    n->flow_free = i;
}

/* A flow that the caller knows is over, with all its parts. */
static void whole_free(struct network *n, uint32_t i)
{
    uint32_t spread = n->flows.at[i].spread;
    flow_free(n, i);
    if (spread == SPREAD_NONE)
        return;
    n->spreads.at[spread].users--;
    spread_left(n, spread);
}

/* A part is over; it was one of a wide flow. */
static void part_free(struct network *n, uint32_t i)
{
    const struct flow *f = &n->flows.at[i];
    *(f->part_prev != FLOW_NONE ? &n->flows.at[f->part_prev].part_next
                                : &n->flows.at[f->whole].parts) = f->part_next;
    if (f->part_next != FLOW_NONE)
        n->flows.at[f->part_next].part_prev = f->part_prev;
    n->parts--;
    flow_free(n, i);
}

void network_stop(struct network *n, uint32_t i)
{
    check(n->flows.at[i].hops > 0 || n->flows.at[i].parts != FLOW_NONE);
    for (uint32_t k; (k = n->flows.at[i].parts) != FLOW_NONE;) {
        network_leave(n, k);
        part_free(n, k);
    }
    if (n->flows.at[i].hops > 0)
        network_leave(n, i);
    whole_free(n, i);
}

/* ---- ends ---- */

int64_t network_next_us(struct network *n)
{
    int64_t time;
    return timeq_peek(n->ends, &time) ? time : INT64_MAX;
}

uint32_t network_take(struct network *n, int64_t now_us)
{
    int64_t time;
    while (timeq_peek(n->ends, &time) && time <= now_us) {
        uint64_t payload;
        timeq_pop(n->ends, &time, &payload);
        uint32_t i = (uint32_t)payload;
        struct flow *f = &n->flows.at[i];
        if (f->generation != payload >> 32 || f->queued_us != time)
            continue;
        /* What a microsecond's rounding leaves is nothing. */
        double left = network_left_alone(f, now_us), wait = ceil(left / f->rate);
        if (left > f->rate * 1e-6 && wait >= 1) {
            f->queued_us = now_us + (int64_t)wait;
            timeq_push(n->ends, f->queued_us, payload);
            continue;
        }
        network_leave(n, i);
        uint32_t whole = f->whole;
        if (whole != FLOW_NONE) {
            part_free(n, i);
            i = whole;
        }
        if (n->flows.at[i].hops > 0 || n->flows.at[i].parts != FLOW_NONE)
            continue; /* there is more of it on its way */
        whole_free(n, i);
        return i;
    }
    return FLOW_NONE;
}

double network_left(const struct network *n, int64_t now_us, uint32_t i)
{
    double left = network_left_alone(&n->flows.at[i], now_us);
    for (uint32_t k = n->flows.at[i].parts; k != FLOW_NONE; k = n->flows.at[k].part_next)
        left += network_left_alone(&n->flows.at[k], now_us);
    return left;
}

double network_rate(const struct network *n, uint32_t i)
{
    double rate = n->flows.at[i].rate;
    for (uint32_t k = n->flows.at[i].parts; k != FLOW_NONE; k = n->flows.at[k].part_next)
        rate += n->flows.at[k].rate;
    return rate;
}

double network_rack_free(const struct network *n, uint32_t rack, bool up)
{
    const struct link *l = &n->links.at[rack_link(n, rack, up ? RACK_LINK_UP : RACK_LINK_DOWN)];
    double used = 0;
    if (!n->rack_links)
        return 0;
    for (uint32_t i = 0; i < l->riders.count; i++)
        used += n->flows.at[l->riders.at[i].flow].rate;
    return fmax(l->capacity - used, l->capacity / 2);
}

uint64_t network_work(const struct network *n)
{
    return n->work;
}
