/* hadoop.c - the speculation of Hadoop before LATE (described in LATE, section 2.1).
 *
 * A task that has run for a minute and whose progress score is more than 0.2 below the mean of its
 * phase gets one backup, once no task of the phase waits. All such tasks count as equally slow, so
 * the order is that of their starts. There is no cap and no thought about the node, which is what
 * LATE improves on. Ours: `careful`, see speculate.h. */
#include "core/brain/decider.h"
#include "core/mitigate/speculate.h"
#include "core/parts/parts.h"

#define PARAMS struct hadoop_params
struct hadoop_params {
    double gap;
    int64_t floor_us, scan_us;
    int careful;
};

static const struct field params[] = {
    PARAM_REAL("gap", gap, "0.2", 0, 1, "how far below the mean score a task must be"),
    PARAM_TIME("floor", floor_us, "60s", 0, 1e6, "how long a task runs before it is judged"),
    SPECULATE_SCAN,
    SPECULATE_CAREFUL,
    {0},
};

/* How far a task is: that of its oldest running attempt; all its work is done, whether or not it is
 * committed yet, once an attempt has finished. */
static double task_score(const struct world *w, const struct task *t, struct phase_look *l)
{
    if (t->state == TASK_COMMITTING || t->state == TASK_DONE)
        return 1;
    const struct attempt *a = speculate_oldest_running(w, t);
    return a ? speculate_estimate(w, a, l).score : 0;
}

/* Mean score of the phase's tasks. */
static double mean_score(const struct part_ctx *s, struct phase_look *l)
{
    const struct world *w = s->world;
    const struct phase *p = l->phase;
    double sum = 0;
    uint32_t n = 0, stride = speculate_stride(p);
    for (uint32_t i = 0; i < p->count; i += stride, n++)
        sum += task_score(w, &p->tasks[i], l);
    return sum / n;
}

static bool hadoop_backups_yield(const struct part_ctx *s)
{
    return par(s)->careful;
}

static void hadoop_tick(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct cluster_look look = {0};
    if ((par(s)->careful && decider_firsts_wait(s->brain)) || !speculate_may_anywhere(w, false))
        return;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *a = world_attempt(w, i);
        if (w->now_us - a->started_us < par(s)->floor_us)
            break;
        if (!speculate_may(w, a, false))
            continue;
        bool is_new;
        struct phase_look *l = speculate_phase(&look, attempt_phase(a), &is_new);
        if (is_new)
            l->threshold = mean_score(s, l);
        double score = speculate_best(w, a, l).score;
        if (score >= l->threshold - par(s)->gap)
            continue;
        speculate_back_up(s, a,
                          &REASON(WHY_BEHIND_MEAN, score, l->threshold, estimate_elapsed_s(w, a)));
    }
    speculate_end(&look);
}

const struct mitigate_ops hadoop_mitigate = {
    .part = {.name = "hadoop",
             .help = "backs up tasks whose progress is far below their phase's mean",
             PART_PARAMS(params),
             PART_TICK(hadoop_tick, scan_us)},
    .backups_yield = hadoop_backups_yield,
    .reads_progress = true,
    .backs_up = true,
    .reads_running = true,
};
