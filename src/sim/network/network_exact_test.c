/* network_exact_test.c - max-min fairness by progressive filling.
 *
 * At every begin and end all speeds are worked out anew: the link with the least capacity per
 * weight left fills first, its flows stay at that speed and take it from their other links, and so
 * on until every flow has its speed. Time is a real number. It shares nothing with the network it
 * checks, neither code nor the short cuts: wide transfers are one flow for every node. What it
 * spares itself is the search: each link knows its flows. */
#include "sim/network/network_exact_test.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "sim/network/network.h"

enum { LINKS = 4, NO_LINK = -1 };

struct exact_flow {
    double left, rate, weight;
    uint32_t transfer;
    int32_t link[LINKS];
    uint32_t at[LINKS]; /* its place in the link's list */
    bool fixed;
};

struct exact_link {
    double capacity, room, weight;
    VEC(uint32_t) flows;
};

struct exact {
    const struct cluster *c;
    uint32_t link_count;
    struct exact_link *links; /* 3 for each node, 2 for each rack */
    VEC(struct exact_flow) flows;
    VEC(uint32_t) open_links; /* scratch */
    uint32_t *open;           /* flows of each transfer that have not ended */
};

static void exact_links(struct exact *x)
{
    const struct wires *wires = &x->c->wires;
    double up = (double)wires->up * (1 - wires->background) / 1e6;
    double down = (double)wires->down * (1 - wires->background) / 1e6;
    uint32_t racks = 3 * x->c->node_count;
    for (uint32_t i = 0; i < x->c->node_count; i++) {
        uint32_t rack = racks + 2 * x->c->nodes[i].rack;
        double links = x->c->nodes[i].links, over = wires->oversubscription;
        x->links[3 * i].capacity = links * up;
        x->links[3 * i + 1].capacity = links * down;
        x->links[3 * i + 2].capacity = links * (double)wires->disk / 1e6;
        x->links[rack].capacity += links * up / over;
        x->links[rack + 1].capacity += links * down / over;
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
    for (int k = 0; k < LINKS; k++) {
        if (f.link[k] == NO_LINK)
            continue;
        f.at[k] = x->links[f.link[k]].flows.count;
        vec_push(&x->links[f.link[k]].flows, x->flows.count);
    }
    vec_push(&x->flows, f);
    x->open[transfer]++;
}

/* Takes flow i out of all lists; the last flow gets its number. */
static void exact_remove(struct exact *x, uint32_t i)
{
    const struct exact_flow *f = &x->flows.at[i];
    for (int k = 0; k < LINKS; k++) {
        if (f->link[k] == NO_LINK)
            continue;
        struct exact_link *l = &x->links[f->link[k]];
        uint32_t last = l->flows.at[--l->flows.count];
        for (int o = 0; o < LINKS; o++)
            if (x->flows.at[last].link[o] == f->link[k])
                x->flows.at[last].at[o] = f->at[k];
        l->flows.at[f->at[k]] = last;
    }
    x->flows.at[i] = x->flows.at[--x->flows.count];
    f = &x->flows.at[i];
    for (int k = 0; k < LINKS && i < x->flows.count; k++)
        if (f->link[k] != NO_LINK)
            x->links[f->link[k]].flows.at[f->at[k]] = i;
}

void transfer_pieces(const struct cluster *c, const struct transfer *t, uint32_t *pieces)
{
    VEC(uint32_t) rack = {0};
    for (uint32_t i = 0; i < c->node_count; i++)
        if (c->nodes[i].rack == t->rack)
            vec_push(&rack, i);
    struct rng r = rng_stream(t->first, RNG_TEST, 5, t->rack, 0, 0);
    memset(pieces, 0, c->node_count * sizeof *pieces);
    for (uint32_t k = 0; k < (t->outputs > 0 ? t->outputs : t->nodes); k++) {
        uint32_t at = t->outputs > 0 ? (uint32_t)rng_below(&r, rack.count) : t->first + k;
        pieces[rack.at[at % rack.count]]++;
    }
    vec_free(&rack);
}

static void exact_begin(struct exact *x, const struct transfer *t, uint32_t transfer)
{
    if (t->from != EXACT_NODE_NONE) {
        exact_add(x, t, transfer, t->from, 1);
        return;
    }
    uint32_t *pieces = mem_zalloc(x->c->node_count, sizeof *pieces), all = 0;
    transfer_pieces(x->c, t, pieces);
    pieces[t->to] = 0; /* no node sends to itself */
    for (uint32_t i = 0; i < x->c->node_count; i++)
        all += pieces[i];
    for (uint32_t i = 0; i < x->c->node_count; i++)
        if (pieces[i] > 0)
            exact_add(x, t, transfer, i, pieces[i] / (double)all);
    mem_free(pieces);
}

static void exact_fix(struct exact *x, struct exact_flow *f, double share)
{
    f->fixed = true;
    f->rate = share * f->weight;
    for (int k = 0; k < LINKS; k++) {
        if (f->link[k] == NO_LINK)
            continue;
        x->links[f->link[k]].room -= f->rate;
        x->links[f->link[k]].weight -= f->weight;
    }
}

static void exact_fill(struct exact *x)
{
    int64_t stream = x->c->wires.stream;
    double most = stream > 0 ? (double)stream / 1e6 / FLOW_ONE : INFINITY;
    for (uint32_t l = 0; l < x->link_count; l++) {
        x->links[l].room = x->links[l].capacity;
        x->links[l].weight = 0;
    }
    for (uint32_t i = 0; i < x->flows.count; i++) {
        x->flows.at[i].fixed = false;
        for (int k = 0; k < LINKS; k++)
            if (x->flows.at[i].link[k] != NO_LINK)
                x->links[x->flows.at[i].link[k]].weight += x->flows.at[i].weight;
    }
    x->open_links.count = 0;
    for (uint32_t l = 0; l < x->link_count; l++)
        if (x->links[l].flows.count > 0)
            vec_push(&x->open_links, l);
    for (uint32_t left = x->flows.count; left > 0;) {
        double least = INFINITY;
        const struct exact_link *full = NULL;
        for (uint32_t i = 0; i < x->open_links.count;) {
            const struct exact_link *l = &x->links[x->open_links.at[i]];
            if (l->weight <= 1e-6) { /* all its flows have their speed */
                x->open_links.at[i] = x->open_links.at[--x->open_links.count];
                continue;
            }
            if (l->room < least * l->weight) {
                least = l->room / l->weight;
                full = l;
            }
            i++;
        }
        if (least >= most) { /* every flow has a link of its own, and these are full now */
            for (uint32_t i = 0; i < x->flows.count; i++)
                if (!x->flows.at[i].fixed)
                    exact_fix(x, &x->flows.at[i], most);
            break;
        }
        for (uint32_t i = 0; i < full->flows.count; i++) {
            struct exact_flow *f = &x->flows.at[full->flows.at[i]];
            if (!f->fixed) {
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
        exact_remove(x, i);
    }
}

void network_exact(const struct cluster *c, const struct traffic *traffic, double *took)
{
    struct exact x = {.c = c, .link_count = 3 * c->node_count + 2 * c->rack_count};
    x.links = mem_zalloc(x.link_count, sizeof *x.links);
    x.open = mem_zalloc(traffic->count, sizeof *x.open);
    exact_links(&x);

    double now = 0;
    for (uint32_t next = 0; next < traffic->count || x.flows.count > 0;) {
        exact_fill(&x);
        double wait = next < traffic->count ? (double)traffic->at[next].at_us - now : INFINITY;
        for (uint32_t i = 0; i < x.flows.count; i++)
            if (x.flows.at[i].left < wait * x.flows.at[i].rate)
                wait = x.flows.at[i].left / x.flows.at[i].rate;
        double then = now + wait;
        exact_advance(&x, traffic, now, then, took);
        now = then;
        for (; next < traffic->count && (double)traffic->at[next].at_us <= now; next++)
            exact_begin(&x, &traffic->at[next], next);
    }
    for (uint32_t l = 0; l < x.link_count; l++)
        vec_free(&x.links[l].flows);
    mem_free(x.links);
    mem_free(x.open);
    vec_free(&x.flows);
    vec_free(&x.open_links);
}
