/* sim_node.c - nodes: room for attempts, failures and repairs. A failure loses what runs on the
 * node and the outputs that lie there, unless these are on a disk that others see as well. Nodes
 * fail as the cluster plans it, others at random. */
#include "base/rng.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

/* The k-th failure of a node and the repair after it: two draws of one stream. */
enum node_wait { WAIT_FAILURE, WAIT_REPAIR };

static void push_return(struct sim *s, uint32_t node, int64_t wait_us)
{
    s->nodes_returning++;
    sim_push(s, wait_us, ENTRY_NODE_RETURNS, 0, node);
}

static void push_wait(struct sim *s, uint32_t node, enum node_wait what)
{
    const struct faults *faults = &s->cluster->faults;
    if (faults->node_mtbf_us <= 0 || s->nodes[node].planned)
        return;
    struct rng r = rng_stream(s->seed, RNG_NODE_FAIL, node, s->nodes[node].failures, 0, 0);
    double wait = (double)faults->node_mtbf_us * rng_exponential(&r);
    if (what == WAIT_REPAIR)
        wait = (double)faults->node_repair_us * rng_exponential(&r);
    /* At least a microsecond, so that a node is never up and down at the same time. */
    int64_t wait_us = wait < (double)LUCK_US_MAX ? (int64_t)wait + 1 : LUCK_US_MAX;
    if (what == WAIT_REPAIR)
        push_return(s, node, wait_us);
    else
        sim_push(s, wait_us, ENTRY_NODE_FAILS, NODE_FAILS, node);
}

const struct res *sim_node_capacity(const struct sim *s, uint32_t node)
{
    return s->resized ? &s->resized[node] : &s->cluster->nodes[node].capacity;
}

void sim_node_resize(struct sim *s, uint32_t node, const struct res *capacity)
{
    uint32_t count = s->cluster->node_count;
    check(node < count);
    if (!s->resized) {
        struct res *all = mem_zalloc(count, sizeof *all);
        for (uint32_t n = 0; n < count; n++)
            all[n] = s->cluster->nodes[n].capacity;
        s->resized = all;
    }
    res_sub(&s->nodes[node].free, &s->resized[node]);
    res_add(&s->nodes[node].free, capacity);
    s->resized[node] = *capacity;
}

static void node_comes(struct sim *s, uint32_t node)
{
    check(!s->nodes[node].up);
    const struct cluster_node *is = &s->cluster->nodes[node];
    s->nodes[node].up = true;
    s->nodes_up++;
    struct event *e = sim_emit(s, EV_NODE_UP, CAUSE_NONE, (struct attempt_ref){0}, node);
    e->u.node.capacity = *sim_node_capacity(s, node);
    e->u.node.rack = is->rack;
    e->u.node.name = is->name;
    push_wait(s, node, WAIT_FAILURE);
}

void sim_node_returns(struct sim *s, uint32_t node)
{
    uint32_t next;
    s->nodes_returning--;
    /* What was to be told lost later is, before it is back. */
    for (uint32_t i = s->nodes[node].first; i != NO_ATTEMPT; i = next) {
        next = s->links.at[i].next;
        if (sim_attempt_lives(&s->attempts.at[i]))
            sim_attempt_lost(s, i);
    }
    node_comes(s, node);
}

static void plan_outages(struct sim *s)
{
    for (uint32_t i = 0; i < s->cluster->outages.count; i++) {
        const struct cluster_outage *o = &s->cluster->outages.at[i];
        s->nodes[o->node].planned = true;
        sim_push(s, o->at_us, ENTRY_NODE_FAILS, o->restart ? NODE_RESTARTS_LAST : NODE_FAILS,
                 o->node);
        if (o->for_us < CLUSTER_FOR_GOOD)
            push_return(s, o->node, o->at_us + o->for_us);
    }
}

static void plan_pressures(struct sim *s)
{
    for (uint32_t i = 0; i < s->cluster->pressures.count; i++) {
        const struct cluster_pressure *p = &s->cluster->pressures.at[i];
        sim_push(s, p->at_us, ENTRY_OUTSIDE, 0, 2 + 2 * i);
        if (p->for_us < CLUSTER_FOR_GOOD)
            sim_push(s, p->at_us + p->for_us, ENTRY_OUTSIDE, 0, 3 + 2 * i);
    }
}

