/* capacity.h - the cpu of all nodes ever seen, which is what clone budgets are shares of: a node
 * that goes down takes nothing away. */
#ifndef STATS_CAPACITY_H
#define STATS_CAPACITY_H

#include <stdint.h>

#include "base/vec.h"
#include "model/event.h"

/* Zero-initialise; free with capacity_fini. */
struct capacity {
    int64_t cpu;           /* of all */
    VEC(int32_t) node_cpu; /* by node id */
};

/* A node came up, or its capacity changed: EV_NODE_UP or EV_NODE_CAPACITY. */
static inline void capacity_see(struct capacity *c, const struct event *e)
{
    int32_t cpu = e->u.node.capacity.v[RES_CPU];

    while (c->node_cpu.count <= e->node.v)
        vec_push(&c->node_cpu, 0);
    c->cpu += cpu - c->node_cpu.at[e->node.v];
    c->node_cpu.at[e->node.v] = cpu;
}

static inline void capacity_fini(struct capacity *c)
{
    vec_free(&c->node_cpu);
}

#endif
