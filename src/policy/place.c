/* place.c - where: any node with room, from a random one on.
 *
 * The search begins at a point that belongs to the attempt, so the load spreads evenly and attempt
 * k of a task begins at the same node under every policy. A node where the task has an attempt
 * already is taken only when no other has room: what slows one attempt down may be the node. */
#include "policy/place.h"

#include "policy/parts.h"

bool place_has_sibling(const struct world *w, const struct task *t, uint32_t node)
{
    for (uint32_t i = t->attempts; i != SLOT_NONE; i = world_attempt(w, i)->next) {
        const struct attempt *a = world_attempt(w, i);
        if (a->node.v == node && a->state != ATTEMPT_FINISHED)
            return true;
    }
    return false;
}

struct node_id place_pick_any(const struct seat *s, const struct phase *p, uint32_t task,
                              uint64_t luck)
{
    const struct world *w = s->world;
    const struct task *t = &p->tasks[task];
    if (w->nodes.count == 0)
        return NODE_NONE;
    uint32_t first = fit_index_find(&w->fit, p->fit, (uint32_t)(luck % w->nodes.count));
    uint32_t node = first;
    /* Each sibling can spoil one node at most, so this ends after `live` steps. */
    for (uint32_t tries = t->live; tries > 0 && node != FIT_NONE && place_has_sibling(w, t, node);
         tries--)
        node = fit_index_find(&w->fit, p->fit, node + 1);
    if (node == FIT_NONE || place_has_sibling(w, t, node))
        node = first;
    return (struct node_id){node};
}

const struct place_ops place_any = {
    .part = {"any", "any node with room, another one than the task's other attempts if possible",
             NULL, 0, 0},
    .pick = place_pick_any,
};
