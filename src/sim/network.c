/* network.c - flows begin, end, and are on the lists of the links they cross.
 *
 * The problem: a shuffle of m x r pieces makes that many flows; each that begins or ends changes
 * the speed of others; and the simulator has a microsecond or so for each.
 *
 * The method: each link has an intrusive list of the flows on it, so that beginning and stopping
 * cost as much as a flow has links. Speeds are network_share.c's business. What a flow has still to
 * carry is worked out only when its speed changes: left = left - rate x time. Its end is an entry
 * in a queue of times. A flow that slows down keeps its entry, which then comes too early and is
 * put back where it belongs; one that speeds up gets another entry, and the old one is recognised
 * by its time. So nothing is ever searched for in the queue.
 *
 * Paths: a node reads from itself through its disk. Between nodes of a rack a flow crosses the
 * sender's link up and the receiver's link down, between racks also the two racks' links, unless
 * these can carry all that their nodes can send. A wide flow stands for flows from many nodes of a
 * rack; it crosses the sum of the rack's links up. If only k of its n nodes have the data, these
 * are as busy with it as all nodes would be with n / k times as much: so much is its load there.
 * Narrow and wide flows from a rack use the same wires, so each counts at the other's link, evenly
 * spread.
 *
 * Rejected: one flow for each pair of tasks (equal flows on equal links have equal speeds: one of
 * their weight says the same). Rejected: packets, windows and round trips; times in question are
 * seconds. */
#include "sim/network.h"

#include <math.h>

#include "base/check.h"
#include "sim/network_state.h"

/* ---- links ---- */

enum { NODE_LINK_UP, NODE_LINK_DOWN, NODE_LINK_DISK, NODE_LINKS };
enum { RACK_LINK_UP, RACK_LINK_DOWN, RACK_LINK_OUT, RACK_LINKS };

static uint32_t node_link(uint32_t node, uint32_t which)
{
    return node * NODE_LINKS + which;
}

static uint32_t rack_link(const struct network *n, uint32_t rack, uint32_t which)
{
    return n->node_count * NODE_LINKS + rack * RACK_LINKS + which;
}

static void link_init(struct network *n, uint32_t link, double bytes_per_s, uint32_t rack,
                      enum link_kind kind)
{
    double capacity = bytes_per_s / 1e6;
    n->links[link] = (struct link){.capacity = capacity,
                                   .share = capacity,
                                   .first = HOP_NONE,
                                   .rack = rack,
                                   .kind = (uint8_t)kind};
}

struct network *network_create(const struct cluster *c)
{
    const struct wires *wires = &c->wires;
    check(wires->on && wires->oversubscription >= 1 && wires->background < 1);
    struct network *n = mem_zalloc(1, sizeof *n);
    n->node_count = c->node_count;
    n->rack_links = wires->oversubscription > 1;
    n->links = mem_zalloc((size_t)c->node_count * NODE_LINKS + (size_t)c->rack_count * RACK_LINKS,
                          sizeof *n->links);
    n->racks = mem_zalloc(c->rack_count, sizeof *n->racks);
    n->rack_of = mem_zalloc(c->node_count, sizeof *n->rack_of);

    double up = (double)wires->up * (1 - wires->background);
    double down = (double)wires->down * (1 - wires->background);
    for (uint32_t i = 0; i < c->node_count; i++) {
        uint32_t rack = c->nodes[i].rack;
        n->rack_of[i] = rack;
        n->racks[rack].nodes++;
        link_init(n, node_link(i, NODE_LINK_UP), up, rack, LINK_NODE_UP);
        link_init(n, node_link(i, NODE_LINK_DOWN), down, rack, LINK_PLAIN);
        link_init(n, node_link(i, NODE_LINK_DISK), (double)wires->disk, rack, LINK_PLAIN);
    }
    for (uint32_t r = 0; r < c->rack_count; r++) {
        double nodes = n->racks[r].nodes, part = nodes / wires->oversubscription;
        link_init(n, rack_link(n, r, RACK_LINK_UP), part * up, r, LINK_PLAIN);
        link_init(n, rack_link(n, r, RACK_LINK_DOWN), part * down, r, LINK_PLAIN);
        link_init(n, rack_link(n, r, RACK_LINK_OUT), nodes * up, r, LINK_RACK_OUT);
    }
    n->ends = timeq_create();
    n->flow_free = FLOW_NONE;
    return n;
}

void network_destroy(struct network *n)
{
    if (!n)
        return;
    mem_free(n->links);
    mem_free(n->racks);
    mem_free(n->rack_of);
    vec_free(&n->flows);
    vec_free(&n->dirty);
    vec_free(&n->changed);
    vec_free(&n->fresh);
    vec_free(&n->limits);
    timeq_destroy(n->ends);
    mem_free(n);
}

/* ---- flows on links ---- */

/* Flow i crosses this link, too. */
static void link_join(struct network *n, uint32_t i, uint32_t link)
{
    struct flow *f = &n->flows.at[i];
    struct link *l = &n->links[link];
    uint32_t h = i * FLOW_HOPS + f->hops;
    f->hop[f->hops++] = (struct hop){.link = link, .prev = HOP_NONE, .next = l->first};
    if (l->first != HOP_NONE)
        network_hop(n, l->first)->prev = h;
    l->first = h;
    l->weight += network_weight(f, l);
    network_drift(n, link, l->capacity * network_weight(f, l) / (double)l->weight);
}

