/* network.c - data on its way through a cluster: an essay on the method, then flows and their ends.
 *
 * The problem. Readers fetch what other attempts have left on their nodes, and the simulator wants
 * to know when each of them has everything. A shuffle of m x r pieces is that many transfers; each
 * that begins or ends changes the speed of others; and there is a microsecond or so for each. Times
 * in question are seconds, so there are no packets, windows or round trips: data flows like water.
 *
 * Links. A flow crosses the links on its way and is limited by all of them:
 *
 *        node a             rack 0        rack 1             node b
 *     [disk] --up--> ( switch )--up--> --down-->( switch ) --down--> reader
 *
 * Within a rack it crosses up and down only, on its own node just the disk. Racks' links exist
 * where they can be narrow (oversubscription).
 *
 * Fairness. Flows that meet on a link share it, and what one cannot use, because another link holds
 * it back, goes to the others. The answer is max-min fairness: raise the speed of all flows
 * together; when a link is full, its flows stay as they are, and the rest goes on. With links of
 * 100,
 *
 *     a -> x  25     four flows meet at x and get 25 each; two of them come from a,
 *     a -> x  25     where a third one has what they leave: 100 - 25 - 25 = 50.
 *     a -> y  50     b and c send only 25 each, and their links are not full.
 *     b -> x  25
 *     c -> x  25
 *
 * Working that out anew touches every flow of the network. It is also what comes out of a rule that
 * is local: a link offers one share to all flows on it; a flow takes the least offer of its links;
 * and a link makes its offer so that what its flows take fills it (network_share.c). When something
 * changes, the links concerned make new offers, their flows take new rates, which are changes for
 * the other links that these cross, and so on.
 *
 * Few flows: exact. While there are at most NETWORK_EXACT_FLOWS, changes are followed until nothing
 * changes any more. Then every flow crosses a full link on which none is faster, which is the same
 * as max-min fairness. The link with the least share has its final one after two rounds, the link
 * with the next share after two more.
 *
 * Many flows: near. Beyond that a change would be felt everywhere, a little. It is followed for two
 * rounds, and only where it matters: a link sums up how much the rates on it have changed (its
 * drift) and makes a new offer when that is more than a sixteenth of its capacity. So a link with
 * few flows is always up to date, one with a thousand is looked at every sixtieth time, and the
 * work for a flow does not grow with the flows around it. Half of all transfers are within 1 % of
 * the exact time.
 *
 * Alike: one flow for many readers. Readers of a shuffle mostly begin together, want the same and
 * have their nodes' links for themselves. So they are as fast as each other, and a flow of as much
 * more weight stands for all of them until something sets one apart (network_bunch.c). Callers see
 * reads, which are flows from many sources to one node (network_read.c).
 *
 * Very many: wide flows. Equal flows on equal links have equal speeds, so one flow whose weight is
 * their number stands for outputs that lie on one node; and in a very large shuffle one *wide* flow
 * stands for all outputs in a rack. It comes from a *spread*, the nodes with these outputs, over
 * the sum of their links up; all readers of a phase share its spreads (network_spread.c). Narrow
 * flows from a node and wide flows from the spreads that it is in use the same wires, so each
 * counts at the other's link as a stranger (network_share.c). Where readers each miss something
 * else and have no sources in common, the spread is the whole rack: together they keep all nodes
 * equally busy.
 *
 * A wide flow is as fast as its nodes are on the average, which is wrong as soon as one is busier
 * than the others: what lies there arrives last. Such a node lags (network_lag.c) and becomes
 * *hot*: it leaves the spread, and what flows get from it goes on as a *subflow*, a flow over the
 * node's own link. The wide flow is over with the last of its subflows; callers know nothing of
 * subflows.
 *
 * Ends. What a flow has still to carry is worked out only when its rate changes: left - rate x
 * time. Its end is an entry in a queue of times. A flow that slows down keeps its entry, which then
 * comes too early and is put back where it belongs; one that speeds up gets another entry, and the
 * old one is recognised by its time. So nothing is ever searched for in the queue.
 *
 * Rejected, with numbers in docs/inside/network-model.md and docs/inside/adr/0012: capacity /
 * number of flows without dividing what others leave; one round, more rounds; filling the network
 * anew at every change; one flow for each pair of tasks; wide flows without hot nodes; an infinite
 * share for any link that is not full. */
