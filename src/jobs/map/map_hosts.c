#include "jobs/map/map_hosts.h"

#include "base/mem.h"

/* The name counts that the node has at its last return. */
void map_hosts_note(struct map_hosts *h, struct node_id node, const char *name)
{
    while (h->names.count <= node.v)
        vec_push(&h->names, NULL);
    mem_free(h->names.at[node.v]);
    h->names.at[node.v] = mem_strdup(name);
}

const char *map_hosts_name(const struct map_hosts *h, struct node_id node)
{
    return node.v < h->names.count ? h->names.at[node.v] : ":";
}

void map_hosts_fini(struct map_hosts *h)
{
    for (uint32_t i = 0; i < h->names.count; i++)
        mem_free(h->names.at[i]);
    vec_free(&h->names);
}
