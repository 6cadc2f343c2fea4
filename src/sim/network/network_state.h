/* network_state.h - private to src/sim/network: links, flows, spreads, and which crosses which.
 * Read the essay in network.c first. */
#pragma once

#include "base/timeq.h"
#include "base/vec.h"
#include "sim/network/network.h"

/* The links of a node, by number; and the most that a flow crosses: up, out of a rack, into a rack,
 * down. */
enum { NODE_UP, NODE_DOWN, NODE_DISK, NODE_LINKS, FLOW_HOPS = 4 };
enum { RACK_UP, RACK_DOWN, RACK_LINKS };

/* A link that a flow crosses, and the flow's index among its riders. */
struct hop {
    uint32_t link, at;
};

/* A flow as a link sees it. Links are looked at far more often than flows begin, so all that a look
 * needs is side by side: the flow itself is touched only if its rate changes. */
struct rider {
    uint32_t flow;
    uint32_t other[FLOW_HOPS - 1]; /* the flow's other links, then network.no_link */
    double weight;                 /* on this link */
};

struct network_flow {
    double left; /* bytes at settled_us */
    double rate; /* bytes per microsecond since then */
    int64_t settled_us;
    int64_t queued_us;   /* time of its valid entry in the queue of ends */
    uint32_t generation; /* rises when the flow is over; marks queue entries as stale */
    uint64_t weight;     /* wherever it shares a link, but for these two: */
    uint64_t load;       /* on its spread's link (network_load) */
    uint64_t away;       /* on a rack's link up: without readers in that rack */
    uint32_t whole;      /* the wide flow that it is a subflow of; FLOW_NONE: of none */
    uint32_t bunch;      /* of readers that it is for; BUNCH_NONE: others */
    uint32_t part;       /* index of the bunch's part; without a bunch the read, or READ_NONE */
    uint32_t to;         /* node; NODE_ANY: several */
    uint32_t spread;     /* SPREAD_NONE: it is narrow, and the rest up to `parted` unused */
    uint32_t pieces;     /* of the spread's data that it carries, without its subflows */
    uint64_t order;      /* wide flows begun before it */
    uint32_t subflows;   /* the first one that has not ended; FLOW_NONE: none */
    uint32_t subflow_next, subflow_prev;
    uint8_t subflows_made; /* subflows made of it so far */
    uint8_t hops;
    bool fresh;                /* in network.fresh: its rate has to be worked out */
    struct hop hop[FLOW_HOPS]; /* the others are network.no_link */
};
#define SPREAD_NONE UINT32_MAX
#define BUNCH_NONE UINT32_MAX
#define CREW_NONE UINT32_MAX
#define NODE_ANY UINT32_MAX
#define RACK_ANY UINT32_MAX

/* Which flows use a link without riding on it. */
enum link_kind {
    LINK_PLAIN,     /* none */
    LINK_NODE_DOWN, /* none */
    LINK_RACK_UP,   /* none */
    LINK_RACK_DOWN, /* none */
    LINK_NODE_UP,   /* the node's share of the wide flows of the spreads that it is in */
    LINK_SPREAD,    /* all other data from the spread's nodes */
};

struct link {
    double capacity; /* bytes per microsecond */
    double drift;    /* how much the rates on it have changed since its share was worked out */
    double rate;     /* of the flows on it; LINK_NODE_DOWN and LINK_PLAIN have none */
    uint64_t weight; /* of the flows on it; LINK_SPREAD: their load */
    VEC(struct rider) riders;
    uint32_t of;  /* LINK_NODE_UP, LINK_NODE_DOWN: the node; LINK_SPREAD: the spread */
    uint8_t kind; /* enum link_kind */
    bool dirty;   /* in network.dirty */
    bool idle;    /* a rack's link that is not full: its share is infinite until it is */
    bool renewed; /* flows on it have begun or ended since its share was worked out */
};

/* How fast some flows could be, for weight 1, and their weight in all. */
struct limit {
    double rate, weight;
};

/* A node of a spread. While it is hot, flows from the spread have a subflow of their own from it,
 * and the spread's link does without it. */
