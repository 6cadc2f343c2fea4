/* locality.c - where: a node that holds the task's input, else one in the same rack, else any.
 *
 * A task does not wait: when no node near its data has room, it runs elsewhere at once. A node
 * where the task has an attempt already is passed over, as everywhere. */
#include "core/parts/parts.h"
#include "core/place/place.h"

struct node_id locality_pick(const struct part_ctx *s, struct racks *racks, const struct phase *p,
                             uint32_t task, struct place_luck luck)
{
    const struct world *w = s->world;
    if (!p->replica_from)
        return place_pick_any(s, p, task, luck);
    uint64_t bits = place_luck_bits(luck);
    uint32_t first = p->replica_from[task], count = p->replica_from[task + 1] - first;
    for (uint32_t i = 0; i < count; i++) {
        struct node_id node = p->replicas[first + (bits + i) % count];
        if (node.v < w->nodes.count && place_fits(w, p, task, node.v))
            return node;
    }
    racks_update(racks, w);
    for (uint32_t i = 0; i < count; i++) {
        struct node_id near = p->replicas[first + (bits + i) % count];
        if (near.v >= w->nodes.count)
            continue;
        struct node_id node = place_pick_rack(w, racks, w->nodes.at[near.v].rack, p, task, bits);
        if (node.v != NODE_NONE.v)
            return node;
    }
    return place_pick_any(s, p, task, luck);
}

static struct node_id pick_local(const struct part_ctx *s, const struct phase *p, uint32_t task,
                                 struct place_luck luck)
{
    return locality_pick(s, s->state, p, task, luck);
}

static void locality_fini(const struct part_ctx *s)
{
    racks_fini(s->state);
}

const struct place_ops locality_place = {
    .part = {.name = "locality",
             .help = "a node that holds the input, else its rack, else any",
             .state_size = sizeof(struct racks),
             .fini = locality_fini},
    .pick = pick_local,
};