#include "sim/network/network.h"

#include <math.h>

#include "base/check.h"
#include "sim/network/network_state.h"

/* ---- the network ---- */

/* Up to this many nodes a reader has a flow from each, and up to this many flows a whole shuffle.
 */
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
    check(wires->is_simulated && wires->oversubscription >= 1 && wires->background < 1);
    struct network *n = mem_zalloc(1, sizeof *n);
    n->node_count = c->node_count;
    n->rack_links = wires->oversubscription > 1;
    n->hot_max = c->rack_count > 0 ? HOT_ALL / c->rack_count : HOT_MAX;
    n->hot_max = n->hot_max < HOT_MIN ? HOT_MIN : n->hot_max > HOT_MAX ? HOT_MAX : n->hot_max;
    n->most = wires->stream > 0 ? (double)wires->stream / 1e6 / FLOW_ONE : INFINITY;
    n->nodes = mem_zalloc(c->node_count, sizeof *n->nodes);
    n->alike = n->exact = true;
    n->busy = mem_zalloc(c->rack_count, RACK_LINKS * sizeof *n->busy);
    n->ends = timeq_create();

    double up = (double)wires->up * (1 - wires->background) / 1e6;
    double down = (double)wires->down * (1 - wires->background) / 1e6;
    double *sizes = mem_zalloc(c->rack_count, sizeof *sizes);
    for (uint32_t i = 0; i < c->node_count; i++) {
        double links = c->nodes[i].links;
        check(links > 0);
        n->alike = n->alike && links == c->nodes[0].links;
        n->nodes[i].rack = c->nodes[i].rack;
        n->nodes[i].crew = CREW_NONE;
        sizes[c->nodes[i].rack] += links;
        network_share_add_link(n, links * up, LINK_NODE_UP, i);
        network_share_add_link(n, links * down, LINK_NODE_DOWN, i);
        network_share_add_link(n, links * (double)wires->disk / 1e6, LINK_PLAIN, i);
    }
    for (uint32_t r = 0; r < c->rack_count; r++) {
        network_share_add_link(n, sizes[r] * up / wires->oversubscription, LINK_RACK_UP, r);
        network_share_add_link(n, sizes[r] * down / wires->oversubscription, LINK_RACK_DOWN, r);
    }
    n->busy_max = n->rack_links && !n->alike ? 0 : UINT32_MAX;
    for (uint32_t r = 0; n->rack_links && n->alike && r < c->rack_count; r++) {
        double most = sizes[r] / c->nodes[0].links / wires->oversubscription * (1 + 1e-9);
        n->busy_max = most < n->busy_max ? (uint32_t)most : n->busy_max;
    }
    mem_free(sizes);
    n->no_link = network_share_add_link(n, INFINITY, LINK_PLAIN, 0);
    for (uint32_t r = 0; r < c->rack_count; r++)
        add_whole_rack(n, r);
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
    for (uint32_t i = 0; i < n->bunches.count; i++) {
        vec_free(&n->bunches.at[i].first);
        vec_free(&n->bunches.at[i].parts);
    }
    for (uint32_t i = 0; i < n->crews.count; i++) {
        vec_free(&n->crews.at[i].nodes);
        vec_free(&n->crews.at[i].bunches);
    }
    vec_free(&n->reads);
    vec_free(&n->reads_free);
    vec_free(&n->reads_over);
    vec_free(&n->bunches);
    vec_free(&n->bunches_free);
    vec_free(&n->crews);
    vec_free(&n->crews_free);
    vec_free(&n->waiting);
    vec_free(&n->waiting_parts);
    vec_free(&n->newcomers);
    vec_free(&n->leaving);
    vec_free(&n->crowded);
    mem_free(n->busy);
    vec_free(&n->links);
    vec_free(&n->shares);
    vec_free(&n->spreads);
    vec_free(&n->spreads_free);
    mem_free(n->nodes);
    vec_free(&n->flows);
    vec_free(&n->flows_free);
    vec_free(&n->dirty);
    vec_free(&n->fresh);
    vec_free(&n->review_nodes);
    vec_free(&n->review_spreads);
    vec_free(&n->changed);
    vec_free(&n->limits);
    vec_free(&n->limit_weights);
    vec_free(&n->others);
    timeq_destroy(n->ends);
    mem_free(n);
}

