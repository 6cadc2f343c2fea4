/* network_spread.c - nodes of a rack from which data is read as a whole.
 *
 * A spread has one link, the sum of its nodes' links up. Each of these nodes knows the spreads that
 * it is in, because whatever comes from it over its own link or another spread uses the same wires
 * (network_share.c). Spreads that are over are used again: large jobs come and go. */
#include "base/check.h"
#include "network/network_state.h"

/* What these nodes can send together. */
static double all_up(const struct network *n, const uint32_t *nodes, uint32_t count)
{
    if (count > 0 && n->alike)
        return count * n->links.at[network_node_up(nodes[0])].capacity;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += n->links.at[network_node_up(nodes[i])].capacity;
    return sum;
}

/* The number and the link of one that is over, or new ones. */
static uint32_t take_free(struct network *n)
{
    if (n->spreads_free.count > 0)
        return n->spreads_free.at[--n->spreads_free.count];
    uint32_t s = n->spreads.count;
    (void)vec_add(&n->spreads);
    n->spreads.at[s] = (struct spread){.link = network_link_add(n, 0, LINK_SPREAD, s)};
    return s;
}

/* Numbers of pieces that differ by less than a twelfth count as the same. */
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
    uint32_t s = take_free(n);
    struct spread *x = &n->spreads.at[s];
    x->rack = rack;
    x->dropped = x->group = x->review = x->uneven = false;
    x->parents = 0;
    x->pieces_all = 0;
    n->links.at[x->link].capacity = n->shares.at[x->link] = all_up(n, nodes, count);
    for (uint32_t i = 0; i < count; i++) {
        check(n->nodes[nodes[i]].rack == rack);
        uint32_t has = pieces ? pieces[i] : 1;
        check(has > 0);
        x->pieces_all += has;
        x->uneven |= pieces && has != pieces[0];
        vec_push(&x->nodes, ((struct spread_node){nodes[i], .pieces = has, .size = size_of(has)}));
        vec_push(&n->nodes[nodes[i]].spreads, ((struct node_spread){s, i}));
    }
    x->pieces = x->pieces_all;
    return s;
}

uint32_t network_spread(struct network *n, const uint32_t *nodes, const uint32_t *pieces,
                        uint32_t count)
{
    check(count > 0);
    return network_spread_add(n, n->nodes[nodes[0]].rack, nodes, pieces, count);
}

uint32_t network_spread_index(const struct network *n, uint32_t spread, uint32_t node)
{
    const struct node_links *x = &n->nodes[node];
    for (uint32_t k = 0; k < x->spreads.count; k++)
        if (x->spreads.at[k].spread == spread)
            return x->spreads.at[k].at;
    return UINT32_MAX;
}

void network_spread_free_if_over(struct network *n, uint32_t s)
{
    struct spread *x = &n->spreads.at[s];
    if (!x->dropped || x->flows > 0 || x->users > 0)
        return;
    check(x->hot.count == 0);
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        struct node_links *node = &n->nodes[x->nodes.at[i].node];
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
    network_spread_free_if_over(n, spread);
}

uint32_t network_spread_rack(const struct network *n, uint32_t rack)
{
    (void)n;
    return rack; /* they were made first, in this order */
}
