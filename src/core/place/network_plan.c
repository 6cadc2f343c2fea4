/* network_plan.c - plans the racks of a phase from the places of its input and the bandwidth of
 * links.
 *
 * Rows are made from the outputs that are committed when the first task is placed; where a phase
 * starts before the one above is done (slow start) these stand for the rest. All-to-all input is
 * the same for every task and is summed once; a phase without any other input has a single row and
 * costs as much as there are outputs. Links are taken as measured or as equal, see network_place.c.
 */
#include "core/place/network_plan.h"

#include "core/brain/decider.h"

/* Larger matrices of tasks x racks are not worth their memory: such a phase is planned as if its
 * tasks were alike. */
enum { CELLS_MAX = 4 * 1000 * 1000 };

/* ---- input ---- */

static void add_output(const struct world *w, const struct phase *above, uint32_t task,
                       double share, uint32_t racks, double *row)
{
    const struct output *o = &above->outputs[task];
    if (above->tasks[task].state != TASK_DONE || o->node.v >= w->nodes.count)
        return;
    uint32_t rack = w->nodes.at[o->node.v].rack;
    if (rack < racks)
        row[rack] += share * (double)o->bytes;
}

static bool edge_is_shared(const struct edge_spec *edge)
{
    return edge->pattern == EDGE_ALL_TO_ALL;
}

/* What every task of the phase reads of its all-to-all inputs. */
static void shared_row(const struct world *w, const struct phase *p, uint32_t racks, double *row)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *above = &p->job->phases[p->edges[e].from];
        if (!edge_is_shared(&p->edges[e]) || !above->outputs)
            continue;
        for (uint32_t t = 0; t < above->count; t++)
            add_output(w, above, t, 1.0 / p->count, racks, row);
    }
}

/* What this task reads besides. */
void network_plan_own_row(const struct world *w, const struct phase *p, uint32_t task,
                          uint32_t racks, double *row)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *above = &p->job->phases[p->edges[e].from];
        if (edge_is_shared(&p->edges[e]) || !above->outputs)
            continue;
        struct job_span span = job_edge_span(&p->edges[e], above->count, p->count, task);
        for (uint32_t t = span.from; t < span.to; t++)
            add_output(w, above, t, 1, racks, row);
    }
    if (!p->replica_from)
        return;
    uint32_t first = p->replica_from[task], count = p->replica_from[task + 1] - first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = p->replicas[first + i].v;
        if (node < w->nodes.count && w->nodes.at[node].rack < racks)
            row[w->nodes.at[node].rack] += (double)phase_own_bytes(p, task) / count;
    }
}

static bool tasks_are_alike(const struct phase *p, uint32_t racks)
{
    if ((uint64_t)p->count * racks > CELLS_MAX)
        return true;
    for (uint16_t e = 0; e < p->edge_count; e++)
        if (!edge_is_shared(&p->edges[e]))
            return false;
    return !p->replica_from;
}

/* ---- links ---- */

/* Equal for each node of a rack, since a rack's links are made for its nodes. */
static void links_equal(const struct world *w, struct network_plan *k)
{
    for (uint32_t r = 0; r < k->racks; r++)
        k->up[r] = k->down[r] = 0;
    for (uint32_t i = 0; i < w->nodes.count; i++) {
        const struct node *n = &w->nodes.at[i];
        if (n->rack < k->racks && n->state != NODE_UNKNOWN && n->state != NODE_DOWN)
            k->up[n->rack] = k->down[n->rack] += 1;
    }
    for (uint32_t r = 0; r < k->racks; r++)
        if (k->up[r] <= 0)
            k->up[r] = k->down[r] = 1e-6; /* no node is there */
}

/* As measured; racks that were not are as good as the others on average. False: none was. */
static bool links_measured(const struct world *w, struct network_plan *k)
{
    double up = 0, down = 0, up_size = 0, down_size = 0;
    uint32_t known = w->racks.count < k->racks ? w->racks.count : k->racks;
    for (uint32_t r = 0; r < known; r++) {
        up += w->racks.at[r].up;
        up_size += w->racks.at[r].up > 0 ? k->up[r] : 0;
        down += w->racks.at[r].down;
        down_size += w->racks.at[r].down > 0 ? k->down[r] : 0;
    }
    if (up <= 0 || down <= 0)
        return false;
    for (uint32_t r = 0; r < k->racks; r++) {
        bool has = r < known;
        k->up[r] = has && w->racks.at[r].up > 0 ? w->racks.at[r].up : k->up[r] * up / up_size;
        k->down[r] =
            has && w->racks.at[r].down > 0 ? w->racks.at[r].down : k->down[r] * down / down_size;
    }
    return true;
}