struct spread_node {
    uint32_t node;
    uint32_t pieces; /* of the spread's data that lie there */
    uint16_t size;   /* equal for nodes with about as many pieces */
    bool hot;
    uint64_t cooled; /* flows up to this order have had a subflow from it */
    double lag;      /* bytes for weight 1 by which it was behind the others at since_us */
    double deficit;  /* bytes per microsecond by which that grows */
    int64_t since_us;
};

/* A hot node of a spread, or a group of nodes that are alike. */
struct spread_hot {
    uint32_t at;     /* index of the node, or of one of them */
    uint32_t group;  /* the spread of just these; SPREAD_NONE: it is one node */
    uint32_t pieces; /* of the spread's data that lie there */
};

/* Nodes of a rack from which wide flows come, as if over one link: the sum of theirs. */
struct spread {
    uint32_t link, rack;
    VEC(struct spread_node) nodes;
    VEC(struct spread_hot) hot;
    VEC(struct limit) demand; /* of its flows, in steps of how fast their other links let them be */
    uint32_t hot_nodes;
    uint32_t pieces_all, pieces; /* of its data; on nodes that are not hot */
    uint32_t flows;              /* on its link */
    uint32_t users;              /* flows of callers that are not over */
    double size;                 /* bytes for weight 1 of the flow that began last */
    double drift;     /* how much its flows have changed since its nodes' links learnt it */
    uint32_t overlap; /* scratch: pieces on nodes in common with another one */
    uint32_t parents; /* of a group: spreads that it belongs to */
    bool group;       /* hot nodes of other spreads */
    bool uneven;      /* some nodes have more pieces than others */
    bool dropped;     /* no more flows will begin */
    bool whole;       /* all nodes of the rack; those with data are not known */
    bool review;      /* in network.review_spreads */
};

/* A spread that a node is in, and its index there. */
struct node_spread {
    uint32_t spread, at;
};

struct network_node {
    uint32_t rack;
    uint32_t crew, crew_at;          /* that it is in, and its index there; or CREW_NONE */
    uint32_t newcomer;               /* scratch: its index among network.newcomers, and 1; or 0 */
    VEC(struct node_spread) spreads; /* that of its rack is the first */
};

/* ---- reads: network_bunch.c opens with the method ---- */

/* Nodes that receive the same. */
struct crew {
    uint32_t link; /* the sum of their links down */
    uint32_t rack; /* theirs; RACK_ANY: several, and the links into these are wide enough */
    bool marked;   /* scratch */
    VEC(uint32_t) nodes;
    VEC(uint32_t) bunches;
};

/* A source of the reads of a bunch. */
struct bunch_part {
    struct network_part is; /* of one read */
    uint32_t pieces;        /* of the spread, if it is wide */
    uint32_t flow;          /* for all reads of the bunch; FLOW_NONE: it is over */
    uint32_t rack;          /* of the source */
    uint32_t inside;        /* nodes of the crew in that rack */
};

/* Reads that are alike in everything: as many on each node of a crew. */
struct bunch {
    uint32_t crew, node; /* CREW_NONE: it is on one node, over that node's link down */
    uint32_t each;       /* reads on a node */
    uint32_t open;       /* parts that are not over */
    VEC(uint32_t) first; /* by node, in the order of the crew: a read; others by read.next */
    VEC(struct bunch_part) parts;
};

enum network_read_state {
    READ_WAITS,   /* for the next settle, in network.waiting */
    READ_FLOWS,   /* its number is in no list */
    READ_OVER,    /* in network.reads_over */
    READ_STOPPED, /* still in one of these lists */
};

struct network_read {
    uint64_t order;           /* reads begun before it */
    uint32_t to, bunch;       /* BUNCH_NONE: not yet, or over */
    uint32_t next;            /* on its node, of the bunch; READ_NONE: it is the last */
    uint32_t disk;            /* flow from its own node; FLOW_NONE: none, or over */
    uint8_t state;            /* enum network_read_state */
    double disk_bytes, bytes; /* of that; of all else */
    uint64_t hash;            /* READ_WAITS: of its parts, which are network.waiting_parts ... */
    uint32_t parts, count;    /* ... from here */
};

/* A read that is over. */
struct read_over {
    uint64_t order;
    uint32_t read;
};