static void link_leave(struct network *n, const struct flow *f, const struct hop *h, double rate)
{
    struct link *l = &n->links[h->link];
    if (h->prev != HOP_NONE)
        network_hop(n, h->prev)->next = h->next;
    else
        l->first = h->next;
    if (h->next != HOP_NONE)
        network_hop(n, h->next)->prev = h->prev;
    l->weight -= network_weight(f, l);
    if (l->first != HOP_NONE) {
        network_drift(n, h->link, rate);
    } else {
        l->share = l->capacity;
        l->drift = 0;
    }
}

static uint32_t flow_add(struct network *n, int64_t now_us, double bytes, uint32_t weight)
{
    check(bytes > 0 && weight > 0);
    uint32_t i = n->flow_free, generation = 0;
    if (i != FLOW_NONE) {
        n->flow_free = n->flows.at[i].hop[0].next;
        generation = n->flows.at[i].generation;
    } else {
        i = n->flows.count;
        check(i < HOP_NONE / FLOW_HOPS);
        (void)vec_add(&n->flows);
    }
    n->flows.at[i] = (struct flow){.left = bytes,
                                   .settled_us = now_us,
                                   .queued_us = INT64_MAX,
                                   .generation = generation,
                                   .weight = weight,
                                   .rack = RACK_NONE,
                                   .fresh = true};
    vec_push(&n->fresh, i);
    return i;
}

/* The links between two racks, which may be one and the same. */
static void join_racks(struct network *n, uint32_t i, uint32_t from, uint32_t to)
{
    n->flows.at[i].rack = from;
    if (from == to || !n->rack_links)
        return;
    link_join(n, i, rack_link(n, from, RACK_LINK_UP));
    link_join(n, i, rack_link(n, to, RACK_LINK_DOWN));
}

uint32_t network_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to, double bytes,
                       uint32_t weight)
{
    uint32_t i = flow_add(n, now_us, bytes, weight);
    if (from == to) {
        link_join(n, i, node_link(from, NODE_LINK_DISK));
        return i;
    }
    link_join(n, i, node_link(from, NODE_LINK_UP));
    link_join(n, i, node_link(to, NODE_LINK_DOWN));
    join_racks(n, i, n->rack_of[from], n->rack_of[to]);
    n->racks[n->rack_of[from]].narrow_weight += weight;
    return i;
}

uint32_t network_begin_rack(struct network *n, int64_t now_us, uint32_t rack, uint32_t nodes,
                            uint32_t to, double bytes, uint32_t weight)
{
    check(nodes > 0 && nodes <= n->racks[rack].nodes);
    uint64_t load = ((uint64_t)weight * n->racks[rack].nodes + nodes - 1) / nodes;
    uint32_t i = flow_add(n, now_us, bytes, weight);
    n->flows.at[i].wide = true;
    n->flows.at[i].load = load < UINT32_MAX ? (uint32_t)load : UINT32_MAX;
    link_join(n, i, rack_link(n, rack, RACK_LINK_OUT));
    link_join(n, i, node_link(to, NODE_LINK_DOWN));
    join_racks(n, i, rack, n->rack_of[to]);
    n->racks[rack].wide_weight += weight;
    return i;
}

void network_set_rate(struct network *n, struct flow *f, double rate)
{
    if (f->rack != RACK_NONE) {
        struct rack *r = &n->racks[f->rack];
        double *sum = f->wide ? &r->wide_rate : &r->narrow_rate;
        *sum += rate - f->rate;
    }
    f->rate = rate;
}

/* The flow leaves the books of its rack. A sum of nothing is set to 0, so that rounding errors do
 * not pile up. */
static void rack_leave(struct network *n, struct flow *f)
{
    network_set_rate(n, f, 0);
    if (f->rack == RACK_NONE)
        return;
    struct rack *r = &n->racks[f->rack];
    uint64_t *weight = f->wide ? &r->wide_weight : &r->narrow_weight;
    *weight -= f->weight;
    if (*weight == 0)
        *(f->wide ? &r->wide_rate : &r->narrow_rate) = 0;
}

void network_stop(struct network *n, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    check(f->hops > 0);
    double rate = f->rate;
    rack_leave(n, f);
    for (uint8_t k = 0; k < f->hops; k++)
        link_leave(n, f, &f->hop[k], rate);
    f->hops = 0;
    f->generation++;
    f->fresh = false;
    f->hop[0].next = n->flow_free;
    n->flow_free = i;
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
        double left = network_left(n, now_us, i), wait = ceil(left / f->rate);
        if (left > f->rate * 1e-6 && wait >= 1) {
            f->queued_us = now_us + (int64_t)wait;
            timeq_push(n->ends, f->queued_us, payload);
            continue;
        }
        network_stop(n, i);
        return i;
    }
    return FLOW_NONE;
}

double network_left(const struct network *n, int64_t now_us, uint32_t i)
{
    const struct flow *f = &n->flows.at[i];
    double left = f->left - f->rate * (double)(now_us - f->settled_us);
    return left > 0 ? left : 0;
}

double network_rate(const struct network *n, uint32_t i)
{
    return n->flows.at[i].rate;
}

double network_rack_free(const struct network *n, uint32_t rack, bool up)
{
    const struct link *l = &n->links[rack_link(n, rack, up ? RACK_LINK_UP : RACK_LINK_DOWN)];
    double used = 0;
    if (!n->rack_links)
        return 0;
    for (uint32_t h = l->first; h != HOP_NONE; h = network_hop(n, h)->next)
        used += n->flows.at[h / FLOW_HOPS].rate;
    return fmax(l->capacity - used, l->capacity / 2);
}

uint64_t network_work(const struct network *n)
{
    return n->work;
}
