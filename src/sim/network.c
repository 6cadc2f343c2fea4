/* network.c - (essay later) */
#include "sim/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/timeq.h"
#include "base/vec.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef REDIST
#define REDIST 1
#endif

enum { PATH_MAX_LINKS = 4, MANY = 32 };
#define TOLERANCE (1.0 / 32)

struct hop {
    uint32_t link, prev, next;
};

struct flow {
    double left, rate;
    int64_t settled_us, queued_us;
    uint32_t weight, generation;
    uint32_t rack;
    uint8_t hops;
    bool fresh, over;
    bool wide;
    struct hop hop[PATH_MAX_LINKS];
};

struct link {
    double capacity, share;
    uint64_t weight;
    uint32_t first, count;
    bool dirty;
    uint32_t rack;
    uint8_t side;
    double drift;
};

enum { SIDE_PLAIN, SIDE_NODE, SIDE_RACK };

struct rack {
    uint32_t nodes;
    uint64_t narrow_weight, wide_weight;
    double narrow_rate, wide_rate;
};

struct limit {
    double at;
    uint32_t weight;
};

struct network {
    uint32_t node_count, rack_count;
    bool rack_links;
    struct link *links;
    struct rack *racks;
    uint32_t *rack_of;
    VEC(struct flow) flows;
    uint32_t flow_free;
    VEC(uint32_t) dirty, working, fresh;
    VEC(struct limit) limits;
    struct timeq *ends;
    uint64_t work;
};

#define HOP_NONE UINT32_MAX

enum { NODE_UP_LINK, NODE_DOWN_LINK, NODE_DISK };
enum { RACK_UP_LINK, RACK_DOWN_LINK, RACK_OUT };

static uint32_t node_link(uint32_t node, int which)
{
    return 3 * node + (uint32_t)which;
}
static uint32_t rack_link(const struct network *n, uint32_t rack, int which)
{
    return 3 * (n->node_count + rack) + (uint32_t)which;
}

static void link_init(struct network *n, uint32_t i, double capacity, uint32_t rack, uint8_t side)
{
    n->links[i] = (struct link){.capacity = capacity, .share = capacity, .first = HOP_NONE, .rack = rack, .side = side};
}

struct network *network_create(const struct cluster *c)
{
    const struct wires *w = &c->wires;
    struct network *n = mem_zalloc(1, sizeof *n);
    n->node_count = c->node_count;
    n->rack_count = c->rack_count;
    n->rack_links = w->oversubscription > 1;
    n->links = mem_zalloc(3 * ((size_t)c->node_count + c->rack_count), sizeof *n->links);
    n->racks = mem_zalloc(c->rack_count, sizeof *n->racks);
    n->rack_of = mem_zalloc(c->node_count, sizeof *n->rack_of);
    double free = (1 - w->background) / 1e6;
    for (uint32_t i = 0; i < c->node_count; i++) {
        uint32_t r = n->rack_of[i] = c->nodes[i].rack;
        n->racks[r].nodes++;
        link_init(n, node_link(i, NODE_UP_LINK), (double)w->up * free, r, SIDE_NODE);
        link_init(n, node_link(i, NODE_DOWN_LINK), (double)w->down * free, r, SIDE_PLAIN);
        link_init(n, node_link(i, NODE_DISK), (double)w->disk / 1e6, r, SIDE_PLAIN);
    }
    for (uint32_t r = 0; r < c->rack_count; r++) {
        double k = n->racks[r].nodes;
        link_init(n, rack_link(n, r, RACK_UP_LINK), k * (double)w->up * free / w->oversubscription, r, SIDE_PLAIN);
        link_init(n, rack_link(n, r, RACK_DOWN_LINK), k * (double)w->down * free / w->oversubscription, r, SIDE_PLAIN);
        link_init(n, rack_link(n, r, RACK_OUT), k * (double)w->up * free, r, SIDE_RACK);
    }
    n->ends = timeq_create();
    n->flow_free = FLOW_NONE;
    return n;
}

void network_destroy(struct network *n)
{
    if (!n) return;
    mem_free(n->links); mem_free(n->racks); mem_free(n->rack_of);
    vec_free(&n->flows); vec_free(&n->dirty); vec_free(&n->working); vec_free(&n->fresh); vec_free(&n->limits);
    timeq_destroy(n->ends);
    mem_free(n);
}

static void mark(struct network *n, uint32_t link)
{
    if (!n->links[link].dirty) {
        n->links[link].dirty = true;
        vec_push(&n->dirty, link);
    }
}

static void drift(struct network *n, uint32_t link, double by)
{
    struct link *l = &n->links[link];
    l->drift += by;
    if (l->drift > RIPPLE * l->capacity) mark(n, link);
}