/* Reads that have begun at this instant on one node. */
struct newcomer {
    uint64_t key;                /* equal for nodes that are alike; 0: it is like no other */
    uint32_t order, group;       /* in which they began; of the first node that is alike */
    uint32_t node, crew;         /* the crew that it was in */
    uint32_t first, last, count; /* its reads */
    bool alike;                  /* these are */
};

/* A link whose share has changed, and the lesser of its old and new shares: flows that another link
 * holds below that keep their rates. */
struct change {
    uint32_t link;
    double low;
};

struct network {
    uint32_t node_count;
    bool rack_links;        /* false: without oversubscription they are never the narrowest */
    bool alike;             /* all nodes have the same links */
    double most;            /* bytes per microsecond that a flow of weight 1 can have */
    VEC(struct link) links; /* of the nodes, two for each rack, no_link, and the spreads' */
    VEC(double) shares;     /* by link: share of a flow of weight 1; no_link: infinity */
    uint32_t no_link;
    struct network_node *nodes;
    VEC(struct spread) spreads; /* those of whole racks first */
    VEC(uint32_t) spreads_free;
    VEC(struct network_flow) flows;
    VEC(uint32_t) flows_free;
    uint32_t live, live_wide; /* flows, subflows included; those from spreads */
    bool exact;               /* changes are followed to the end */

    VEC(struct network_read) reads;
    VEC(uint32_t) reads_free;
    VEC(struct read_over) reads_over; /* for network_read_take ... */
    uint32_t reads_taken;             /* ... which has returned this many of them */
    uint64_t reads_begun;             /* ever */
    VEC(struct bunch) bunches;
    VEC(uint32_t) bunches_free;
    VEC(struct crew) crews;
    VEC(uint32_t) crews_free;
    uint32_t *busy;    /* by rack and RACK_UP or _DOWN: nodes that send or receive, or more */
    uint32_t busy_max; /* this many cannot fill the rack's link */

    /* Until the next settle. */
    VEC(uint32_t) crowded; /* racks that may be: network_read_part_crowded */
    VEC(uint32_t) waiting; /* reads that have begun */
    VEC(struct bunch_part) waiting_parts;
    VEC(struct newcomer) newcomers;             /* scratch */
    VEC(uint32_t) leaving;                      /* scratch: nodes */
    VEC(uint32_t) dirty;                        /* links whose shares have to be worked out */
    VEC(uint32_t) fresh;                        /* flows */
    VEC(uint32_t) review_nodes, review_spreads; /* that may have become hot, or cool */

    VEC(struct change) changed; /* scratch */
    VEC(double)
    limits;                    /* scratch: how fast the flows on a link could be as far as their
                                * other links go, for weight 1; at the end infinity ... */
    VEC(double) limit_weights; /* ... and their weight on the link; at the end 0 */
    VEC(uint32_t) others;      /* scratch: spreads */

    uint32_t hot_max;    /* of a spread */
    uint32_t subflows;   /* of wide flows, now */
    uint32_t wide;       /* wide flows from spreads whose nodes can be hot, now */
    uint64_t wide_begun; /* wide flows, ever */
    uint64_t splits;     /* times that nodes have become hot, or a crew's rack crowded */
    struct timeq *ends;
    uint64_t work; /* inspections of a flow's speed by network_settle */
};

static inline uint32_t network_node_link(uint32_t node, uint32_t which)
{
    return node * NODE_LINKS + which;
}

static inline uint32_t network_rack_link(const struct network *n, uint32_t rack, uint32_t which)
{
    return n->node_count * NODE_LINKS + rack * RACK_LINKS + which;
}

/* The weight of a flow on a link. */
static inline uint64_t network_weight(const struct network_flow *f, const struct link *l)
{
    return l->kind == LINK_SPREAD ? f->load : l->kind == LINK_RACK_UP ? f->away : f->weight;
}

/* Nodes of a spread that are not hot: its link is the sum of theirs. */
static inline uint32_t network_cool(const struct spread *s)
{
    return s->nodes.count - s->hot_nodes;
}

/* The load on a spread of a flow that carries this many pieces: those of a few nodes keep them as
 * busy as pieces of all nodes would with more weight. Where pieces are unknown all nodes are
 * equally likely. */
