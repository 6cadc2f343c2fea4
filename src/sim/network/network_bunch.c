/* network_bunch.c - readers that are alike share flows.
 *
 * The readers of a shuffle mostly begin at the same instant, want the same of the same sources and
 * sit on nodes that receive nothing else. Their flows are then equally fast and over together: one
 * flow of so much more weight stands for all of them, and nothing is approximated. Such nodes are a
 * crew, and what they read is a bunch. In its flows' way is, instead of a node's link down, one
 * link as wide as all of theirs. Where readers of another shuffle begin on some nodes of a crew,
 * these are alike again: the crew is divided in two, and one of them has two bunches.
 *
 * Nodes are alike until something happens to one of them: its link down gets a flow that is not for
 * a read, one of its reads is stopped, or it becomes a hot source, from which it reads nothing
 * itself. Then it leaves: the flows are divided, and its own go on from where they are.
 *
 * Racks. Nodes of several racks are alike as long as no link into their racks can be full: while so
 * few nodes of a rack receive anything that their links down together are narrower than the rack's.
 * Such crews have no rack, and the links down of racks are not in their way; when more nodes of a
 * rack begin to receive, all nodes there leave these crews (network_read.c). On the link up of a
 * source's rack they count without their nodes in that rack.
 *
 * Rejected: readers that begin at different times (what they have still to get differs: they would
 * have to be divided at each end); coming back (a node that was apart is behind or ahead). */
#include "base/check.h"
#include "sim/network/network_state.h"

/* ---- bunches ---- */

uint32_t network_bunch_add(struct network *n, uint32_t crew, uint32_t node,
                           const struct bunch_part *parts, uint32_t count)
{
    bool used = n->bunches_free.count > 0;
    uint32_t i = vec_take(&n->bunches, &n->bunches_free);
    struct bunch *b = &n->bunches.at[i];
    if (!used)
        *b = (struct bunch){0};
    b->crew = crew;
    b->node = node;
    b->open = count;
    vec_clear(&b->first);
    vec_clear(&b->parts);
    vec_append(&b->parts, parts, count);
    if (crew == CREW_NONE)
        return i;
    const struct crew *x = &n->crews.at[crew];
    for (uint32_t p = 0; p < count; p++) {
        b->parts.at[p].inside = 0;
        for (uint32_t k = 0; x->rack == RACK_ANY && n->rack_links && k < x->nodes.count; k++)
            b->parts.at[p].inside += b->parts.at[p].rack == n->nodes[x->nodes.at[k]].rack;
    }
    vec_push(&n->crews.at[crew].bunches, i);
    return i;
}

/* ---- crews ---- */

/* Fits the link of a crew to its nodes, which are more than one, or have been. */
static void resize(struct network *n, struct crew *x)
{
    double down = n->links.at[network_node_link(x->nodes.at[0], NODE_DOWN)].capacity;
    n->links.at[x->link].capacity = x->nodes.count * down;
}

uint32_t network_bunch_crew(struct network *n, const uint32_t *nodes, uint32_t count, uint32_t rack)
{
    bool used = n->crews_free.count > 0;
    uint32_t i = vec_take(&n->crews, &n->crews_free);
    struct crew *x = &n->crews.at[i];
    if (!used) {
        *x = (struct crew){0};
        x->link = network_share_add_link(n, 0, LINK_PLAIN, 0);
    }
    x->rack = rack;
    for (uint32_t k = 0; k < count; k++) {
        struct network_node *node = &n->nodes[nodes[k]];
        check(node->crew == CREW_NONE);
        node->crew = i;
        node->crew_at = k;
        vec_push(&x->nodes, nodes[k]);
        network_share_busy(n, node->rack, RACK_DOWN, 1);
    }
    resize(n, x);
    n->shares.at[x->link] = n->links.at[x->link].capacity;
    return i;
}

/* The node at this index is of the crew no more, nor are its reads of its bunches. */
static void node_leaves(struct network *n, struct crew *x, uint32_t at)
{
    struct network_node *node = &n->nodes[x->nodes.at[at]];
    node->crew = CREW_NONE;
    network_share_busy(n, node->rack, RACK_DOWN, UINT32_MAX);
    x->nodes.at[at] = x->nodes.at[--x->nodes.count];
    if (at < x->nodes.count)
        n->nodes[x->nodes.at[at]].crew_at = at;
    for (uint32_t k = 0; k < x->bunches.count; k++) {
        struct bunch *b = &n->bunches.at[x->bunches.at[k]];
        b->first.at[at] = b->first.at[--b->first.count];
        for (uint32_t p = 0; x->rack == RACK_ANY && n->rack_links && p < b->parts.count; p++)
            b->parts.at[p].inside -= b->parts.at[p].rack == node->rack;
    }
}

