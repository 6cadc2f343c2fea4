/* tetris.c - nodes choose the task that suits them best, weighed against the remaining work of its
 * job.
 *
 * Tetris (Grandl and others, SIGCOMM 2014), as far as DollyMP's evaluation compares itself with it.
 * A node takes, of all tasks that fit, the one with the largest a - eps p, and again until nothing
 * fits; then the next node does.
 *     a    alignment: inner product of the task's demand and what is free, each over the largest
 *          server's (core/match/match_score.h)
 *     p    of=job: what is left of the job, as order=tetris publishes it (core/order/tetris.c),
 *     which is
 *          what Tetris's authors weigh; of=task: the task's own work, as DollyMP's text reads
 *     eps  mean a over mean p of those that fit, each phase once, times `weight`; 0 where p is
 *          nothing
 * `sign=paper` is a + eps p, as DollyMP prints it: that prefers the jobs of which most is left, and
 * its figure 2 has Tetris do so. Left out: the penalty of remote reads, the knobs for fairness and
 * for barriers, whose values are not in what we have read. */
#include "core/brain/expect.h"
#include "core/order/tetris_score.h"
#include "core/parts/parts.h"
#include "core/place/place.h"

#define PARAMS struct tetris_params
struct tetris_params {
    int sign; /* 1: paper */
    int of;   /* 1: task */
    double weight;
};

struct tetris_state {
    VEC(struct tetris_bid) bids;
};

static const struct field params[] = {
    PARAM_CHOICE("sign", sign, "srtf", "srtf|paper",
                 "srtf: less left of the job is better; paper: more is, as DollyMP prints it"),
    PARAM_REAL("weight", weight, "1", 0, 1000,
               "how much work counts against the fit; 1: as much, 0: nothing"),
    PARAM_CHOICE("of", of, "job", "job|task",
                 "that work: of the rest of the job, or of the task itself"),
    {0},
};

static enum place_match tetris_match(const struct part_ctx *s)
{
    (void)s;
    return MATCH_SERVER;
}

static double work_of(const struct part_ctx *s, const struct phase *p)
{
    if (par(s)->of == 0)
        return job_lead(p->job)->standing.score;
    double task_s = phase_expected(s->world, p).mean_us / 1e6;
    return tetris_score_work(&p->demand, &s->world->largest, task_s, 1);
}

static uint32_t tetris_choose(const struct part_ctx *s, struct node_id node,
                              const struct phase *const *fits, uint32_t count)
{
    struct tetris_state *t = s->state;
    struct match_free free = match_free(&s->world->nodes.at[node.v].free, &s->world->largest);
    vec_clear(&t->bids);
    vec_reserve(&t->bids, count);
    for (uint32_t i = 0; i < count; i++)
        t->bids.at[i] =
            (struct tetris_bid){match_score_on(&fits[i]->demand, &free), work_of(s, fits[i])};
    return tetris_score_best(t->bids.at, count,
                             par(s)->sign == 1 ? par(s)->weight : -par(s)->weight);
}

static void tetris_fini(const struct part_ctx *s)
{
    struct tetris_state *t = s->state;
    vec_free(&t->bids);
}

const struct place_ops tetris_place = {
    .part = {.name = "tetris",
             .help = "nodes choose the task that suits them best, weighed against the rest of its "
                     "job",
             PART_PARAMS(params),
             .state_size = sizeof(struct tetris_state),
             .fini = tetris_fini,
             .reads_expected = true}, /* of=task */
    .pick = place_pick_any,
    .match = tetris_match,
    .choose = tetris_choose,
};
