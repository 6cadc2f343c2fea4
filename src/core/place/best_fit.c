/* best_fit.c - where: tasks and nodes that suit each other best (DollyMP, ICPP'20, Algorithm 2).
 *
 * The fit of a task and a node is the inner product of the task's demand and the node's free
 * resources, each over the largest node's capacity (core/match/match_score.h): a task that needs
 * much memory runs where much memory is free. With match=server nodes come in the order of their
 * numbers, and each takes, rank by rank in the order of the seam `order`, the waiting phase with
 * the largest score, until nothing more fits. With match=task the next phase in line puts its task
 * on the node where it scores most.
 *
 *   paper              here
 *   R_i^c, R_i^m       what node i has free
 *   c_j^k, m_j^k       demand of the phase
 *   Omega_l            phases of equal key
 *   phi_j^k            the job's first open phase with waiting tasks
 *
 * Changed: the printed condition of step 11 is the wrong way round (it loops while nothing fits),
 * and its comparisons are strict; a task that needs exactly what is left fits. Ties, which the
 * paper does not mention, are broken by job, phase and node. */
#include "core/brain/decider.h"
#include "core/parts/parts.h"

#define PARAMS struct best_fit_params
struct best_fit_params {
    int match;
};

static const struct field params[] = {
    PARAM_CHOICE("match", match, "server", "task|server",
                 "each node takes what suits it best, or each task the best node"),
    {0},
};

static enum place_match best_fit_match(const struct part_ctx *s)
{
    return par(s)->match ? MATCH_SERVER : MATCH_TASK;
}

static struct node_id best_fit_pick(const struct part_ctx *s, const struct phase *p, uint32_t task,
                                    struct place_luck luck)
{
    (void)luck;
    return decider_best_node(s->brain, p, task);
}

const struct place_ops best_fit_place = {
    .part = {.name = "best-fit",
             .help = "tasks and nodes that suit each other best, by demand and free resources",
             PART_PARAMS(params)},
    .pick = best_fit_pick,
    .reads_scores = true,
    .match = best_fit_match,
};
