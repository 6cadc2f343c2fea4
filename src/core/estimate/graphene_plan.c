/* graphene_plan.c - the method is in graphene_plan.h.
 *
 * Sets of phases are bits of a word. A plan is one rectangle for each phase that was placed: lanes
 * x time. Placing one tries the edges of those placed before, between which nothing changes; jobs
 * have few phases. Time may be negative: only differences count. */
#include "core/estimate/graphene_plan.h"

#include <math.h>

struct graphene_block {
    double from_s, to_s;
    uint32_t lanes;
};

/* A job, and a plan of it. */
struct graphene_plan {
    const struct dag_phase *phases;
    uint16_t count;
    uint64_t parents[GRAPHENE_PHASES_MAX], children[GRAPHENE_PHASES_MAX];
    uint64_t above[GRAPHENE_PHASES_MAX], below[GRAPHENE_PHASES_MAX]; /* over any number of steps */
    uint64_t placed;
    struct graphene_block at[GRAPHENE_PHASES_MAX];
};

#define EACH_BIT(k, set)                                                                           \
    for (uint64_t k##_left = (set), k; k##_left && (k = (uint64_t)__builtin_ctzll(k##_left), 1);   \
         k##_left &= k##_left - 1)

/* ---- the job ---- */

static void job_learn(struct graphene_plan *g, const struct dag_phase *phases, uint16_t count)
{
    *g = (struct graphene_plan){.phases = phases, .count = count};
    for (uint16_t k = 0; k < count; k++)
        for (uint16_t i = 0; i < phases[k].parent_count; i++) {
            uint16_t up = phases[k].parents[i];
            g->parents[k] |= UINT64_C(1) << up;
            g->children[up] |= UINT64_C(1) << k;
            g->above[k] |= g->above[up] | UINT64_C(1) << up;
        }
    for (uint16_t k = 0; k < count; k++)
        EACH_BIT(up, g->above[k])
    g->below[up] |= UINT64_C(1) << k;
}

/* ---- room ---- */

/* How many tasks of phase k there is room for at a time, up to `lanes`. */
static uint32_t lanes_at(const struct graphene_plan *g, uint64_t k, double at_s, uint32_t lanes)
{
    double room[RES_COUNT] = {1, 1, 1, 1}, most = lanes;
    EACH_BIT(i, g->placed)
    if (g->at[i].from_s <= at_s && at_s < g->at[i].to_s)
        for (int r = 0; r < RES_COUNT; r++)
            room[r] -= g->phases[i].share[r] * g->at[i].lanes;
    for (int r = 0; r < RES_COUNT; r++)
        if (g->phases[k].share[r] > 0)
            most = fmin(most, floor(room[r] / g->phases[k].share[r] + 1e-9));
    return (uint32_t)fmax(most, 0);
}

static double time_in(const struct dag_phase *p, uint32_t lanes)
{
    return p->tasks == 0 ? 0 : ceil((double)p->tasks / lanes) * p->time_s;
}

/* The phase in a rectangle that begins (`forward`) or ends at this time. False: there is no room.
 */
static bool block_at(const struct graphene_plan *g, uint64_t k, double at_s, bool forward,
                     struct graphene_block *block)
{
    const struct dag_phase *p = &g->phases[k];
    for (uint32_t lanes = p->tasks;;) {
        if (p->tasks > 0 && lanes == 0)
            return false;
        double took_s = time_in(p, lanes), from_s = forward ? at_s : at_s - took_s;
        uint32_t least = took_s > 0 ? lanes_at(g, k, from_s, lanes) : lanes;
        EACH_BIT(i, g->placed)
        if (g->at[i].from_s > from_s && g->at[i].from_s < from_s + took_s)
            least = lanes_at(g, k, g->at[i].from_s, least);
        if (least == lanes) {
            *block = (struct graphene_block){from_s, from_s + took_s, lanes};
            return true;
        }
        lanes = least;
    }
}

/* Places phase k where it ends first after what it waits for, or where it begins last before what
 * waits for it. */
static bool place(struct graphene_plan *g, uint64_t k, bool forward)
{
    double limit_s = forward ? -INFINITY : INFINITY;
    EACH_BIT(i, g->placed & (forward ? g->parents[k] : g->children[k]))
    limit_s = forward ? fmax(limit_s, g->at[i].to_s) : fmin(limit_s, g->at[i].from_s);
    if (isinf(limit_s))
        limit_s = 0;
    struct graphene_block block, *best = &g->at[k];
    bool found = block_at(g, k, limit_s, forward, best);
    EACH_BIT(i, g->placed)
    {
        double edge_s = forward ? g->at[i].to_s : g->at[i].from_s;
        if ((forward ? edge_s <= limit_s : edge_s >= limit_s) ||
            !block_at(g, k, edge_s, forward, &block))
            continue;
        if (!found || (forward ? block.to_s < best->to_s : block.from_s > best->from_s))
            *best = block;
        found = true;
    }
    g->placed |= UINT64_C(1) << k;
    return found;
}

/* Places a group, of those that may come next always the longest. */
static bool place_group(struct graphene_plan *g, uint64_t group, bool forward)
{
    while (group) {
        uint64_t best = GRAPHENE_PHASES_MAX;
        EACH_BIT(k, group)
        if (!(group & (forward ? g->above[k] : g->below[k])) &&
            (best == GRAPHENE_PHASES_MAX || g->phases[k].time_s > g->phases[best].time_s))
            best = k;
        if (!place(g, best, forward))
            return false;
        group &= ~(UINT64_C(1) << best);
    }
    return true;
}

/* ---- plans ---- */

/* How long the plan takes, INFINITY when a phase starts before one it waits for. */
static double plan_length(const struct graphene_plan *g)
{
    double from_s = INFINITY, to_s = -INFINITY;
    for (uint16_t k = 0; k < g->count; k++) {
        from_s = fmin(from_s, g->at[k].from_s);
        to_s = fmax(to_s, g->at[k].to_s);
        EACH_BIT(i, g->parents[k])
        if (g->at[i].to_s > g->at[k].from_s + 1e-9 * fabs(g->at[k].from_s))
            return INFINITY;
    }
    return to_s - from_s;
}

/* The orders in which the rest is placed after T: which group, and whether forward. */
static const struct {
    char group[4];
    bool forward[3];
} orders[] = {
    {"SPC", {true, false, true}},  {"SPC", {false, false, true}}, {"SCP", {true, true, false}},
    {"SCP", {false, true, false}}, {"CSP", {true, false, false}}, {"PSC", {false, true, true}},
};

/* Tries all plans that begin with T; keeps the best. */
static void try_first(const struct graphene_plan *job, uint64_t first, struct graphene_plan *best,
                      double *best_s)
{
    uint64_t above = 0, below = 0,
             all = job->count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << job->count) - 1;
    EACH_BIT(k, first)
    {
        above |= job->above[k];
        below |= job->below[k];
    }
    first |= above & below;
    uint64_t before = above & ~first, after = below & ~first,
             rest = all & ~(first | before | after);
    for (uint32_t i = 0; i < 2 * sizeof orders / sizeof *orders; i++) {
        struct graphene_plan g = *job;
        bool fine = place_group(&g, first, i % 2 == 0);
        for (int n = 0; fine && n < 3; n++) {
            char group = orders[i / 2].group[n];
            fine = place_group(&g,
                               group == 'S'   ? rest
                               : group == 'P' ? before
                                              : after,
                               orders[i / 2].forward[n]);
        }
        double took_s = fine ? plan_length(&g) : INFINITY;
        if (took_s < *best_s) {
            *best_s = took_s;
            *best = g;
        }
    }
}