/* A node that is down says nothing, and what its disk does when it is back nobody knows. */
void sim_node_press(struct sim *s, uint32_t i)
{
    const struct cluster_pressure *p = &s->cluster->pressures.at[i / 2];
    if (!s->nodes[p->node].up)
        return;
    struct event *e = sim_emit(s, EV_PRESSURE, CAUSE_NONE, (struct attempt_ref){0}, p->node);
    e->u.pressure.disk = i % 2 ? 0 : (int32_t)(p->disk * 1000);
    e->u.pressure.memory = i % 2 ? 0 : (int32_t)(p->memory * 1000);
}

void sim_node_init(struct sim *s)
{
    uint32_t count = s->cluster->node_count;
    s->nodes_fail = s->cluster->faults.node_mtbf_us > 0 || s->cluster->outages.count > 0;
    pool_reserve(&s->node_pool, count);
    s->nodes = s->node_pool.at;
    for (uint8_t i = 0; i < RES_COUNT; i++) {
        const struct cluster_resource *is = &s->cluster->resources[i];
        if (!is->name)
            continue;
        struct event *e =
            sim_emit(s, EV_RESOURCE, CAUSE_NONE, (struct attempt_ref){0}, NODE_NONE.v);
        e->u.resource.which = i;
        e->u.resource.kind = (uint8_t)is->kind;
        e->u.resource.name = is->name;
    }
    for (uint32_t n = 0; n < count; n++) {
        const struct cluster_node *is = &s->cluster->nodes[n];
        s->nodes[n] = (struct sim_node){.free = is->capacity, .speed = is->speed};
        s->nodes_fail |= is->lose > 0;
    }
    plan_outages(s);
    plan_pressures(s);
    for (uint32_t n = 0; n < count; n++)
        node_comes(s, n);
}

/* Whether outputs survive the failure that is at hand. */
static bool keeps_outputs(const struct sim *s, uint32_t node)
{
    double keep_p = s->cluster->faults.node_keep_p;
    struct rng r = rng_stream(s->seed, RNG_NODE_FAIL, node, s->nodes[node].failures, 1, 0);
    return keep_p > 0 && rng_unit(&r) < keep_p;
}

/* Whoever ends a node may end what runs there first. Within the time of doubt the node follows. */
static void node_ends(struct sim *s, uint32_t node)
{
    struct sim_node *is = &s->nodes[node];
    struct rng r = rng_stream(s->seed, RNG_NODE_FAIL, node, is->failures, 2, 0);
    is->ending = true;
    for (uint32_t i = is->first; i != NO_ATTEMPT; i = s->links.at[i].next)
        sim_attempt_node_ends(s, i);
    sim_push(s, (int64_t)rng_below(&r, (uint64_t)s->cluster->faults.doubt_us), ENTRY_NODE_FAILS,
             NODE_FAILS, node);
}

void sim_node_fails(struct sim *s, uint32_t node, enum node_failure how)
{
    struct sim_node *is = &s->nodes[node];
    check(is->up && s->nodes_fail);
    if (how == NODE_RESTARTS_LAST) { /* behind all that is due now */
        sim_push(s, 0, ENTRY_NODE_FAILS, NODE_RESTARTS, node);
        return;
    }
    if (s->cluster->faults.doubt_us > 0 && !is->planned && !is->ending) {
        node_ends(s, node);
        return;
    }
    is->ending = false;
    is->up = false;
    s->nodes_up--;
    sim_emit(s, EV_NODE_DOWN, CAUSE_NONE, (struct attempt_ref){0}, node);

    uint32_t next;
    bool empty = true;
    for (uint32_t i = is->first; i != NO_ATTEMPT; i = next) {
        next = s->links.at[i].next;
        if (sim_attempt_lives(&s->attempts.at[i]))
            empty &= sim_attempt_node_fails(s, i);
    }
    bool keeps = how == NODE_RESTARTS || keeps_outputs(s, node);
    for (uint32_t i = is->first; i != NO_ATTEMPT && !keeps; i = next) {
        next = s->links.at[i].next;
        if (!sim_attempt_lives(&s->attempts.at[i]))
            sim_output_lost(s, i, CAUSE_NODE_DOWN);
    }
    sim_output_target_gone(s, node);
    sim_input_node_down(s, node);
    check(!empty || res_equal(&is->free, sim_node_capacity(s, node)));
    push_wait(s, node, WAIT_REPAIR);
    is->failures++;
}
