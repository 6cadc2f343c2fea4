/* network_place.c - where: readers in the racks where the links between racks are busy for the
 * shortest time (Mantri, OSDI'10, section 5.2).
 *
 * When the first task of a phase that reads others is to be placed, it is known how many bytes of
 * its input are in which rack: outputs are kept where they were made. From these, and from the
 * bandwidth of each rack's links, a plan assigns a number of tasks to each rack (network_solve.c),
 * and tasks then go to nodes of these racks.
 *
 *   paper                      here
 *   I[n, r]                    the rows: an equal part of every output (all-to-all), the outputs of
 *                              the tasks it reads (the other patterns), its outside input at its
 *                              replicas in equal parts
 *   b_u, b_d: start            link samples: what each link could still carry when last measured
 *   b_u, b_d: equal            in proportion to the nodes of the rack
 *   hybrid                     start if the plan then takes no longer than `long`, else equal
 *   affinity list              the plan; soft, as there
 *
 * Soft: nothing waits. Where tasks are alike the rack with the most tasks still missing comes
 * first, and if it has no room the next ones; a task that has a rack of its own tries that. When
 * none of these has room, the task goes to the rack, among those of the next free nodes, where it
 * makes the busiest link worse by least, and the plan is changed accordingly. Extra attempts and
 * restarts are placed by that rule alone. Phases that read nothing are placed near their data.
 *
 * Changed: the paper puts a proportional number of machines of each rack on every list, which for
 * tasks that are alike is the same; here tasks that differ keep their differences. The load of
 * other phases on a rack's links is known only through the samples. */
#include "core/parts/parts.h"
#include "core/place/network_plan.h"
#include "core/place/place.h"

enum { RACKS_TRIED = 4, NODES_TRIED = 32 };

#define PARAMS struct network_params
static const struct field params[] = {
    PARAM_CHOICE("bandwidth", bandwidth, "hybrid", "start|equal|hybrid",
                 "what links are taken to carry: as measured when the phase starts, equal, or by "
                 "its length"),
    PARAM_TIME("long", long_us, "60s", 0, 1e9,
               "hybrid: phases that read for longer by the measured links take them as equal"),
    {0},
};

struct network_place {
    struct racks racks;
};

/* ---- one task ---- */

/* The rack with the most tasks still missing that was not tried yet; UINT32_MAX: there is none. */
static uint32_t most_left(const struct network_plan *k, const uint32_t *tried, uint32_t count,
                          uint64_t luck)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < k->racks; i++) {
        uint32_t r = (uint32_t)((luck + i) % k->racks);
        bool was = false;
        for (uint32_t t = 0; t < count; t++)
            was |= tried[t] == r;
        if (!was && k->left[r] > 0 && (best == UINT32_MAX || k->left[r] > k->left[best]))
            best = r;
    }
    return best;
}

/* Where the plan has the first attempt of the task, as long as there is room. */
static struct node_id pick_planned(const struct part_ctx *s, const struct phase *p, uint32_t task,
                                   uint64_t luck)
{
    const struct network_place *d = s->state;
    struct network_plan *k = p->place_state;
    if (!k->alike)
        return place_pick_rack(s->world, &d->racks, k->rack[task], p, task, luck);
    uint32_t tried[RACKS_TRIED];
    for (uint32_t i = 0; i < RACKS_TRIED; i++) {
        tried[i] = most_left(k, tried, i, luck);
        if (tried[i] == UINT32_MAX)
            break;
        struct node_id node = place_pick_rack(s->world, &d->racks, tried[i], p, task, luck);
        if (node.v != NODE_NONE.v) {
            k->left[tried[i]]--;
            return node;
        }
    }
    return NODE_NONE;
}