static void crew_free(struct network *n, uint32_t i)
{
    struct crew *x = &n->crews.at[i];
    while (x->nodes.count > 0)
        node_leaves(n, x, x->nodes.count - 1);
    vec_push(&n->crews_free, i);
}

void network_bunch_free(struct network *n, uint32_t i)
{
    uint32_t crew = n->bunches.at[i].crew;
    vec_push(&n->bunches_free, i);
    if (crew == CREW_NONE)
        return;
    struct crew *x = &n->crews.at[crew];
    uint32_t k = 0;
    while (x->bunches.at[k] != i)
        k++;
    x->bunches.at[k] = x->bunches.at[--x->bunches.count];
    if (x->bunches.count == 0)
        crew_free(n, crew);
}

/* ---- dividing ---- */

/* Gives the new crew (or node) its share of a bunch of the old one: the reads in first[]. */
static void share_divide(struct network *n, int64_t now_us, uint32_t old, uint32_t crew,
                         const uint32_t *first, uint32_t take, uint32_t of)
{
    uint32_t count = n->bunches.at[old].parts.count;
    uint32_t i =
        network_bunch_add(n, crew, n->reads.at[first[0]].to, n->bunches.at[old].parts.at, count);
    struct bunch *b = &n->bunches.at[i];
    b->each = n->bunches.at[old].each;
    b->open = n->bunches.at[old].open;
    vec_append(&b->first, first, take);
    for (uint32_t k = 0; k < take; k++)
        for (uint32_t r = first[k]; r != READ_NONE; r = n->reads.at[r].next)
            n->reads.at[r].bunch = i;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t flow = n->bunches.at[old].parts.at[p].flow;
        if (flow == FLOW_NONE)
            continue;
        flow = network_flow_divide(n, now_us, flow, take, of, network_sink_bunch(n, i, p));
        n->flows.at[flow].bunch = i;
        n->flows.at[flow].part = p;
        n->bunches.at[i].parts.at[p].flow = flow;
    }
}

uint32_t network_bunch_divide(struct network *n, int64_t now_us, uint32_t old,
                              const uint32_t *nodes, uint32_t count, uint32_t rack)
{
    struct crew *x = &n->crews.at[old];
    uint32_t of = x->nodes.count, bunches = x->bunches.count;
    uint32_t *bunch = mem_zalloc(bunches, (1 + (size_t)count) * sizeof *bunch);
    uint32_t *first = bunch + bunches;
    memcpy(bunch, x->bunches.at, bunches * sizeof *bunch);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = n->nodes[nodes[k]].crew_at;
        check(n->nodes[nodes[k]].crew == old);
        for (uint32_t j = 0; j < bunches; j++)
            first[j * count + k] = n->bunches.at[bunch[j]].first.at[at];
        node_leaves(n, x, at);
    }
    if (count < of)
        resize(n, x);
    uint32_t crew = count > 1 ? network_bunch_crew(n, nodes, count, rack) : CREW_NONE;
    for (uint32_t j = 0; j < bunches; j++) {
        share_divide(n, now_us, bunch[j], crew, first + j * count, count, of);
        if (count == of)
            network_bunch_free(n, bunch[j]);
    }
    mem_free(bunch);
    return crew;
}

void network_bunch_leave(struct network *n, int64_t now_us, uint32_t node)
{
    uint32_t crew = n->nodes[node].crew;
    if (crew != CREW_NONE)
        network_bunch_divide(n, now_us, crew, &node, 1, n->nodes[node].rack);
}

/* ---- racks ---- */

/* The rate of a flow and its subflows. */
static double rate_of(const struct network *n, uint32_t flow)
{
    double rate = n->flows.at[flow].rate;
    for (uint32_t k = n->flows.at[flow].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next)
        rate += n->flows.at[k].rate;
    return rate;
}

double network_bunch_unseen(const struct network *n, uint32_t rack)
{
    double sum = 0;
    for (uint32_t c = 0; c < n->crews.count; c++) {
        const struct crew *x = &n->crews.at[c];
        uint32_t inside = 0;
        for (uint32_t k = 0; x->rack == RACK_ANY && k < x->nodes.count; k++)
            inside += n->nodes[x->nodes.at[k]].rack == rack;
        for (uint32_t k = 0; inside > 0 && k < x->bunches.count; k++) {
            const struct bunch *b = &n->bunches.at[x->bunches.at[k]];
            for (uint32_t p = 0; p < b->parts.count; p++)
                if (b->parts.at[p].flow != FLOW_NONE && b->parts.at[p].rack != rack)
                    sum += rate_of(n, b->parts.at[p].flow) * inside / x->nodes.count;
        }
    }
    return sum;
}
