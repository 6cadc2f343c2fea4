/* network_state.h - private to network.c and network_share.c: links, flows, and who is on what. */
#ifndef SIM_NETWORK_STATE_H
#define SIM_NETWORK_STATE_H

#include "base/timeq.h"
#include "base/vec.h"
#include "sim/network.h"

/* A flow crosses at most so many links: up, out of the rack, into the rack, down. */
enum { FLOW_HOPS = 4, NETWORK_NODE_LINKS = 3 };

/* A link that a flow crosses, and the flow's place among its riders. */
struct hop {
    uint32_t link, at;
};

/* A flow as a link sees it. Links are looked at far more often than flows begin, so all that a look
 * needs lies side by side: the flow itself is touched only if its rate changes. */
struct rider {
    uint32_t flow;
    uint32_t weight; /* on this link */
    uint32_t
        other[FLOW_HOPS - 1]; /* the flow's other links; network.no_link where there are less */
};

struct flow {
    double left; /* bytes at settled_us */
    double rate; /* bytes per microsecond since then */
    int64_t settled_us;
    int64_t queued_us;   /* time of its entry in the queue of ends that counts */
    uint32_t generation; /* rises when the flow is over; tells stale entries of the queue */
    uint32_t weight;
    uint32_t load; /* of a wide flow on its spread's link: weight x nodes of the spread / sources */
    uint32_t spread; /* that a wide flow comes from; SPREAD_NONE: it is narrow */
    uint8_t hops;
    bool fresh;                /* has no rate yet */
    struct hop hop[FLOW_HOPS]; /* in the free list, hop[0].at is the next free flow */
};
#define SPREAD_NONE UINT32_MAX

/* What a link knows of flows that use it without being on its list. */
enum link_kind {
    LINK_PLAIN,   /* there are none */
    LINK_NODE_UP, /* the node's part of the wide flows of the spreads that it is in */
    LINK_SPREAD,  /* whatever else comes from the spread's nodes */
};

struct link {
    double capacity; /* bytes per microsecond */
    double drift;    /* how much the rates on it have changed since the share was worked out */
    double rate;     /* of the flows on it; LINK_NODE_UP and LINK_SPREAD only */
    uint64_t weight; /* of the flows on it; LINK_SPREAD: their load */
    VEC(struct rider) riders;
    uint32_t of;  /* LINK_NODE_UP: the node; LINK_SPREAD: the spread */
    uint8_t kind; /* enum link_kind */
    bool dirty;   /* in n->dirty */
    bool renewed; /* flows on it have begun or ended since its share was worked out */
};

/* Nodes of a rack from which wide flows come, as if over one link: the sum of theirs. */
struct spread {
    uint32_t link;
    uint32_t rack;
    VEC(uint32_t) nodes;
    uint64_t weight; /* of the flows from it */
    double drift;    /* how much their rates have changed since its nodes were told */
    uint32_t flows;
    bool dropped; /* no more will begin */
    bool whole;   /* all nodes of the rack: flows from some of them, it is not known which */
};

struct node_links {
    uint32_t rack;
    VEC(uint32_t) spreads; /* that the node is in; that of its rack is the first */
};

/* How fast a flow on a link could be as far as its other links go; for weight 1. */
struct limit {
    double rate;
    double weight; /* with which it counts on the link */
};

/* A link whose share has changed, and the lesser of its old and its new share: flows that are held
 * below that by another link keep their rates. */
struct change {
    uint32_t link;
    double low;
};

struct network {
    uint32_t node_count;
    bool rack_links;        /* without oversubscription they are never the narrowest: left out */
    bool alike;             /* all nodes have the same links */
    double most;            /* that a flow of weight 1 can have, as if over a link of its own */
    VEC(struct link) links; /* three for each node, two for each rack, no_link, and the spreads' */
    VEC(double) shares;     /* by link: what it offers to a flow of weight 1; of no_link: all */
    uint32_t no_link;
    struct node_links *nodes;
    VEC(struct spread) spreads; /* those of the racks first */
    VEC(uint32_t) spreads_free;
    VEC(struct flow) flows;
    uint32_t flow_free;
    VEC(uint32_t) dirty; /* links */
    VEC(struct change) changed;
    VEC(uint32_t) fresh;      /* flows */
    VEC(struct limit) limits; /* scratch */
    struct timeq *ends;
    uint64_t work;
};

/* The link on which all that a node sends leaves it. */
static inline uint32_t network_node_up(uint32_t node)
{
    return node * NETWORK_NODE_LINKS;
}

/* With how much weight a flow counts on a link. */
static inline uint32_t network_weight(const struct flow *f, const struct link *l)
{
    return l->kind == LINK_SPREAD ? f->load : f->weight;
}

/* The rates on a link have changed by this much in all. When that is much, its share is worked out
 * again at the next settle. */
void network_drift(struct network *n, uint32_t link, double by);

/* The flows from a spread have changed by this much: sooner or later its nodes are told. */
void network_drift_spread(struct network *n, uint32_t spread, double by);

/* Changes the rate of a flow in the books of the link it comes from. */
void network_set_rate(struct network *n, struct flow *f, double rate);

#endif
