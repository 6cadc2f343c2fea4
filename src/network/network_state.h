/* network_state.h - private to network*.c: links, flows, and who is on what. */
#ifndef NETWORK_NETWORK_STATE_H
#define NETWORK_NETWORK_STATE_H

#include "base/timeq.h"
#include "base/vec.h"
#include "network/network.h"

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
    uint32_t load; /* of a wide flow on its spread's link: weight x pieces there / pieces wanted */
    uint32_t spread; /* that a wide flow comes from; SPREAD_NONE: it is narrow */
    uint32_t pieces; /* of a wide flow: of which it consists, without those of its parts */
    uint64_t order;  /* of a wide flow: how many had begun before it */
    uint32_t whole;  /* the wide flow that it is a part of; FLOW_NONE: of none */
    uint32_t parts;  /* of a wide flow: the first one that has not ended; FLOW_NONE: none */
    uint32_t part_next, part_prev;
    uint8_t parted; /* of a wide flow: how many parts it has got */
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

/* How fast a flow on a link could be as far as its other links go; for weight 1. */
struct limit {
    double rate;
    double weight; /* with which it counts on the link */
};

/* A node of a spread. While it is hot, flows from the spread have a part of their own from it and
 * the spread's link does without it. */
struct spread_node {
    uint32_t node;
    uint32_t pieces; /* of the spread's data that lie there */
    uint16_t size;   /* the same for nodes that have about as many */
    bool hot;
    uint64_t cooled; /* flows up to this order have had such a part before */
    double lag;      /* bytes for weight 1 by which it was behind the others at since_us */
    double deficit;  /* how fast that grows */
    int64_t since_us;
};

/* A hot node of a spread, or several that are alike. */
struct spread_hot {
    uint32_t at;     /* index of the node, or of one of them */
    uint32_t group;  /* the spread of just these; SPREAD_NONE: it is one node */
    uint32_t pieces; /* of the spread's data that lie there */
};

/* Nodes of a rack from which wide flows come, as if over one link: the sum of theirs. */
struct spread {
    uint32_t link;
    uint32_t rack;
    VEC(struct spread_node) nodes;
    VEC(struct spread_hot) hot;
    uint32_t hot_nodes;
    uint32_t pieces_all, pieces; /* of its data; on nodes that are not hot */
    bool uneven;                 /* nodes have more pieces than others */
    uint32_t flows;              /* on its link */
    uint32_t users;              /* wide flows from it that are not over: these, or parts of them */
    double size;                 /* bytes for weight 1 of the flow that began last */
    double drift;                /* how much their rates have changed since its nodes were told */
    VEC(struct limit) demand;    /* of its flows, by how fast their other links let them be */
    uint32_t overlap; /* scratch: pieces on nodes that it has in common with another one */
    uint32_t parents; /* of a group: spreads that it belongs to */
    bool group;       /* hot nodes of other spreads */
    bool dropped;     /* no more will begin */
    bool whole;       /* all nodes of the rack; of which of them a flow comes is not known */
    bool review;      /* in n->review_spreads */
};

/* A spread that a node is in, and its index there. */
struct node_spread {
    uint32_t spread, at;
};

struct node_links {
    uint32_t rack;
    VEC(struct node_spread) spreads; /* that of its rack is the first */
};

