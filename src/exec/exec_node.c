/* exec_node.c - the nodes of the run, as the brain sees them. */
#include "exec/exec_node.h"

#include "exec/exec_state.h"

bool exec_node_is_taken(const struct exec *x, uint32_t node)
{
    return x->nodes.at && x->nodes.at[node].changes % 2;
}

bool exec_node_is_down(const struct exec *x, uint32_t node)
{
    return exec_node_is_taken(x, node) ||
           x->runners.at[x->runners.of[node]].presence == RUNNER_AWAY;
}

void exec_node_emit_as(struct exec *x, uint32_t node, uint8_t type)
{
    const struct cluster_node *n = &x->options.cluster->nodes[node];
    struct event *e = exec_emit(x, type, (struct attempt_ref){0}, (struct node_id){node});

    if (type != EV_NODE_UP)
        return;
    e->u.node.capacity = n->capacity;
    e->u.node.rack = n->rack;
    e->u.node.name = n->name;
}

void exec_node_emit(struct exec *x, uint32_t node)
{
    uint8_t presence = x->runners.at[x->runners.of[node]].presence;

    exec_node_emit_as(x, node,
                      exec_node_is_down(x, node)                      ? EV_NODE_DOWN
                      : presence == RUNNER_SILENT                     ? EV_NODE_SUSPECT
                      : x->nodes.paused || presence == RUNNER_LEAVING ? EV_NODE_DRAIN
                                                                      : EV_NODE_UP);
}

void exec_node_emit_resources(struct exec *x)
{
    for (uint8_t i = 0; i < RES_COUNT; i++) {
        const struct cluster_resource *r = &x->options.cluster->resources[i];
        if (!r->name)
            continue;
        struct event *e = exec_emit(x, EV_RESOURCE, (struct attempt_ref){0}, NODE_NONE);
        e->u.resource.which = i;
        e->u.resource.kind = (uint8_t)r->kind;
        e->u.resource.name = r->name;
    }
}

void exec_node_emit_all(struct exec *x)
{
    exec_node_emit_resources(x);
    for (uint32_t i = 0; i < x->options.cluster->node_count; i++)
        if (!exec_node_is_down(x, i))
            exec_node_emit(x, i);
}

void exec_node_pause(struct exec *x, bool pause)
{
    if (x->nodes.paused == pause)
        return;
    x->nodes.paused = pause;
    exec_due(x, EXEC_DUE_LAUNCH, 0);
    exec_node_emit_all(x);
}
