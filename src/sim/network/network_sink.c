/* network_sink.c - where flows go. */
#include "sim/network/network_state.h"

struct sink network_sink_node(const struct network *n, uint32_t node)
{
    return (struct sink){.to = node,
                         .one = node,
                         .link = network_node_link(node, NODE_DOWN),
                         .rack = n->nodes[node].rack,
                         .nodes = 1};
}

struct sink network_sink_bunch(const struct network *n, uint32_t i, uint32_t part)
{
    const struct bunch *b = &n->bunches.at[i];
    if (b->crew == CREW_NONE)
        return network_sink_node(n, b->node);
    const struct crew *x = &n->crews.at[b->crew];
    return (struct sink){.to = NODE_ANY,
                         .one = x->nodes.at[0],
                         .link = x->link,
                         .rack = x->rack,
                         .nodes = x->nodes.count,
                         .inside = b->parts.at[part].inside};
}

struct sink network_sink_flow(const struct network *n, uint32_t i)
{
    const struct network_flow *f = &n->flows.at[i];
    if (f->whole != FLOW_NONE)
        f = &n->flows.at[f->whole];
    return f->to != NODE_ANY ? network_sink_node(n, f->to)
                             : network_sink_bunch(n, f->bunch, f->part);
}