static inline uint64_t network_load(const struct spread *s, uint64_t weight, uint32_t pieces)
{
    return s->whole ? weight : (weight * s->pieces + pieces - 1) / pieces;
}

/* The share of the flows from a spread that a node of it has which is not hot. */
static inline double network_fraction(const struct spread *s, const struct spread_node *x)
{
    return x->pieces / (double)s->pieces;
}

/* Bytes of a flow still to come, without its subflows. */
static inline double network_left_alone(const struct network_flow *f, int64_t now_us)
{
    double left = f->left - f->rate * (double)(now_us - f->settled_us);
    return left > 0 ? left : 0;
}

/* Returns the least share that a rider's other links offer. Without links of racks there is one
 * other. */
static inline double network_rider_limit(const double *shares, const struct rider *r, bool racks)
{
    double least = shares[r->other[0]];
    if (racks) {
        double b = shares[r->other[1]], c = shares[r->other[2]];
        least = b < least ? b : least;
        least = c < least ? c : least;
    }
    return least;
}

#define NETWORK_DRIFT_MAX (1.0 / 16) /* of a link's capacity */
#define NETWORK_RATE_NEAR 1e-9       /* rates that differ by less are the same */
enum { NETWORK_EXACT_STEPS = 1000 }; /* rounds and passes of an exact solution: it needs a few */

/* From the ground up: each file calls only those above it, and network.c all of them. */

/* ---- network_sink.c ---- */

/* Where flows go: a node, or a crew. */
struct sink {
    uint32_t to, one; /* node, or NODE_ANY; the node, or one of them */
    uint32_t link;    /* down */
    uint32_t rack;    /* RACK_ANY: several */
    uint32_t nodes;   /* of the crew, or 1 */
    uint32_t inside;  /* of these, in the rack of the source, if the rack is RACK_ANY */
};

/* Returns the sink that is a node, that of a part of a bunch, and that of a flow. */
struct sink network_sink_node(const struct network *n, uint32_t node);
struct sink network_sink_bunch(const struct network *n, uint32_t bunch, uint32_t part);
struct sink network_sink_flow(const struct network *n, uint32_t flow);

/* ---- network_share.c ---- */

/* Adds a link and returns its number. */
uint32_t network_share_add_link(struct network *n, double capacity, enum link_kind kind,
                                uint32_t of);

/* Returns the share that a link can offer now. */
double network_share_level(struct network *n, uint32_t link);

/* Has the share of a link worked out at the next settle. */
void network_share_dirty(struct network *n, uint32_t link);

/* Notes that the rates on a link have changed by this much in all, or those of the flows from a
 * spread, which its nodes' links learn sooner or later. Much of it makes a link dirty. */
static inline void network_share_drift(struct network *n, uint32_t link, double by)
{
    struct link *l = &n->links.at[link];
    l->drift += by;
    if (l->idle ? l->rate > l->capacity * (1 + NETWORK_RATE_NEAR)
                : n->exact || l->drift > NETWORK_DRIFT_MAX * l->capacity)
        network_share_dirty(n, link);
}
void network_share_drift_spread(struct network *n, uint32_t spread, double by);

/* Notes that this many more nodes of a rack, or fewer, send (RACK_UP) or receive something. */
void network_share_busy(struct network *n, uint32_t rack, uint32_t which, uint32_t more);

/* Changes the rate of a flow, also in the sum of its first link. */
void network_share_set_rate(struct network *n, struct network_flow *f, double rate);

/* ---- network_spread.c ---- */

/* Adds a spread of nodes of one rack, or of no nodes. Without `pieces` each node has one. */
uint32_t network_spread_add(struct network *n, uint32_t rack, const uint32_t *nodes,
                            const uint32_t *pieces, uint32_t count);

/* Returns the index of a node in a spread; UINT32_MAX if it is not in it. */
uint32_t network_spread_index(const struct network *n, uint32_t spread, uint32_t node);

/* Cools the nodes of a spread that is used no more and, if it was dropped, frees it. To be called
 * when a flow from it, or a caller's use of it, is over. */
void network_spread_left(struct network *n, uint32_t spread);

/* Returns true if that many more nodes can be hot. */
bool network_spread_may_heat(const struct network *n, const struct spread *s, uint32_t nodes);

