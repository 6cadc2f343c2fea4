/* exec_node.h - the nodes of the run, as the brain sees them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct exec;

/* What chaos does to a node. */
struct exec_node {
    int64_t next_us;  /* when it fails or returns */
    uint32_t changes; /* how often it has; odd: it is down */
};

struct exec_nodes {
    struct exec_node *at; /* with chaos: one per node */
    uint32_t down;        /* taken away by chaos */
    bool paused;          /* none takes an attempt */
};

/* Returns true if chaos has taken the node away. */
bool exec_node_is_taken(const struct exec *x, uint32_t node);

/* Returns true if chaos has taken the node away, or its runner is away. */
bool exec_node_is_down(const struct exec *x, uint32_t node);

/* Emits an event of this type about the node, with its capacity if the type is EV_NODE_UP. */
void exec_node_emit_as(struct exec *x, uint32_t node, uint8_t type);

/* Emits whether the node is up, takes no attempts for now, or is down. */
void exec_node_emit(struct exec *x, uint32_t node);

/* Emits the resources that the cluster names. */
void exec_node_emit_resources(struct exec *x);

/* Emits the resources and the state of all nodes that are not down. */
void exec_node_emit_all(struct exec *x);

/* As exec_pause. */
void exec_node_pause(struct exec *x, bool pause);