static void join(struct network *n, uint32_t flow, uint32_t link)
{
    struct flow *f = &n->flows.at[flow];
    struct link *l = &n->links[link];
    uint32_t me = flow * PATH_MAX_LINKS + f->hops;
    f->hop[f->hops++] = (struct hop){link, HOP_NONE, l->first};
    if (l->first != HOP_NONE)
        n->flows.at[l->first / PATH_MAX_LINKS].hop[l->first % PATH_MAX_LINKS].prev = me;
    l->first = me;
    l->weight += f->weight;
    l->count++;
    drift(n, link, l->capacity * f->weight / (double)l->weight);
}

static uint32_t flow_add(struct network *n, int64_t now_us, uint32_t rack, double bytes, uint32_t weight)
{
    uint32_t i = n->flow_free, generation = 0;
    if (i != FLOW_NONE) {
        n->flow_free = n->flows.at[i].hop[0].next;
        generation = n->flows.at[i].generation;
    } else {
        i = n->flows.count;
        (void)vec_add(&n->flows);
    }
    n->flows.at[i] = (struct flow){.left = bytes, .settled_us = now_us, .queued_us = INT64_MAX,
        .weight = weight, .generation = generation, .rack = rack, .fresh = true};
    vec_push(&n->fresh, i);
    return i;
}

uint32_t network_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to, double bytes, uint32_t weight)
{
    uint32_t a = n->rack_of[from], b = n->rack_of[to];
    uint32_t i = flow_add(n, now_us, a, bytes, weight);
    if (from == to) {
        n->flows.at[i].rack = UINT32_MAX;
        join(n, i, node_link(from, NODE_DISK));
        return i;
    }
    n->racks[a].narrow_weight += weight;
    join(n, i, node_link(from, NODE_UP_LINK));
    join(n, i, node_link(to, NODE_DOWN_LINK));
    if (a != b && n->rack_links) {
        join(n, i, rack_link(n, a, RACK_UP_LINK));
        join(n, i, rack_link(n, b, RACK_DOWN_LINK));
    }
    return i;
}

uint32_t network_begin_rack(struct network *n, int64_t now_us, uint32_t rack, uint32_t to, double bytes, uint32_t weight)
{
    uint32_t b = n->rack_of[to];
    uint32_t i = flow_add(n, now_us, rack, bytes, weight);
    n->flows.at[i].wide = true;
    n->racks[rack].wide_weight += weight;
    join(n, i, rack_link(n, rack, RACK_OUT));
    join(n, i, node_link(to, NODE_DOWN_LINK));
    if (rack != b && n->rack_links) {
        join(n, i, rack_link(n, rack, RACK_UP_LINK));
        join(n, i, rack_link(n, b, RACK_DOWN_LINK));
    }
    return i;
}

static void set_rate(struct network *n, struct flow *f, double rate)
{
    if (f->rack != UINT32_MAX) {
        struct rack *r = &n->racks[f->rack];
        if (f->wide) r->wide_rate += rate - f->rate; else r->narrow_rate += rate - f->rate;
    }
    f->rate = rate;
}

void network_stop(struct network *n, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    double old = f->rate;
    set_rate(n, f, 0);
    if (f->rack != UINT32_MAX) {
        struct rack *r = &n->racks[f->rack];
        if (f->wide) { r->wide_weight -= f->weight; if (!r->wide_weight) r->wide_rate = 0; }
        else { r->narrow_weight -= f->weight; if (!r->narrow_weight) r->narrow_rate = 0; }
    }
    for (int k = 0; k < f->hops; k++) {
        struct hop *h = &f->hop[k];
        struct link *l = &n->links[h->link];
        if (h->prev != HOP_NONE) n->flows.at[h->prev / 4].hop[h->prev % 4].next = h->next;
        else l->first = h->next;
        if (h->next != HOP_NONE) n->flows.at[h->next / 4].hop[h->next % 4].prev = h->prev;
        l->weight -= f->weight;
        l->count--;
        if (!l->count) { l->share = l->capacity; l->drift = 0; } else
        drift(n, h->link, old);
    }
    f->hops = 0;
    f->generation++;
    f->fresh = false;
    f->queued_us = -1;
    f->hop[0].next = n->flow_free;
    n->flow_free = i;
}

