/* map_hosts.h - the hosts of attempts for job logs: the nodes of --on. */
#pragma once

#include "base/vec.h"
#include "core/model/id.h"

struct map_hosts {
    VEC(char *) names; /* by node, owned; NULL: it has not joined yet */
};

/* Records the name of a node that has joined. */
void map_hosts_note(struct map_hosts *h, struct node_id node, const char *name);

/* Returns the name of the node, or ":" for none. */
const char *map_hosts_name(const struct map_hosts *h, struct node_id node);

void map_hosts_fini(struct map_hosts *h);
