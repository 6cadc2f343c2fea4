/* network_exact_test.c - max-min fairness by progressive filling.
 *
 * At every begin and end all speeds are worked out anew: the link with the least capacity per
 * weight left fills first, its flows stay at that speed and take it from their other links, and so
 * on until every flow has its speed. Time is a real number. It shares nothing with the network it
 * checks, neither code nor the short cuts: wide transfers are one flow for every node. */
#include "sim/network_exact_test.h"

#include <math.h>
#include <string.h>

#include "sim/network.h"

enum { LINKS = 4, NO_LINK = -1 };

struct exact_flow {
    double left, rate, weight;
    uint32_t transfer;
    int32_t link[LINKS];
    bool fixed;
};

struct exact {
    const struct cluster *c;
    uint32_t link_count;
    double *capacity, *room, *weight; /* by link: 3 for each node, 2 for each rack */
    VEC(struct exact_flow) flows;
    uint32_t *open; /* flows of each transfer that have not ended */
};

static void exact_links(struct exact *x)
{
    const struct wires *wires = &x->c->wires;
    double up = (double)wires->up * (1 - wires->background) / 1e6;
    double down = (double)wires->down * (1 - wires->background) / 1e6;
    uint32_t racks = 3 * x->c->node_count;
    for (uint32_t i = 0; i < x->c->node_count; i++) {
        double links = x->c->nodes[i].links, over = wires->oversubscription;
        x->capacity[3 * i] = links * up;
        x->capacity[3 * i + 1] = links * down;
        x->capacity[3 * i + 2] = links * (double)wires->disk / 1e6;
        x->capacity[racks + 2 * x->c->nodes[i].rack] += links * up / over;
        x->capacity[racks + 2 * x->c->nodes[i].rack + 1] += links * down / over;
    }
}

static void exact_add(struct exact *x, const struct transfer *t, uint32_t transfer, uint32_t from,
                      double part)
{
    uint32_t a = x->c->nodes[from].rack, b = x->c->nodes[t->to].rack, racks = 3 * x->c->node_count;
    struct exact_flow f = {.left = t->bytes * part,
                           .weight = t->weight * part,
                           .transfer = transfer,
                           .link = {NO_LINK, NO_LINK, NO_LINK, NO_LINK}};
    if (from == t->to) {
        f.link[0] = (int32_t)(3 * from + 2);
    } else {
        f.link[0] = (int32_t)(3 * from);
        f.link[1] = (int32_t)(3 * t->to + 1);
    }
    if (a != b) {
        f.link[2] = (int32_t)(racks + 2 * a);
        f.link[3] = (int32_t)(racks + 2 * b + 1);
    }
    vec_push(&x->flows, f);
    x->open[transfer]++;
}

static void exact_begin(struct exact *x, const struct transfer *t, uint32_t transfer)
{
    if (t->from != EXACT_NODE_NONE) {
        exact_add(x, t, transfer, t->from, 1);
        return;
    }
    const struct cluster_node *nodes = x->c->nodes;
    uint32_t *from = mem_zalloc(x->c->node_count, sizeof *from), size = 0, sources = 0;
    for (uint32_t i = 0; i < x->c->node_count; i++)
        if (nodes[i].rack == t->rack)
            from[size++] = i;
    for (uint32_t k = 0; k < t->nodes; k++)
        sources += from[(t->first + k) % size] != t->to;
    for (uint32_t k = 0; k < t->nodes; k++) /* nobody sends to himself */
        if (from[(t->first + k) % size] != t->to)
            exact_add(x, t, transfer, from[(t->first + k) % size], 1.0 / sources);
    mem_free(from);
}

static void exact_fix(struct exact *x, struct exact_flow *f, double share)
{
    f->fixed = true;
    f->rate = share * f->weight;
    for (int k = 0; k < LINKS; k++) {
        if (f->link[k] == NO_LINK)
            continue;
        x->room[f->link[k]] -= f->rate;
        x->weight[f->link[k]] -= f->weight;
    }
}

static void exact_fill(struct exact *x)
{
    int64_t stream = x->c->wires.stream;
    double most = stream > 0 ? (double)stream / 1e6 / FLOW_ONE : INFINITY;
    memcpy(x->room, x->capacity, x->link_count * sizeof *x->room);
    memset(x->weight, 0, x->link_count * sizeof *x->weight);
    for (uint32_t i = 0; i < x->flows.count; i++) {
        x->flows.at[i].fixed = false;
        for (int k = 0; k < LINKS; k++)
            if (x->flows.at[i].link[k] != NO_LINK)
                x->weight[x->flows.at[i].link[k]] += x->flows.at[i].weight;
    }
    for (uint32_t left = x->flows.count; left > 0;) {
        double least = INFINITY;
        int32_t full = NO_LINK;
        for (uint32_t l = 0; l < x->link_count; l++)
            if (x->weight[l] > 1e-6 && x->room[l] / x->weight[l] < least) {
                least = x->room[l] / x->weight[l];
                full = (int32_t)l;
            }
        if (least >= most) { /* every flow has a link of its own, and these are full now */
            for (uint32_t i = 0; i < x->flows.count; i++)
                if (!x->flows.at[i].fixed)
                    exact_fix(x, &x->flows.at[i], most);
            break;
        }
        for (uint32_t i = 0; i < x->flows.count; i++) {
            struct exact_flow *f = &x->flows.at[i];
            bool on = f->link[0] == full || f->link[1] == full || f->link[2] == full ||
                      f->link[3] == full;
            if (!f->fixed && on) {
                exact_fix(x, f, least);
                left--;
            }
        }
    }
}

/* Moves time to `then`, and ends the flows that are through. */
static void exact_advance(struct exact *x, const struct traffic *traffic, double now, double then,
                          double *took)
{
    for (uint32_t i = 0; i < x->flows.count;) {
        struct exact_flow *f = &x->flows.at[i];
        f->left -= f->rate * (then - now);
        if (f->left > f->rate * 1e-3) { /* a thousandth of a microsecond */
            i++;
            continue;
        }
        if (--x->open[f->transfer] == 0)
            took[f->transfer] = then - (double)traffic->at[f->transfer].at_us;
        *f = x->flows.at[--x->flows.count];
    }
}

void network_exact(const struct cluster *c, const struct traffic *traffic, double *took)
{
    struct exact x = {.c = c, .link_count = 3 * c->node_count + 2 * c->rack_count};
    x.capacity = mem_zalloc(x.link_count, sizeof *x.capacity);
    x.room = mem_zalloc(x.link_count, sizeof *x.room);
    x.weight = mem_zalloc(x.link_count, sizeof *x.weight);
    x.open = mem_zalloc(traffic->count, sizeof *x.open);
    exact_links(&x);

    double now = 0;
    for (uint32_t next = 0; next < traffic->count || x.flows.count > 0;) {
        exact_fill(&x);
        double then = next < traffic->count ? (double)traffic->at[next].at_us : INFINITY;
        for (uint32_t i = 0; i < x.flows.count; i++)
            then = fmin(then, now + x.flows.at[i].left / x.flows.at[i].rate);
        exact_advance(&x, traffic, now, then, took);
        now = then;
        for (; next < traffic->count && (double)traffic->at[next].at_us <= now; next++)
            exact_begin(&x, &traffic->at[next], next);
    }
    mem_free(x.capacity);
    mem_free(x.room);
    mem_free(x.weight);
    mem_free(x.open);
    vec_free(&x.flows);
}