/* ---- flows ---- */

uint32_t network_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to, double bytes,
                       uint32_t weight)
{
    if (from != to)
        network_bunch_leave(n, now_us, to);
    return network_flow_begin(n, now_us, from, network_sink_node(n, to), bytes, weight);
}

uint32_t network_begin_wide(struct network *n, int64_t now_us, uint32_t spread, uint32_t to,
                            double bytes, uint32_t weight)
{
    const struct spread *s = &n->spreads.at[spread];
    uint32_t own = network_spread_index(n, spread, to);
    uint32_t pieces = s->pieces_all - (own != UINT32_MAX ? s->nodes.at[own].pieces : 0);
    network_bunch_leave(n, now_us, to);
    uint32_t i =
        network_flow_begin_some(n, now_us, spread, pieces, network_sink_node(n, to), bytes, weight);
    n->spreads.at[spread].users++;
    network_split_flow(n, now_us, i);
    return i;
}

void network_stop(struct network *n, uint32_t i)
{
    network_flow_drop(n, i);
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
        struct network_flow *f = &n->flows.at[i];
        if (f->generation != payload >> 32 || f->queued_us != time)
            continue;
        /* What a microsecond's rounding leaves is nothing. */
        double left = network_left_alone(f, now_us), wait = ceil(left / f->rate);
        if (left > f->rate * 1e-6 && wait >= 1) {
            f->queued_us = now_us + (int64_t)wait;
            timeq_push(n->ends, f->queued_us, payload);
            continue;
        }
        network_flow_leave(n, i);
        uint32_t whole = f->whole;
        if (whole != FLOW_NONE) {
            network_flow_free_subflow(n, i);
            i = whole;
        }
        if (n->flows.at[i].hops > 0 || n->flows.at[i].subflows != FLOW_NONE)
            continue; /* there is more of it on its way */
        uint32_t bunch = n->flows.at[i].bunch, part = n->flows.at[i].part;
        network_flow_free(n, i);
        if (bunch == BUNCH_NONE && part == READ_NONE)
            return i;
        network_read_flow_over(n, bunch, part);
    }
    return FLOW_NONE;
}

/* ---- questions ---- */

double network_left(const struct network *n, int64_t now_us, uint32_t i)
{
    double left = network_left_alone(&n->flows.at[i], now_us);
    for (uint32_t k = n->flows.at[i].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next)
        left += network_left_alone(&n->flows.at[k], now_us);
    return left;
}

double network_rack_free(const struct network *n, uint32_t rack, bool up)
{
    const struct link *l = &n->links.at[network_rack_link(n, rack, up ? RACK_UP : RACK_DOWN)];
    double used = 0;
    if (!n->rack_links)
        return 0;
    for (uint32_t i = 0; i < l->riders.count; i++) {
        const struct network_flow *f = &n->flows.at[l->riders.at[i].flow];
        used += up ? f->rate * ((double)f->away / (double)f->weight) : f->rate;
    }
    if (!up)
        used += network_bunch_unseen(n, rack);
    return fmax(l->capacity - used, l->capacity / 2);
}
