/* network.h - data in transit: flows over links, each as fast as its links let it be.
 *
 * Every node has a link up, a link down and a disk; every rack has links to and from the other
 * racks. A flow carries bytes over the links between two locations; flows that cross a link share
 * it. network.c opens with the method, docs/inside/network-model.md has the model and how far it is
 * from exact.
 *
 * Time belongs to the caller and never runs backwards. Changes of an instant take effect together
 * at network_settle, which the caller calls before time advances. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/cluster/cluster.h"

struct network;

#define FLOW_NONE UINT32_MAX
#define READ_NONE UINT32_MAX

/* The weight of one read. Less is for a reader that can only have a few of its reads at a time. */
enum { FLOW_ONE = 1024 };

/* Up to this many flows, none of them wide, rates are exact: max-min fair. Those of reads that are
 * alike count as those of one. Beyond it changes are
 * followed only as far as they matter much, or the work for a flow would grow with the flows around
 * it. Following them to the end takes up to 220 looks at a flow for each flow among 64, no more
 * than a large crowd costs in any case (300 to 400); among 128 it is 450, among 256 it is 1700. */
enum { NETWORK_EXACT_FLOWS = 64 };

/* Creates the network of a cluster whose wires are on. Borrows nothing. Destroy with
 * network_destroy; NULL is fine there. */
struct network *network_create(const struct cluster *cluster);
void network_destroy(struct network *n);

/* Begins a flow of `bytes` (> 0) from one node to another, or from a node's disk to itself. It
 * counts as `weight` (> 0) wherever it shares a link, and FLOW_ONE of that is never faster than
 * wires.stream. Returns its number, which is free again once the flow has ended or was stopped. */
uint32_t network_begin(struct network *n, int64_t now_us, uint32_t from, uint32_t to, double bytes,
                       uint32_t weight);

/* Creates a spread: nodes of one rack with data that is read as a whole; pieces[i] (> 0) equal
 * pieces of it are on nodes[i]. Returns its number, which is valid until network_spread_drop; flows
 * that have begun from it continue. */
uint32_t network_spread(struct network *n, const uint32_t *nodes, const uint32_t *pieces,
                        uint32_t count);
void network_spread_drop(struct network *n, uint32_t spread);

/* The spread of all nodes of a rack, for data on nodes of which the caller keeps no list. It always
 * exists and is never dropped. */
uint32_t network_spread_rack(const struct network *n, uint32_t rack);

/* Returns true if one of `readers` readers of data on `nodes` nodes should use wide flows: a flow
 * from every node would be nearer to the truth, but cost too much. Never if nodes differ in their
 * links: a reader of all of them is done when the slowest has sent its share, which a wide flow
 * cannot show. */
bool network_wide_pays(const struct network *n, uint32_t nodes, uint32_t readers);

/* Begins a flow of all data on the nodes of a spread, except that of `to` itself: many flows for
 * the price of one. */
uint32_t network_begin_wide(struct network *n, int64_t now_us, uint32_t spread, uint32_t to,
                            double bytes, uint32_t weight);

/* One source of a read. */
struct network_part {
    uint32_t from; /* node, or spread if wide */
    bool wide;
    uint32_t weight; /* > 0 */
    double bytes;    /* > 0 */
};

/* Begins a read: flows from some sources to one node, which are over together. Reads that begin at
 * the same instant, and are alike but for the node, cost little more than one of them. Returns its
 * number, which is free again once network_read_take has returned it or it was stopped. */
uint32_t network_read(struct network *n, int64_t now_us, uint32_t to,
                      const struct network_part *parts, uint32_t count);

/* Ends a read before all of it has arrived. */
void network_read_stop(struct network *n, int64_t now_us, uint32_t read);

/* Removes and returns a read that has ended, or READ_NONE. To be called after network_take has
 * returned FLOW_NONE. Reads of one instant end in the order in which they began. */
uint32_t network_read_take(struct network *n);

/* The bytes of a read that have arrived; and those of its parts that have arrived completely. */
double network_read_arrived(const struct network *n, int64_t now_us, uint32_t read);
double network_read_over(const struct network *n, uint32_t read);

/* Returns true while a part that may come from this node is on its way: from the node itself, or
 * from a spread in its rack. */
bool network_read_from(const struct network *n, uint32_t read, uint32_t node);

/* Ends a flow before all of it has arrived. */
void network_stop(struct network *n, uint32_t flow);

/* Gives every affected flow its new speed. */
void network_settle(struct network *n, int64_t now_us);

/* A time not after the next end of a flow; INT64_MAX if none is under way. Settle first. */
int64_t network_next_us(struct network *n);

/* Removes and returns a flow that has ended by now, or FLOW_NONE. Flows of one instant end in a
 * fixed order. */
uint32_t network_take(struct network *n, int64_t now_us);

/* The bytes of a flow that have not arrived yet. */
double network_left(const struct network *n, int64_t now_us, uint32_t flow);

/* The bandwidth that a new flow could get of a rack's link to (up) or from the other racks, in
 * bytes per microsecond: all that is unused, or half of the link if that is more, which is the
 * share of a flow as heavy as all the flows there. 0 if racks' links are never narrow. Settle
 * first. */
double network_rack_free(const struct network *n, uint32_t rack, bool up);
