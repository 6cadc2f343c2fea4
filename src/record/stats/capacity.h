/* capacity.h - the capacity of all nodes that are not down; clone budgets are shares of it. */
#pragma once

#include <stdbool.h>

#include "base/vec.h"
#include "core/model/event.h"

struct capacity_node {
    struct res has;
    bool there; /* it is not down */
};

/* Zero-initialise; free with capacity_fini. */
struct capacity {
    struct res_sum sum;              /* of all that are up */
    struct res_sum most;             /* the largest value of each so far */
    VEC(struct capacity_node) nodes; /* by node id */
};

/* Takes an event of a node: EV_NODE_UP, EV_NODE_DOWN or EV_NODE_CAPACITY. */
static inline void capacity_see(struct capacity *c, const struct event *e)
{
    while (c->nodes.count <= e->node.v)
        vec_push(&c->nodes, ((struct capacity_node){0}));
    struct capacity_node *n = &c->nodes.at[e->node.v];
    res_sum_add(&c->sum, &n->has, n->there ? -1 : 0);
    if (e->type != EV_NODE_DOWN)
        n->has = e->u.node.capacity;
    if (e->type != EV_NODE_CAPACITY)
        n->there = e->type == EV_NODE_UP;
    res_sum_add(&c->sum, &n->has, n->there ? 1 : 0);
    for (int i = 0; i < RES_COUNT; i++)
        c->most.v[i] = c->sum.v[i] > c->most.v[i] ? c->sum.v[i] : c->most.v[i];
}

static inline void capacity_fini(struct capacity *c)
{
    vec_free(&c->nodes);
}
