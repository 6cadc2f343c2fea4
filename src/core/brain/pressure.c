/* pressure.c - keeps clones away from nodes whose disk or memory is in demand.
 *
 * Attempts on a node share its disk and memory: a clone adds to the load that first attempts wait
 * for, and unlike a core neither can be returned at once. The body reports the share of the time in
 * which something on a node waited for either (event `pressure`). From a tenth of the time on,
 * clones on that node end, and none is launched there. The end of a clone lowers the pressure by
 * itself, so clones return only when it has been below a twentieth for two seconds. First attempts,
 * backups and restarts are not affected: they are needed, or their task is slow already. */
#include "core/brain/pressure.h"

#include "core/brain/decisions.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

static struct reason pressure_of(const struct world *w, uint32_t node)
{
    const struct node *n = &w->nodes.at[node];
    return REASON(WHY_PRESSURE, (double)node, n->disk / 1e3, n->memory / 1e3);
}

static void pressed_add(struct brain *b, uint32_t node)
{
    for (uint32_t i = 0; i < b->pressure.nodes.count; i++)
        if (b->pressure.nodes.at[i] == node)
            return;
    vec_push(&b->pressure.nodes, node);
}

void pressure_note(struct brain *b, const struct event *e)
{
    struct node *n = &b->world.nodes.at[e->node.v];
    int32_t most = e->u.pressure.disk;
    if (!yield_clones_do(b))
        return; /* clones have a share of their own, or there are none */
    if (e->u.pressure.memory > most)
        most = e->u.pressure.memory;
    n->disk = e->u.pressure.disk;
    n->memory = e->u.pressure.memory;
    if (most >= PRESSURE_HOLDS) {
        n->pressed_until_us = INT64_MAX;
        b->pressure.reported = true;
        pressed_add(b, e->node.v);
    } else if (most < PRESSURE_EASES && n->pressed_until_us == INT64_MAX) {
        n->pressed_until_us = b->world.now_us + PRESSURE_REST_US;
        timers_want(b, TIMER_AVOID, n->pressed_until_us);
    }
}

void pressure_want(struct brain *b)
{
    for (uint32_t i = 0; i < b->pressure.nodes.count; i++) {
        int64_t until_us = b->world.nodes.at[b->pressure.nodes.at[i]].pressed_until_us;
        if (until_us > b->world.now_us && until_us < INT64_MAX)
            timers_want(b, TIMER_AVOID, until_us);
    }
}

void pressure_end_clones(struct brain *b)
{
    const struct world *w = &b->world;
    for (uint32_t i = 0; i < b->pressure.nodes.count; i++) {
        uint32_t node = b->pressure.nodes.at[i], next = w->nodes.at[node].newest_extra;
        struct reason why = pressure_of(w, node);
        while (world_node_is_pressed(w, node) && next != ATTEMPT_NONE) {
            struct attempt *a = world_attempt(w, next);
            next = w->extras.at[next].older;
            if (a->kind != LAUNCH_CLONE || a->unwanted || !attempt_is_spare(w, a))
                continue;
            stop_attempt(b, a, &why);
        }
    }
    b->pressure.reported = false;
}

static void pressed_fit(struct brain *b, uint32_t node, bool open)
{
    static const struct res closed = {{-1, -1, -1, -1}};
    struct world *w = &b->world;
    fit_index_set(&w->fit, node,
                  open && world_node_takes(w, node) ? &w->nodes.at[node].free : &closed);
    if (w->changed)
        node_set_add(w->changed, node);
}

void pressure_close(struct brain *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->pressure.nodes.count; i++) {
        uint32_t node = b->pressure.nodes.at[i];
        if (!world_node_is_pressed(&b->world, node)) {
            node_walk_grown(&b->queue.serve_clones, node); /* for clones: it is as it was */
            continue;
        }
        pressed_fit(b, node, false);
        b->pressure.nodes.at[kept++] = node;
    }
    b->pressure.nodes.count = kept;
    b->pressure.explained &= kept > 0;
}

void pressure_open(struct brain *b)
{
    for (uint32_t i = 0; i < b->pressure.nodes.count; i++)
        pressed_fit(b, b->pressure.nodes.at[i], true);
}

void pressure_tell(struct brain *b, const struct phase *p)
{
    const struct world *w = &b->world;
    for (uint32_t i = 0; !b->pressure.explained && i < b->pressure.nodes.count; i++) {
        uint32_t node = b->pressure.nodes.at[i];
        if (!world_node_takes(w, node) || !res_fits(&p->demand, &w->nodes.at[node].free))
            continue;
        struct reason why = pressure_of(w, node);
        decisions_add_verdict(b, p, &why);
        b->pressure.explained = true;
    }
}