/* A node of a spread that lags: what it offers, and which kind it is of. */
struct lagging {
    uint32_t node;
    double share;
    uint64_t kind;
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
    VEC(uint32_t) fresh;         /* flows */
    VEC(struct limit) limits;    /* scratch */
    VEC(uint32_t) others;        /* scratch: spreads */
    VEC(struct lagging) lagging; /* scratch */
    VEC(uint32_t) review_nodes;  /* that may have become hot, or cool */
    VEC(uint32_t) review_spreads;
    uint32_t hot_max;    /* of a spread */
    uint32_t parts;      /* of wide flows, now */
    uint64_t wide_begun; /* wide flows, ever */
    uint64_t splits;     /* how often nodes have become hot */
    uint32_t wide;       /* now, from spreads whose nodes can be hot */
    uint32_t live, live_wide; /* flows, parts included; those from spreads */
    bool exact;               /* changes are followed to the end */
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

/* How many nodes of a spread are not hot: its link is the sum of theirs. */
static inline uint32_t network_cool(const struct spread *s)
{
    return s->nodes.count - s->hot_nodes;
}

/* The load on a spread of a flow of so many pieces from nodes that are not hot: if these are few,
 * their nodes are as busy with it as all would be with so much more. Flows of unknown pieces are as
 * many from one node as from another. */
static inline uint32_t network_load(const struct spread *s, uint32_t weight, uint32_t pieces)
{
    if (s->whole)
        return weight;
    uint64_t load = ((uint64_t)weight * s->pieces + pieces - 1) / pieces;
    return load < UINT32_MAX ? (uint32_t)load : UINT32_MAX;
}

/* Which part of the flows from a spread comes from a node of it that is not hot. */
static inline double network_fraction(const struct spread *s, const struct spread_node *x)
{
    return x->pieces / (double)s->pieces;
}

/* Bytes of a flow still to come, without its parts. */
static inline double network_left_alone(const struct flow *f, int64_t now_us)
{
    double left = f->left - f->rate * (double)(now_us - f->settled_us);
    return left > 0 ? left : 0;
}

/* A spread of nodes of one rack, or of no nodes. Without `pieces` each has one. (network_spread.c)
 */
uint32_t network_spread_add(struct network *n, uint32_t rack, const uint32_t *nodes,
                            const uint32_t *pieces, uint32_t count);

/* The index of a node in a spread; UINT32_MAX if it is not in it. (network_spread.c) */
uint32_t network_spread_index(const struct network *n, uint32_t spread, uint32_t node);

/* Frees a spread from which no flow comes and no more will. (network_spread.c) */
void network_spread_free_if_over(struct network *n, uint32_t spread);

/* A link of so many bytes per microsecond. (network.c) */
uint32_t network_link_add(struct network *n, double capacity, enum link_kind kind, uint32_t of);

/* A flow of so many pieces of a spread, without parts. (network.c) */
uint32_t network_begin_some(struct network *n, int64_t now_us, uint32_t spread, uint32_t pieces,
                            uint32_t to, double bytes, uint32_t weight);

/* A flow no longer rides on its links. (network.c) */
void network_leave(struct network *n, uint32_t flow);

/* Parts for the hot nodes of its spread, for a wide flow that has just begun. (network_hot.c) */
void network_hot_begin(struct network *n, int64_t now_us, uint32_t flow);

/* Nodes of one spread, among them that with this index, are hot from now on: all flows from it get
 * parts. The group has been made for them; SPREAD_NONE if it is one node. (network_hot.c) */
void network_hot_split(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot);

/* The opposite, for new flows. `hot` is an index into the spread's list. (network_hot.c) */
void network_hot_cool(struct network *n, uint32_t spread, uint32_t hot);

/* No flow comes from this spread any more. (network_hot.c) */
void network_hot_over(struct network *n, uint32_t spread);

/* True if there can be so many more hot nodes. (network_hot.c) */
bool network_hot_room(const struct network *n, const struct spread *s, uint32_t nodes);

/* Finds out which nodes have become hot or cool and does what follows from it. (network_lag.c) */
void network_lag_review(struct network *n, int64_t now_us);

/* The share that a link can offer now. (network_share.c) */
double network_level(struct network *n, uint32_t link);

/* The rates on a link have changed by this much in all. When that is much, its share is worked out
 * again at the next settle. */
void network_drift(struct network *n, uint32_t link, double by);

/* The flows from a spread have changed by this much: sooner or later its nodes are told. */
void network_drift_spread(struct network *n, uint32_t spread, double by);

/* Changes the rate of a flow in the books of the link it comes from. */
void network_set_rate(struct network *n, struct flow *f, double rate);

#endif
