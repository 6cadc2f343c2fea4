/* replay_world.h - the machines of a recorded run, and external events: when they failed, drained
 * and returned, when jobs were changed or cancelled. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "core/model/event.h"
#include "inputs/cluster/cluster.h"
#include "sim/sim.h"

struct replay_node {
    char *name;          /* owned; NULL: it has none */
    struct res capacity; /* when it was first seen ... */
    struct res holds;    /* ... and now */
    uint32_t rack;
    bool down;
    bool failed;     /* ever; then ... */
    uint32_t outage; /* ... its last outage */
};

/* Zero-initialise; free with replay_world_fini. */
struct replay_world {
    VEC(struct replay_node) nodes;
    struct cluster_resource resources[RES_COUNT];
    VEC(struct cluster_outage) outages; /* in order of their beginnings */
    VEC(struct sim_outside) outside;    /* in order of time */
    bool begun;                         /* the first turn was seen ... */
    int64_t first_us;                   /* ... at this time */
};

void replay_world_fini(struct replay_world *w);

/* Takes an event of a node, a resource, a user's change of a job, or spare cores, and ignores
 * others. Returns NULL, or why no run can have it. */
const char *replay_world_event(struct replay_world *w, int64_t now_us, const struct event *e);

/* Returns when the node went down, if it is down; else INT64_MIN. */
int64_t replay_world_down_us(const struct replay_world *w, struct node_id node);

/* Fills in nodes, resources and outages of a cluster that has none yet. Returns true if every node
 * was down in the end; those that went down last are then taken to be up again. */
bool replay_world_build(const struct replay_world *w, struct cluster *c);

/* Sets the capacities and outages of `cluster`, which has the same number of nodes. Returns true as
 * replay_world_build does. */
bool replay_world_apply(const struct replay_world *w, struct cluster *c);
