#include "core/estimate/location.h"

#include <math.h>

enum { COUNT_MAX = 16, COUNT_MIN = 4, COUNT_MAX_ALL = 256 };

void location_fini(struct location *l)
{
    vec_free(&l->nodes);
    vec_free(&l->racks);
}

static void mean_add(struct location_mean *m, uint32_t count_max, double log_ratio)
{
    m->count += m->count < count_max;
    m->log_ratio += (log_ratio - m->log_ratio) / m->count;
}

static double mean_of(const struct location_mean *m)
{
    return m->count >= COUNT_MIN ? m->log_ratio : 0;
}

/* A stall of an hour says nothing about how fast the node is. */
static double bounded(double ratio)
{
    return log(ratio < 0.25 ? 0.25 : ratio > 4 ? 4 : ratio);
}

static double machine(const struct location *l, uint32_t node)
{
    if (node >= l->nodes.count || l->nodes.at[node].count < COUNT_MIN)
        return 0;
    return mean_of(&l->nodes.at[node]) - mean_of(&l->all);
}

void location_phase(struct location *l, const struct world *w, const struct phase *p)
{
    for (uint32_t i = 0; i < p->samples.count && p->median > 0; i++) {
        const struct phase_sample *x = &p->samples.at[i];
        if (x->per_byte <= 0)
            continue; /* stopped: how long it would have taken is unknown */
        double log_ratio = bounded((double)x->per_byte / p->median);
        while (l->nodes.count <= x->node.v)
            vec_push(&l->nodes, (struct location_mean){0});
        if (p->edge_count == 0) {
            mean_add(&l->nodes.at[x->node.v], COUNT_MAX, log_ratio);
            mean_add(&l->all, COUNT_MAX_ALL, log_ratio);
            continue;
        }
        uint32_t rack = w->nodes.at[x->node.v].rack;
        while (l->racks.count <= rack)
            vec_push(&l->racks, (struct location_mean){0});
        mean_add(&l->racks.at[rack], COUNT_MAX, log_ratio - machine(l, x->node.v));
        mean_add(&l->links, COUNT_MAX_ALL, log_ratio - machine(l, x->node.v));
    }
}

double location_factor(const struct location *l, const struct world *w, const struct phase *p,
                       uint32_t node)
{
    double log_ratio = machine(l, node);
    uint32_t rack = w->nodes.at[node].rack;
    if (p->edge_count > 0 && rack < l->racks.count && l->racks.at[rack].count >= COUNT_MIN)
        log_ratio += mean_of(&l->racks.at[rack]) - mean_of(&l->links);
    return exp(log_ratio);
}
