/* cluster_keys.h - the keys of the cluster format: tables for key.h, and the struct of nodes. */
#pragma once

#include <stdint.h>

#include "inputs/cluster/cluster.h"
#include "inputs/config/key.h"

/* Lines `node` and `nodes` fill this one, `luck` and `faults` the structs of the same name,
 * `network` a struct wires, `down` a struct cluster_outage and `pressure` a struct
 * cluster_pressure. */
struct node_fields {
    struct cluster_node node;
    char *rack;     /* NULL: not given */
    uint32_t racks; /* 0: not given */
};

enum {
    CLUSTER_RESOURCE,
    CLUSTER_RACK,
    CLUSTER_NODE,
    CLUSTER_NODES,
    CLUSTER_LUCK,
    CLUSTER_FAULTS,
    CLUSTER_NETWORK,
    CLUSTER_DOWN,
    CLUSTER_PRESSURE,
    CLUSTER_KINDS,
};
extern const struct key_kind cluster_keys[CLUSTER_KINDS];
