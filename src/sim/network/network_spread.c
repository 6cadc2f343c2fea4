/* network_spread.c - the nodes that wide flows come from, hot or cool.
 *
 * A spread has one link, the sum of the links up of its nodes that are not hot. Its nodes know the
 * spreads that they are in. Spreads that are over are used again: large jobs come and go.
 *
 * A node is cool again, for new flows, when it sends nothing or nothing reads from the spread; a
 * group when nothing reads from it. Cooling a node as soon as it no longer lagged was rejected: hot
 * and cool nodes took turns at every instant. */
#include "base/check.h"
#include "sim/network/network_state.h"

/* Parts of all flows, beyond which no node becomes hot. */
enum { SUBFLOWS_ALL = 8192 };

/* ---- spreads ---- */

/* Numbers of pieces that differ by less than a twelfth have the same size. */
static uint16_t size_of(uint32_t pieces)
{
    uint16_t size = 0;
    for (uint64_t most = 1; pieces > most; most += most / 12 + 1)
        size++;
    return size;
}

uint32_t network_spread_add(struct network *n, uint32_t rack, const uint32_t *nodes,
                            const uint32_t *pieces, uint32_t count)
{
    bool used = n->spreads_free.count > 0;
    uint32_t s = vec_take(&n->spreads, &n->spreads_free);
    if (!used)
        n->spreads.at[s] = (struct spread){.link = network_share_add_link(n, 0, LINK_SPREAD, s)};
    struct spread *x = &n->spreads.at[s];
    x->rack = rack;
    x->dropped = x->group = x->review = x->uneven = false;
    x->parents = 0;
    x->pieces_all = 0;
    double up = 0;
    for (uint32_t i = 0; i < count; i++) {
        check(n->nodes[nodes[i]].rack == rack);
        uint32_t has = pieces ? pieces[i] : 1;
        check(has > 0);
        x->pieces_all += has;
        x->uneven |= pieces && has != pieces[0];
        up += n->links.at[network_node_link(nodes[i], NODE_UP)].capacity;
        vec_push(&x->nodes, ((struct spread_node){nodes[i], .pieces = has, .size = size_of(has)}));
        vec_push(&n->nodes[nodes[i]].spreads, ((struct node_spread){s, i}));
    }
    if (count > 0 && n->alike) /* without rounding errors */
        up = count * n->links.at[network_node_link(nodes[0], NODE_UP)].capacity;
    n->links.at[x->link].capacity = n->shares.at[x->link] = up;
    x->pieces = x->pieces_all;
    return s;
}

uint32_t network_spread(struct network *n, const uint32_t *nodes, const uint32_t *pieces,
                        uint32_t count)
{
    check(count > 0);
    return network_spread_add(n, n->nodes[nodes[0]].rack, nodes, pieces, count);
}

uint32_t network_spread_rack(const struct network *n, uint32_t rack)
{
    (void)n;
    return rack; /* they were made first, in this order */
}

uint32_t network_spread_index(const struct network *n, uint32_t spread, uint32_t node)
{
    const struct network_node *x = &n->nodes[node];
    for (uint32_t k = 0; k < x->spreads.count; k++)
        if (x->spreads.at[k].spread == spread)
            return x->spreads.at[k].at;
    return UINT32_MAX;
}

static void free_if_over(struct network *n, uint32_t s)
{
    struct spread *x = &n->spreads.at[s];
    if (!x->dropped || x->flows > 0 || x->users > 0)
        return;
    check(x->hot.count == 0);
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        struct network_node *node = &n->nodes[x->nodes.at[i].node];
        uint32_t k = 0;
        while (node->spreads.at[k].spread != s)
            k++;
        node->spreads.at[k] = node->spreads.at[--node->spreads.count];
    }
    vec_clear(&x->nodes);
    vec_clear(&x->demand);
    x->dropped = false;
    vec_push(&n->spreads_free, s);
}

void network_spread_drop(struct network *n, uint32_t spread)
{
    check(!n->spreads.at[spread].whole && !n->spreads.at[spread].dropped);
    n->spreads.at[spread].dropped = true;
    free_if_over(n, spread);
}

/* ---- hot and cool ---- */

