/* graphene.c - where: nodes choose, and the phases that a job's best plan begins with weigh more
 * (Graphene, OSDI'16).
 *
 * When a phase is to be placed for the first time, its job is planned on the whole cluster
 * (core/estimate/graphene_plan.h), and the phase keeps its score, the larger the earlier. A node
 * takes the phase with the largest
 *
 *     priScore * (demand . free) - eta * eps * (work left of the job)
 *
 * where eps makes both terms equally large on average over all bids, as in Tetris. All open phases
 * of a job bid, not its first alone; the order publishes the remaining work. Left out: overbooking,
 * and the bound on unfairness, which public code sets so high that it never acts. */
#include <math.h>

#include "base/mem.h"
#include "core/estimate/dag_job.h"
#include "core/estimate/graphene_plan.h"
#include "core/parts/parts.h"
#include "core/place/place.h"

#define PARAMS struct graphene_params
struct graphene_params {
    double eta;
};

static const struct field params[] = {
    PARAM_REAL("eta", eta, "0.1", 0, 100,
               "weight of the work that is left of a job, against what suits the node"),
    {0},
};

/* The score of the phase, as phase->place_state. */
static void *graphene_score(const struct part_ctx *s, const struct phase *p)
{
    const struct job *j = p->job;
    struct dag_job whole = dag_job_whole(s->world, j);
    double *scores = mem_zalloc(j->phase_count, sizeof *scores),
           *mine = mem_zalloc(1, sizeof *mine);
    graphene_plan(whole.phases, j->phase_count, scores);
    *mine = scores[p->index];
    mem_free(scores);
    dag_job_free(&whole);
    return mine;
}

static enum place_match graphene_match(const struct part_ctx *s)
{
    (void)s;
    return MATCH_SERVER;
}

static uint32_t graphene_choose(const struct part_ctx *s, struct node_id node,
                                const struct phase *const *fits, uint32_t count)
{
    const struct world *w = s->world;
    double fit = 0, left = 0, most = -INFINITY;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count; i++) {
        fit += match_score(&fits[i]->demand, &w->fit.free[node.v], &w->largest);
        left += job_lead(fits[i]->job)->standing.volume;
    }
    double eps = left > 0 ? par(s)->eta * fit / left : 0;
    for (uint32_t i = 0; i < count; i++) {
        double a = match_score(&fits[i]->demand, &w->fit.free[node.v], &w->largest);
        double score = *(const double *)fits[i]->place_state * a -
                       eps * job_lead(fits[i]->job)->standing.volume;
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

const struct place_ops graphene_place = {
    .part = {.name = "graphene",
             .help = "each node takes what suits it and what its job's best plan begins with",
             PART_PARAMS(params),
             .reads_expected = true},
    .prepare = graphene_score,
    .pick = place_pick_any,
    .match = graphene_match,
    .choose = graphene_choose,
};
