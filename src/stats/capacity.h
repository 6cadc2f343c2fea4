/* capacity.h - the cpu of all nodes that are not down, which is what clone budgets are shares of.
 */
#ifndef STATS_CAPACITY_H
#define STATS_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/event.h"

struct capacity_node {
    int32_t cpu;
    bool there; /* it is not down */
};

/* Zero-initialise; free with capacity_fini. */
struct capacity {
    int64_t cpu;                     /* of all that are there */
    VEC(struct capacity_node) nodes; /* by node id */
};

/* An event of a node: EV_NODE_UP, EV_NODE_DOWN or EV_NODE_CAPACITY. */
static inline void capacity_see(struct capacity *c, const struct event *e)
{
    while (c->nodes.count <= e->node.v)
        vec_push(&c->nodes, ((struct capacity_node){0}));
    struct capacity_node *n = &c->nodes.at[e->node.v];
    c->cpu -= n->there ? n->cpu : 0;
    if (e->type != EV_NODE_DOWN)
        n->cpu = e->u.node.capacity.v[RES_CPU];
    if (e->type != EV_NODE_CAPACITY)
        n->there = e->type == EV_NODE_UP;
    c->cpu += n->there ? n->cpu : 0;
}

static inline void capacity_fini(struct capacity *c)
{
    vec_free(&c->nodes);
}

#endif