/* FragScore: what the scarcest resource alone would need, over what the phase takes. */
static double frag_score(const struct graphene_plan *g, uint64_t k)
{
    const struct dag_phase *p = &g->phases[k];
    struct graphene_block alone;
    double work_s = 0;
    for (int r = 0; r < RES_COUNT; r++)
        work_s = fmax(work_s, p->tasks * p->time_s * p->share[r]);
    if (!block_at(g, k, 0, true, &alone) || alone.to_s <= 0)
        return 1;
    return work_s / alone.to_s;
}

double graphene_plan(const struct dag_phase *phases, uint16_t count, double *score)
{
    for (uint16_t k = 0; k < count; k++)
        score[k] = 1 - (double)k / count;
    if (count == 0 || count > GRAPHENE_PHASES_MAX)
        return 0;

    struct graphene_plan job, best;
    job_learn(&job, phases, count);
    double longest_s = 0, frag[GRAPHENE_PHASES_MAX], best_s = INFINITY;
    for (uint16_t k = 0; k < count; k++) {
        longest_s = fmax(longest_s, phases[k].time_s);
        frag[k] = frag_score(&job, k);
    }
    enum { STEPS = 10 };
    uint64_t tried[STEPS * STEPS];
    uint32_t tries = 0;
    for (int l = 0; l < STEPS; l++)
        for (int f = 0; f < STEPS; f++) {
            uint64_t first = 0;
            for (uint16_t k = 0; k < count; k++)
                if (phases[k].time_s * STEPS >= longest_s * l || frag[k] * STEPS <= f)
                    first |= UINT64_C(1) << k;
            bool is_new = true;
            for (uint32_t i = 0; i < tries; i++)
                is_new &= tried[i] != first;
            if (!is_new)
                continue;
            tried[tries++] = first;
            try_first(&job, first, &best, &best_s);
        }
    if (best_s == INFINITY)
        return INFINITY; /* some task is larger than the cluster */

    double begin_s = INFINITY;
    for (uint16_t k = 0; k < count; k++)
        begin_s = fmin(begin_s, best.at[k].from_s);
    for (uint16_t k = 0; k < count; k++)
        score[k] = best_s > 0 ? 1 - (best.at[k].from_s - begin_s) / best_s * (1 - 1e-3) : 1;
    return best_s;
}