/* The free nodes that come next, one for each rack; how many racks have one. */
static uint32_t free_nodes(const struct world *w, const struct phase *p, uint32_t task,
                           uint64_t luck, struct node_id *node, bool *allowed, uint32_t racks)
{
    uint32_t found = 0, from = (uint32_t)(luck % w->nodes.count), first = FIT_NONE;
    for (uint32_t i = 0; i < NODES_TRIED; i++) {
        uint32_t n = fit_index_find(&w->fit, p->fit, from);
        if (n == FIT_NONE || n == first)
            break;
        first = first == FIT_NONE ? n : first;
        from = n + 1;
        uint32_t rack = w->nodes.at[n].rack;
        if (rack >= racks || allowed[rack] || place_has_copy(w, p, task, n))
            continue;
        allowed[rack] = true;
        node[rack] = (struct node_id){n};
        found++;
    }
    return found;
}

/* The rack that the plan must do without, now that this task goes elsewhere. */
static uint32_t planned_rack(struct network_plan *k, uint32_t task, uint64_t luck)
{
    if (!k->alike)
        return k->rack[task];
    uint32_t rack = most_left(k, NULL, 0, luck);
    if (rack != UINT32_MAX)
        k->left[rack]--;
    return rack;
}

/* Where it makes the busiest link worse by least. A first attempt takes its place in the plan with
 * it. */
static struct node_id pick_cheapest(const struct part_ctx *s, const struct phase *p, uint32_t task,
                                    struct place_luck luck, bool first)
{
    const struct world *w = s->world;
    struct network_plan *k = p->place_state;
    uint64_t bits = place_luck_bits(luck);
    struct node_id *node = mem_zalloc(k->racks, sizeof *node), chosen = NODE_NONE;
    bool *allowed = mem_zalloc(k->racks, sizeof *allowed);
    double *row = mem_zalloc(k->racks, sizeof *row);
    if (free_nodes(w, p, task, bits, node, allowed, k->racks) > 0) {
        if (!k->alike)
            network_plan_own_row(w, p, task, k->racks, row);
        for (uint32_t r = 0; r < k->racks; r++)
            row[r] += k->shared[r];
        uint32_t planned = first ? planned_rack(k, task, bits) : UINT32_MAX;
        if (planned != UINT32_MAX)
            network_solve_load_add(&k->load, row, planned, -1);
        uint32_t best =
            network_solve_best_rack(&k->load, row, (uint32_t)(bits % k->racks), allowed);
        if (first)
            network_solve_load_add(&k->load, row, best, 1);
        if (first && !k->alike)
            k->rack[task] = best;
        chosen = node[best];
    }
    mem_free(node);
    mem_free(allowed);
    mem_free(row);
    return chosen.v != NODE_NONE.v ? chosen : place_pick_any(s, p, task, luck);
}

static struct node_id network_pick(const struct part_ctx *s, const struct phase *p, uint32_t task,
                                   struct place_luck luck)
{
    struct network_place *d = s->state;
    bool first = p->tasks[task].launches == 0; /* it is launched for certain if it gets a node */
    if (!p->place_state)
        return locality_pick(s, &d->racks, p, task, luck);
    racks_update(&d->racks, s->world);
    struct node_id node = first ? pick_planned(s, p, task, place_luck_bits(luck)) : NODE_NONE;
    return node.v != NODE_NONE.v ? node : pick_cheapest(s, p, task, luck, first);
}

static void *network_plan(const struct part_ctx *s, const struct phase *p)
{
    struct network_place *d = s->state;
    if (p->edge_count == 0)
        return NULL;
    racks_update(&d->racks, s->world);
    return network_plan_create(s, s->params, p, racks_count(&d->racks));
}

static bool network_reads_links(const struct part_ctx *s)
{
    return par(s)->bandwidth != BANDWIDTH_EQUAL;
}

static void network_fini(const struct part_ctx *s)
{
    struct network_place *d = s->state;
    racks_fini(&d->racks);
}

const struct place_ops network_place = {
    .part =
        {.name = "network-aware",
         .help =
             "readers in the racks that keep the links between racks busy for the shortest time",
         PART_PARAMS(params),
         .state_size = sizeof(struct network_place),
         .fini = network_fini,
         .reads_outputs = true},
    .prepare = network_plan,
    .pick = network_pick,
    .reads_links = network_reads_links,
};
