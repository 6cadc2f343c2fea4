/* replay_world.c - makes outages from events about nodes, and keeps other external events.
 *
 * The simulator plans failures as outages: a node is down from a time on, for so long. A journal
 * has two events for each, and three special cases. A node that comes when the run has begun was
 * down until then. A coordinator that went on with a run tells all nodes down and up in one turn:
 * that outage lasts a microsecond, what had ended before is in the same turn, and only attempts are
 * lost. And an outage that begins when another ends is the same one.
 *
 * A node that comes back may hold more or less than before, which its event says, and which an
 * event of its own says of one that is up. Both become one that comes from outside. */
#include "commands/replay/replay_world.h"

#include <stdio.h>

#include "base/mem.h"

/* Of a resource: no node of a run has more. */
#define CAPACITY_MAX (1 << 30)

void replay_world_fini(struct replay_world *w)
{
    for (uint32_t i = 0; i < w->nodes.count; i++)
        mem_free(w->nodes.at[i].name);
    for (int i = 0; i < RES_COUNT; i++)
        mem_free(w->resources[i].name);
    vec_free(&w->nodes);
    vec_free(&w->outages);
    vec_free(&w->outside);
}

static void tell(struct replay_world *w, int64_t now_us, const struct event *e)
{
    struct sim_outside o = {now_us, *e};
    if (e->type == EV_NODE_UP)
        o.event.u.node.name = NULL; /* borrowed; the simulator knows it */
    vec_push(&w->outside, o);
}

/* ---- nodes ---- */

static bool is_capacity(const struct res *r)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (r->v[i] < 0 || r->v[i] > CAPACITY_MAX)
            return false;
    return true;
}

/* It may have come back as another; the simulator is told so at the same time. */
static void node_holds(struct replay_world *w, uint32_t node, int64_t now_us,
                       const struct res *capacity)
{
    struct replay_node *n = &w->nodes.at[node];
    if (res_equal(&n->holds, capacity))
        return;
    n->holds = *capacity;
    tell(w, now_us,
         &(struct event){
             .type = EV_NODE_CAPACITY, .node = {node}, .u.node = {.capacity = *capacity}});
}

static void node_down(struct replay_world *w, uint32_t node, int64_t now_us)
{
    struct replay_node *n = &w->nodes.at[node];
    struct cluster_outage *last = n->failed ? &w->outages.at[n->outage] : NULL;
    if (n->down)
        return;
    n->down = true;
    if (last && last->at_us + last->for_us >= now_us) {
        last->for_us = CLUSTER_FOR_GOOD;
        last->restart = false;
        return;
    }
    n->failed = true;
    n->outage = w->outages.count;
    vec_push(&w->outages, ((struct cluster_outage){node, now_us, CLUSTER_FOR_GOOD, false}));
}

/* True if it was down. */
static bool node_back(struct replay_world *w, uint32_t node, int64_t now_us)
{
    struct replay_node *n = &w->nodes.at[node];
    if (!n->down)
        return false;
    struct cluster_outage *o = &w->outages.at[n->outage];
    o->restart = now_us == o->at_us;
    o->for_us = o->restart ? 1 : now_us - o->at_us;
    n->down = false;
    return true;
}

static const char *node_new(struct replay_world *w, int64_t now_us, const struct event *e)
{
    if (e->node.v > w->nodes.count || e->u.node.rack >= NODES_MAX)
        return "a node or rack is not the next one";
    vec_push(&w->nodes, ((struct replay_node){.name = mem_strdup(e->u.node.name),
                                              .capacity = e->u.node.capacity,
                                              .holds = e->u.node.capacity,
                                              .rack = e->u.node.rack}));
    if (now_us > w->first_us) {
        node_down(w, e->node.v, 0);
        node_back(w, e->node.v, now_us);
    }
    return NULL;
}

static const char *node_event(struct replay_world *w, int64_t now_us, const struct event *e)
{
    bool has = e->type == EV_NODE_UP || e->type == EV_NODE_CAPACITY;
    if (has && !is_capacity(&e->u.node.capacity))
        return "a node cannot have this capacity";
    if (e->node.v >= w->nodes.count)
        return e->type == EV_NODE_UP ? node_new(w, now_us, e) : "the node is unknown";
    if (has)
        node_holds(w, e->node.v, now_us, &e->u.node.capacity);
    if (e->type == EV_NODE_DOWN)
        node_down(w, e->node.v, now_us);
    else if (e->type != EV_NODE_CAPACITY &&
             (!node_back(w, e->node.v, now_us) || e->type != EV_NODE_UP))
        tell(w, now_us, e);
    return NULL;
}

int64_t replay_world_down_us(const struct replay_world *w, struct node_id node)
{
    const struct replay_node *n = node.v < w->nodes.count ? &w->nodes.at[node.v] : NULL;
    return n && n->down ? w->outages.at[n->outage].at_us : INT64_MIN;
}

/* ---- everything ---- */

static void resource_event(struct replay_world *w, const struct event *e)
{
    struct cluster_resource *r = &w->resources[e->u.resource.which % RES_COUNT];
    if (r->name || !e->u.resource.name)
        return;
    *r = (struct cluster_resource){mem_strdup(e->u.resource.name), e->u.resource.kind};
}

const char *replay_world_event(struct replay_world *w, int64_t now_us, const struct event *e)
{
    if (!w->begun)
        w->first_us = now_us;
    w->begun = true;
    if (event_is_node(e->type))
        return node_event(w, now_us, e);
    if (e->type == EV_RESOURCE)
        resource_event(w, e);
    if (e->type == EV_JOB_CHANGED || e->type == EV_JOB_CANCELLED || e->type == EV_CORES ||
        e->type == EV_PRESSURE)
        tell(w, now_us, e);
    return NULL;
}

/* ---- the cluster ---- */

bool replay_world_apply(const struct replay_world *w, struct cluster *c)
{
    uint32_t up = 0;
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        c->nodes[i].capacity = w->nodes.at[i].capacity;
        up += !w->nodes.at[i].down;
    }
    vec_clear(&c->pressures); /* told as the run was, from its events */
    vec_clear(&c->outages);
    for (uint32_t i = 0; i < w->outages.count; i++)
        if (up > 0 || w->outages.at[i].for_us < CLUSTER_FOR_GOOD)
            vec_push(&c->outages, w->outages.at[i]);
    return up == 0 && w->nodes.count > 0;
}

bool replay_world_build(const struct replay_world *w, struct cluster *c)
{
    uint32_t racks = 1;
    char name[24];
    for (uint32_t i = 0; i < w->nodes.count; i++)
        racks = w->nodes.at[i].rack >= racks ? w->nodes.at[i].rack + 1 : racks;
    for (uint32_t i = 0; i < racks; i++) {
        snprintf(name, sizeof name, "r%u", i);
        cluster_add_rack(c, name);
    }
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        const struct replay_node *n = &w->nodes.at[i];
        struct cluster_node node = {.rack = n->rack, .speed = 1, .links = 1};
        /* Names are for people; where two are the same, the number has to do. */
        if (!n->name || cluster_add_node(c, n->name, &node) == UINT32_MAX) {
            snprintf(name, sizeof name, "node#%u", i);
            cluster_add_node(c, name, &node);
        }
    }
    for (int i = 0; i < RES_COUNT; i++)
        if (w->resources[i].name && !c->resources[i].name)
            c->resources[i] =
                (struct cluster_resource){mem_strdup(w->resources[i].name), w->resources[i].kind};
    return replay_world_apply(w, c);
}
