/* place.c - where: any node with room, from a random one on.
 *
 * The search begins at a point that belongs to the attempt, so the load spreads evenly and attempt
 * k of a task begins at the same node under every policy. A node where the task has an attempt
 * already is taken only when no other has room: what slows one attempt down may be the node. */
#include "core/place/place.h"

#include "core/parts/parts.h"

bool place_has_copy(const struct world *w, const struct phase *p, uint32_t task, uint32_t node)
{
    const struct job *lead = job_lead(p->job);
    if (task_is_on(w, &lead->phases[p->index].tasks[task], node))
        return true;
    for (const struct job *j = lead->copies; j; j = j->next)
        if (task_is_on(w, &j->phases[p->index].tasks[task], node))
            return true;
    return false;
}

bool place_fits(const struct world *w, const struct phase *p, uint32_t task, uint32_t node)
{
    return fit_index_fits(&w->fit, node, &p->demand) && !place_has_copy(w, p, task, node);
}

struct node_id place_pick_rack(const struct world *w, const struct racks *racks, uint32_t rack,
                               const struct phase *p, uint32_t task, uint64_t luck)
{
    for (uint32_t k = 0, size = racks_size(racks, rack); k < size; k++) {
        uint32_t node = racks_node(racks, rack, luck % size + k);
        if (place_fits(w, p, task, node))
            return (struct node_id){node};
    }
    return NODE_NONE;
}

struct node_id place_pick_any(const struct part_ctx *s, const struct phase *p, uint32_t task,
                              struct place_luck luck)
{
    const struct world *w = s->world;
    if (w->nodes.count == 0)
        return NODE_NONE;
    uint32_t first = fit_index_only(&w->fit, p->fit);
    if (first == FIT_NONE)
        first = fit_index_find(&w->fit, p->fit, (uint32_t)(place_luck_bits(luck) % w->nodes.count));
    uint32_t node = first, tries = phase_live_attempts(p, task);
    if (tries == 0)
        return (struct node_id){first};
    /* Each sibling can spoil one node at most, so this ends after `live` steps. */
    for (; tries > 0 && node != FIT_NONE && place_has_copy(w, p, task, node); tries--)
        node = fit_index_find(&w->fit, p->fit, node + 1);
    if (node == FIT_NONE || place_has_copy(w, p, task, node))
        node = first;
    return (struct node_id){node};
}

const struct place_ops place_any = {
    .part = {.name = "any",
             .help = "any node with room, another one than the task's other attempts if possible"},
    .pick = place_pick_any,
};
