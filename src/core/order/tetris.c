/* tetris.c - all jobs are of one rank: the nodes choose (core/place/tetris.c), by fit and by the
 * remaining work of each job.
 *
 * This part publishes the latter: over the tasks that are not done, expected seconds x the sum of
 * the task's shares of the largest server. */
#include "core/brain/decider.h"
#include "core/brain/expect.h"
#include "core/estimate/left_work.h"
#include "core/order/tetris_score.h"
#include "core/parts/parts.h"

static void tetris_weigh(const struct part_ctx *s, const struct job *j)
{
    struct left_work left = left_work_of(s->world, j, 0);
    struct standing standing = {.volume = left.volume, .time_s = left.time_s};
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase *p = &j->phases[k];
        uint32_t tasks = left_work_tasks(p);
        if (tasks > 0)
            standing.score += tetris_score_work(&p->demand, &s->world->largest,
                                                phase_expected(s->world, p).mean_us / 1e6, tasks);
    }
    decider_publish(s->brain, j, standing);
}

static int64_t tetris_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    (void)p;
    return 0;
}

const struct order_ops tetris_order = {
    .part = {.name = "tetris",
             .help = "all jobs alike, the nodes choose (place=tetris)",
             .reads_expected = true},
    .follows = FOLLOWS_COMMITS | FOLLOWS_EXPECTED | FOLLOWS_CAPACITY,
    .weigh = tetris_weigh,
    .key = tetris_key,
};
