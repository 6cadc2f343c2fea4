/* locality.c - where: a node that holds the task's input, else one in the same rack, else any.
 *
 * A task waits for nothing: when no node near its data has room it goes elsewhere at once. A node
 * where the task has an attempt already is passed over, as everywhere. */
#include "base/vec.h"
#include "policy/parts.h"
#include "policy/place.h"

/* The nodes by rack: members of rack r are by_rack[from[r]] .. by_rack[from[r + 1] - 1]. */
struct locality {
    VEC(uint32_t) from, by_rack;
};

static void sort_by_rack(struct locality *d, const struct world *w)
{
    uint32_t racks = 0;
    for (uint32_t i = 0; i < w->nodes.count; i++)
        racks = w->nodes.at[i].rack >= racks ? w->nodes.at[i].rack + 1 : racks;
    vec_clear(&d->from);
    vec_clear(&d->by_rack);
    for (uint32_t r = 0; r <= racks; r++)
        vec_push(&d->from, 0);
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        d->from.at[w->nodes.at[i].rack + 1]++;
        vec_push(&d->by_rack, 0);
    }
    for (uint32_t r = 0; r < racks; r++)
        d->from.at[r + 1] += d->from.at[r];
    /* Fill from the back, so that each start ends where it belongs. */
    for (uint32_t i = w->nodes.count; i-- > 0;)
        d->by_rack.at[--d->from.at[w->nodes.at[i].rack + 1]] = i;
    for (uint32_t r = 0; r < racks; r++)
        d->from.at[r] = d->from.at[r + 1];
    d->from.at[racks] = w->nodes.count;
}

static bool takes(const struct world *w, const struct phase *p, uint32_t task, uint32_t node)
{
    return fit_index_fits(&w->fit, node, &p->demand) &&
           !place_has_copy(w, p, task, node);
}

static struct node_id pick_local(const struct seat *s, const struct phase *p, uint32_t task,
                                 uint64_t luck)
{
    struct locality *d = s->state;
    const struct world *w = s->world;
    if (!p->replica_from)
        return place_pick_any(s, p, task, luck);
    uint32_t first = p->replica_from[task], count = p->replica_from[task + 1] - first;
    for (uint32_t i = 0; i < count; i++) {
        struct node_id node = p->replicas[first + (luck + i) % count];
        if (node.v < w->nodes.count && takes(w, p, task, node.v))
            return node;
    }
    if (d->by_rack.count != w->nodes.count)
        sort_by_rack(d, w);
    for (uint32_t i = 0; i < count; i++) {
        struct node_id near = p->replicas[first + (luck + i) % count];
        if (near.v >= w->nodes.count)
            continue;
        uint32_t rack = w->nodes.at[near.v].rack;
        uint32_t from = d->from.at[rack], size = d->from.at[rack + 1] - from;
        for (uint32_t k = 0; k < size; k++) {
            uint32_t node = d->by_rack.at[from + (luck + k) % size];
            if (takes(w, p, task, node))
                return (struct node_id){node};
        }
    }
    return place_pick_any(s, p, task, luck);
}

static void locality_fini(const struct seat *s)
{
    struct locality *d = s->state;
    vec_free(&d->from);
    vec_free(&d->by_rack);
}

const struct place_ops place_locality = {
    .part = {"locality", "a node that holds the input, else its rack, else any", NULL, 0,
             sizeof(struct locality)},
    .fini = locality_fini,
    .pick = pick_local,
};