static double level(struct network *n, const struct link *l, uint32_t li)
{
    double wx = 0, rx = 0;
    const struct rack *r = &n->racks[l->rack];
    if (l->side == SIDE_NODE) { wx = (double)r->wide_weight / r->nodes; rx = r->wide_rate / r->nodes; }
    if (l->side == SIDE_RACK) { wx = (double)r->narrow_weight; rx = r->narrow_rate; }
    double all = (double)l->weight + wx;
    double share = l->capacity / all;
    if (!REDIST) return share;
    vec_clear(&n->limits);
    double most = 0;
    for (uint32_t h = l->first; h != HOP_NONE;) {
        const struct flow *f = &n->flows.at[h / 4];
        double at = INFINITY;
        for (int k = 0; k < f->hops; k++)
            if (f->hop[k].link != li && n->links[f->hop[k].link].share < at)
                at = n->links[f->hop[k].link].share;
        vec_push(&n->limits, ((struct limit){at, f->weight}));
        if (at > most) most = at;
        h = f->hop[h % 4].next;
    }
    n->work += n->limits.count;
    for (int pass = 0; pass < 4; pass++) {
        double taken = 0, w = 0;
        for (uint32_t i = 0; i < n->limits.count; i++)
            if (n->limits.at[i].at < share) { taken += n->limits.at[i].weight * n->limits.at[i].at; w += n->limits.at[i].weight; }
        if (wx > 0 && rx < wx * share) { taken += rx; w += wx; }
        if (w >= all) { double x = most + (l->capacity - taken) / (double)l->weight; return x; }
        double now = (l->capacity - taken) / (all - w);
        if (now <= share * 1.0000001) break;
        share = now;
    }
    return share;
}

static void refresh(struct network *n, int64_t now_us, uint32_t i)
{
    struct flow *f = &n->flows.at[i];
    n->work++;
    double rate = INFINITY;
    for (int k = 0; k < f->hops; k++)
        if (n->links[f->hop[k].link].share < rate) rate = n->links[f->hop[k].link].share;
    rate *= f->weight;
    f->fresh = false;
    if (fabs(rate - f->rate) <= 1e-9 * f->rate) return;
    f->left -= f->rate * (double)(now_us - f->settled_us);
    if (f->left < 0) f->left = 0;
    f->settled_us = now_us;
    double delta = fabs(rate - f->rate);
    set_rate(n, f, rate);
    double wait = ceil(f->left / rate);
    int64_t due = wait < 1e17 ? now_us + (int64_t)wait : INT64_MAX / 2;
    if (due <= now_us) due = now_us + 1;
    if (due < f->queued_us) { f->queued_us = due; timeq_push(n->ends, due, (uint64_t)f->generation << 32 | i); }
    for (int k = 0; k < f->hops; k++) drift(n, f->hop[k].link, delta);
}

void network_settle(struct network *n, int64_t now_us)
{
    for (int round = 0; round < ROUNDS && n->dirty.count; round++) {
        vec_clear(&n->working);
        uint32_t count = n->dirty.count;
        for (uint32_t d = 0; d < count; d++) {
            uint32_t li = n->dirty.at[d];
            struct link *l = &n->links[li];
            l->dirty = false; l->drift = 0;
            if (l->count == 0) { l->share = l->capacity; continue; }
            double s = level(n, l, li);
            double tol = TOL;
            if (fabs(s - l->share) <= tol * l->share) continue;
            l->share = s;
            vec_push(&n->working, li);
        }
        vec_clear(&n->dirty);
        for (uint32_t d = 0; d < n->working.count; d++)
            for (uint32_t h = n->links[n->working.at[d]].first; h != HOP_NONE;) {
                uint32_t next = n->flows.at[h / 4].hop[h % 4].next;
                refresh(n, now_us, h / 4);
                h = next;
            }
        for (uint32_t i = 0; i < n->fresh.count; i++)
            if (n->flows.at[n->fresh.at[i]].fresh) refresh(n, now_us, n->fresh.at[i]);
        vec_clear(&n->fresh);
        for (uint32_t d = 0; d < n->working.count; d++) n->links[n->working.at[d]].drift = 0;
    }
    if (!CARRY) { for (uint32_t d = 0; d < n->dirty.count; d++) n->links[n->dirty.at[d]].dirty = false; vec_clear(&n->dirty); }
}

int64_t network_next_us(struct network *n)
{
    int64_t t;
    return timeq_peek(n->ends, &t) ? t : INT64_MAX;
}

uint32_t network_take(struct network *n, int64_t now_us)
{
    int64_t t;
    while (timeq_peek(n->ends, &t) && t <= now_us) {
        uint64_t payload;
        timeq_pop(n->ends, &t, &payload);
        uint32_t i = (uint32_t)payload;
        struct flow *f = &n->flows.at[i];
        if (f->generation != payload >> 32 || f->queued_us != t) continue;
        double left = f->left - f->rate * (double)(now_us - f->settled_us);
        if (left > f->rate * 1e-6) {
            f->queued_us = now_us + (int64_t)ceil(left / f->rate);
            if (f->queued_us <= now_us) f->queued_us = now_us + 1;
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
double network_rate(const struct network *n, uint32_t i) { return n->flows.at[i].rate; }
uint64_t network_work(const struct network *n) { return n->work; }