/* ---- the plan ---- */

/* In one block, which the brain frees. */
static struct network_plan *plan_create(const struct phase *p, uint32_t racks, bool alike)
{
    size_t numbers = alike ? racks : p->count;
    struct network_plan *k =
        mem_zalloc(1, sizeof *k + 5 * racks * sizeof(double) + numbers * sizeof(uint32_t));
    double *at = (double *)(void *)(k + 1);
    *k = (struct network_plan){
        .racks = racks, .alike = alike, .shared = at, .up = at + racks, .down = at + 2 * racks};
    k->load = (struct network_load){
        .racks = racks, .up = k->up, .down = k->down, .out = at + 3 * racks, .in = at + 4 * racks};
    *(alike ? &k->left : &k->rack) = (uint32_t *)(void *)(at + 5 * racks);
    return k;
}

/* The rows of the problem: one, or one per task. */
static double *rows_create(const struct world *w, const struct phase *p,
                           const struct network_plan *k)
{
    uint32_t rows = k->alike ? 1 : p->count;
    double *input = mem_zalloc((size_t)rows * k->racks, sizeof *input);
    if (k->alike) /* with very many tasks, the mean of what each has of its own */
        for (uint32_t t = 0; t < p->count; t++)
            network_plan_own_row(w, p, t, k->racks, input);
    for (uint32_t r = 0; k->alike && r < k->racks; r++)
        input[r] = input[r] / p->count + k->shared[r];
    for (uint32_t t = 0; !k->alike && t < p->count; t++) {
        double *row = &input[(size_t)t * k->racks];
        network_plan_own_row(w, p, t, k->racks, row);
        for (uint32_t r = 0; r < k->racks; r++)
            row[r] += k->shared[r];
    }
    return input;
}

static struct network_result plan_solve(const struct phase *p, struct network_plan *k,
                                        const double *input)
{
    uint32_t rows = k->alike ? 1 : p->count, start = p->job->id.v + p->index;
    uint32_t *count = mem_zalloc(rows, sizeof *count);
    uint32_t *chosen = mem_zalloc((size_t)rows * k->racks, sizeof *chosen);
    for (uint32_t i = 0; i < rows; i++)
        count[i] = k->alike ? p->count : 1;
    struct network_problem problem = {k->racks, rows, count, input, k->up, k->down};
    struct network_result result = network_solve(&problem, start, chosen);
    for (uint32_t r = 0; r < k->racks; r++)
        k->load.out[r] = k->load.in[r] = 0;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t r = 0; r < k->racks; r++) {
            uint32_t n = chosen[(size_t)i * k->racks + r];
            if (n == 0)
                continue;
            network_solve_load_add(&k->load, &input[(size_t)i * k->racks], r, n);
            if (k->alike)
                k->left[r] = n;
            else
                k->rack[i] = r;
        }
    mem_free(chosen);
    mem_free(count);
    return result;
}

struct network_plan *network_plan_create(const struct part_ctx *s,
                                         const struct network_params *params, const struct phase *p,
                                         uint32_t racks)
{
    const struct world *w = s->world;
    struct network_plan *k = plan_create(p, racks, tasks_are_alike(p, racks));
    shared_row(w, p, racks, k->shared);
    double *input = rows_create(w, p, k), bytes = 0;
    for (uint32_t i = 0; i < (k->alike ? 1 : p->count) * racks; i++)
        bytes += input[i] * (k->alike ? p->count : 1);
    if (racks < 2 || bytes <= 0) {
        decider_verdict(s->brain, p, &REASON(WHY_NO_TRAFFIC, racks, bytes));
        mem_free(input);
        mem_free(k);
        return NULL;
    }
    struct network_result result = {0};
    links_equal(w, k);
    bool measured = params->bandwidth != BANDWIDTH_EQUAL && links_measured(w, k);
    if (measured)
        result = plan_solve(p, k, input);
    bool stays = measured && (params->bandwidth == BANDWIDTH_START ||
                              result.worst_s <= (double)params->long_us / 1e6);
    if (!stays) {
        for (uint32_t r = 0; k->alike && r < racks; r++)
            k->left[r] = 0;
        links_equal(w, k);
        result = plan_solve(p, k, input);
    }
    if (k->alike) /* what one of them reads, for those that find no room where they should */
        for (uint32_t r = 0; r < racks; r++)
            k->shared[r] = input[r];
    mem_free(input);
    decider_verdict(s->brain, p,
                    &REASON(WHY_RACKS_PLANNED, racks, bytes, result.worst_s, result.exact, stays));
    return k;
}
