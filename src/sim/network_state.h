/* network_state.h - private to network.c and network_share.c: links, flows, and who is on what. */
#ifndef SIM_NETWORK_STATE_H
#define SIM_NETWORK_STATE_H

#include "base/timeq.h"
#include "base/vec.h"
#include "sim/network.h"

/* A flow crosses at most so many links: up, out of the rack, into the rack, down. */
enum { FLOW_HOPS = 4 };

/* A link that a flow crosses, and its neighbours in the list of that link. Lists link hops, not
 * flows: hop h is flows[h / FLOW_HOPS].hop[h % FLOW_HOPS]. */
struct hop {
    uint32_t link, prev, next; /* HOP_NONE at the ends */
};
#define HOP_NONE UINT32_MAX

struct flow {
    double left; /* bytes at settled_us */
    double rate; /* bytes per microsecond since then */
    int64_t settled_us;
    int64_t queued_us;   /* time of its entry in the queue of ends that counts */
    uint32_t generation; /* rises when the flow is over; tells stale entries of the queue */
    uint32_t weight;
    uint32_t load; /* of a wide flow on the sum of the rack's links: its weight x rack / sources */
    uint32_t rack; /* that it comes from; RACK_NONE: read from the own disk */
    uint8_t hops;
    bool wide;                 /* from many nodes of a rack */
    bool fresh;                /* has no rate yet */
    struct hop hop[FLOW_HOPS]; /* in the free list, hop[0].next is the next free flow */
};
#define RACK_NONE UINT32_MAX

/* What a link knows of flows that use it without being on its list. */
enum link_kind {
    LINK_PLAIN,    /* there are none */
    LINK_NODE_UP,  /* the node's part of the wide flows of its rack */
    LINK_RACK_OUT, /* the narrow flows from the rack's nodes */
};

struct link {
    double capacity; /* bytes per microsecond */
    double share;    /* what it offers to a flow of weight 1 */
    double drift;    /* how much the rates on it have changed since the share was worked out */
    uint64_t weight; /* of the flows on it; LINK_RACK_OUT: their load */
    uint32_t first;  /* hop */
    uint32_t rack;
    uint8_t kind; /* enum link_kind */
    bool dirty;   /* in n->dirty */
};

/* Flows from a rack, narrow (from one node) and wide (from many): weights and rates. */
struct rack {
    uint32_t nodes;
    uint64_t narrow_weight, wide_weight;
    double narrow_rate, wide_rate;
};

/* How fast a flow on a link could be as far as its other links go; for weight 1. */
struct limit {
    double rate;
    double weight; /* with which it counts on the link */
};

struct network {
    uint32_t node_count;
    bool rack_links;    /* without oversubscription they are never the narrowest: left out */
    struct link *links; /* three for each node, then three for each rack */
    struct rack *racks;
    uint32_t *rack_of; /* by node */
    VEC(struct flow) flows;
    uint32_t flow_free;
    VEC(uint32_t) dirty, changed; /* links */
    VEC(uint32_t) fresh;          /* flows */
    VEC(struct limit) limits;     /* scratch */
    struct timeq *ends;
    uint64_t work;
};

static inline struct hop *network_hop(const struct network *n, uint32_t h)
{
    return &n->flows.at[h / FLOW_HOPS].hop[h % FLOW_HOPS];
}

/* With how much weight a flow counts on a link. */
static inline uint32_t network_weight(const struct flow *f, const struct link *l)
{
    return l->kind == LINK_RACK_OUT ? f->load : f->weight;
}

/* The rates on a link have changed by this much in all. When that is much, its share is worked out
 * again at the next settle. */
void network_drift(struct network *n, uint32_t link, double by);

/* Changes the rate of a flow in the books of its rack. */
void network_set_rate(struct network *n, struct flow *f, double rate);

#endif