void network_spread_reweigh(struct network *n, uint32_t i, uint64_t weight)
{
    struct network_flow *f = &n->flows.at[i];
    struct sink to = network_sink_flow(n, i);
    f->weight = weight;
    f->away = weight * (to.nodes - to.inside) / to.nodes;
    if (f->spread != SPREAD_NONE)
        f->load = network_load(&n->spreads.at[f->spread], weight, f->pieces);
    for (uint8_t k = 0; k < f->hops; k++) {
        struct link *l = &n->links.at[f->hop[k].link];
        struct rider *r = &l->riders.at[f->hop[k].at];
        uint64_t now = network_weight(f, l);
        l->weight += now - (uint64_t)r->weight;
        r->weight = (double)now;
    }
}

uint32_t network_spread_hot_count(const struct network *n, struct spread_hot hot)
{
    return hot.group == SPREAD_NONE ? 1 : n->spreads.at[hot.group].nodes.count;
}

/* The k-th of them, as a node of the spread. */
struct spread_node *network_spread_hot_node(struct network *n, uint32_t spread,
                                            struct spread_hot hot, uint32_t k)
{
    uint32_t at = hot.at;
    if (hot.group != SPREAD_NONE)
        at = network_spread_index(n, spread, n->spreads.at[hot.group].nodes.at[k].node);
    return &n->spreads.at[spread].nodes.at[at];
}

bool network_spread_may_heat(const struct network *n, const struct spread *s, uint32_t nodes)
{
    return n->subflows < SUBFLOWS_ALL && s->hot.count < n->hot_max && network_cool(s) > nodes;
}

/* The number of nodes that are not hot has changed. */
void network_spread_resize(struct network *n, struct spread *s)
{
    struct link *l = &n->links.at[s->link];
    check(n->alike);
    l->capacity =
        network_cool(s) * n->links.at[network_node_link(s->nodes.at[0].node, NODE_UP)].capacity;
    for (uint32_t k = 0; k < l->riders.count; k++)
        network_spread_reweigh(n, l->riders.at[k].flow, n->flows.at[l->riders.at[k].flow].weight);
    l->renewed = true;
    network_share_drift(n, s->link, l->capacity);
}

void network_spread_cool(struct network *n, uint32_t spread, uint32_t k)
{
    struct spread *s = &n->spreads.at[spread];
    struct spread_hot hot = s->hot.at[k];
    uint32_t count = network_spread_hot_count(n, hot);
    s->hot.at[k] = s->hot.at[--s->hot.count];
    for (uint32_t i = 0; i < count; i++) {
        struct spread_node *x = network_spread_hot_node(n, spread, hot, i);
        x->hot = false;
        s->pieces += x->pieces;
        x->lag = x->deficit = 0;
        x->cooled = n->wide_begun;
    }
    s->hot_nodes -= count;
    network_spread_resize(n, s);
    if (hot.group != SPREAD_NONE && --n->spreads.at[hot.group].parents == 0) {
        n->spreads.at[hot.group].dropped = true;
        free_if_over(n, hot.group);
    }
}

/* A group leaves the spreads that it belongs to. */
static void leave_parents(struct network *n, uint32_t group)
{
    const struct network_node *x = &n->nodes[n->spreads.at[group].nodes.at[0].node];
    n->spreads.at[group].parents++; /* so that it is not freed here */
    for (uint32_t k = 0; k < x->spreads.count; k++) {
        const struct spread *parent = &n->spreads.at[x->spreads.at[k].spread];
        uint32_t h = 0;
        while (h < parent->hot.count && parent->hot.at[h].group != group)
            h++;
        if (h < parent->hot.count)
            network_spread_cool(n, x->spreads.at[k].spread, h);
    }
    n->spreads.at[group].parents--;
    check(n->spreads.at[group].parents == 0);
    n->spreads.at[group].dropped = true;
}

void network_spread_left(struct network *n, uint32_t spread)
{
    if (n->spreads.at[spread].flows == 0 && n->spreads.at[spread].users == 0) {
        while (n->spreads.at[spread].hot.count > 0)
            network_spread_cool(n, spread, 0);
        struct spread *s = &n->spreads.at[spread];
        for (uint32_t i = 0; i < s->nodes.count; i++)
            s->nodes.at[i].lag = s->nodes.at[i].deficit = 0;
        if (s->group)
            leave_parents(n, spread);
    }
    free_if_over(n, spread);
}
