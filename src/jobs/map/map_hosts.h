/* map_hosts.h - where attempts ran, as job logs have it: the nodes of --on. */
#ifndef JOBS_MAP_MAP_HOSTS_H
#define JOBS_MAP_MAP_HOSTS_H

#include "base/vec.h"
#include "core/model/id.h"

struct map_hosts {
    VEC(char *) names; /* by node, owned; NULL: it has not come yet */
};

/* Notes the name of a node that has come. */
void map_hosts_note(struct map_hosts *h, struct node_id node, const char *name);

/* Returns what the node is called, or ":" for nowhere. */
const char *map_hosts_name(const struct map_hosts *h, struct node_id node);

void map_hosts_fini(struct map_hosts *h);

#endif