/* Returns how many nodes are hot together, and the k-th of them, as a node of the spread. */
uint32_t network_spread_hot_count(const struct network *n, struct spread_hot hot);
struct spread_node *network_spread_hot_node(struct network *n, uint32_t spread,
                                            struct spread_hot hot, uint32_t k);

/* Changes the weight of a flow, and its load. */
void network_spread_reweigh(struct network *n, uint32_t flow, uint64_t weight);

/* Fits the link of a spread to the number of its nodes that are not hot, which has changed. */
void network_spread_resize(struct network *n, struct spread *s);

/* Cools a hot node or group, for new flows. `hot` is an index into the spread's list. */
void network_spread_cool(struct network *n, uint32_t spread, uint32_t hot);

/* ---- network_flow.c ---- */

/* Begins a flow from a node. */
uint32_t network_flow_begin(struct network *n, int64_t now_us, uint32_t from, struct sink to,
                            double bytes, uint64_t weight);

/* Begins a flow of this many pieces of a spread, without subflows. */
uint32_t network_flow_begin_some(struct network *n, int64_t now_us, uint32_t spread,
                                 uint32_t pieces, struct sink to, double bytes, uint64_t weight);

/* Takes a share of a flow and its subflows out, as a flow of its own to another sink: `take` of
 * `of`, and if that is all, the old one is over. Returns it. */
uint32_t network_flow_divide(struct network *n, int64_t now_us, uint32_t flow, uint32_t take,
                             uint32_t of, struct sink to);

/* Takes a flow off its links, with all its subflows, and frees its number. */
void network_flow_drop(struct network *n, uint32_t flow);

/* Frees the number of a flow that a caller or a bunch began, and that is over. */
void network_flow_free(struct network *n, uint32_t flow);

/* Frees the number of a subflow that is over. */
void network_flow_free_subflow(struct network *n, uint32_t subflow);

/* Takes a flow off its links. */
void network_flow_leave(struct network *n, uint32_t flow);

/* ---- network_bunch.c ---- */

/* Makes a crew of these nodes, which are in none, and returns its number. */
uint32_t network_bunch_crew(struct network *n, const uint32_t *nodes, uint32_t count,
                            uint32_t rack);

/* Divides a crew: these nodes of it become one of their own, of another rack perhaps. Returns its
 * number, or CREW_NONE for a single node, which needs none. */
uint32_t network_bunch_divide(struct network *n, int64_t now_us, uint32_t crew,
                              const uint32_t *nodes, uint32_t count, uint32_t rack);

/* Takes a node out of its crew, if it is in one: its link down is no longer for the same. */
void network_bunch_leave(struct network *n, int64_t now_us, uint32_t node);

/* Adds a bunch that reads these parts, without reads and flows; returns its number. */
uint32_t network_bunch_add(struct network *n, uint32_t crew, uint32_t node,
                           const struct bunch_part *parts, uint32_t count);

/* Frees a bunch whose flows are over, and its crew with the last one. */
void network_bunch_free(struct network *n, uint32_t bunch);

/* What crosses a rack's link down unseen by it, in bytes per microsecond. */
double network_bunch_unseen(const struct network *n, uint32_t rack);

/* ---- network_split.c ---- */

/* Makes the subflows from hot nodes of a wide flow that has just begun. */
void network_split_flow(struct network *n, int64_t now_us, uint32_t flow);

/* Makes a node or a group hot: all flows from the spread get subflows. Fills in hot.pieces. */
void network_split(struct network *n, int64_t now_us, uint32_t spread, struct spread_hot hot);

/* ---- network_read.c ---- */

/* Makes bunches of all reads that have begun. */
void network_read_settle(struct network *n, int64_t now_us);

/* Takes the nodes of crowded racks out of crews with those of other racks: more of them receive
 * than the rack's link down is sure to carry, or its link up is full, which only the others
 * cross. */
void network_read_part_crowded(struct network *n, int64_t now_us);

/* Notes that a flow for a bunch, or from a reader's own disk, is over, with its subflows. */
void network_read_flow_over(struct network *n, uint32_t bunch, uint32_t part);

/* ---- network_lag.c ---- */

/* Finds out which of the nodes under review have become hot or cool, and splits or cools them. */
void network_lag_review(struct network *n, int64_t now_us);
