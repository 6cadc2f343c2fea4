/* endgame.c - the two oldest rules, which look at finished tasks only and need no progress reports.
 *
 * mapreduce: when a phase is nearly done, every task still running gets a backup (as described by
 * Mantri). dryad: a task that has run longer than most finished ones of its phase took gets a
 * backup. A large phase is judged by a sample of its tasks; as long as none of those has finished,
 * no task of the phase is judged. Ours: `careful`, see speculate.h. */
#include <math.h>

#include "base/stat.h"
#include "core/brain/decider.h"
#include "core/mitigate/speculate.h"
#include "core/parts/parts.h"

/* Shared by both rules: `share` is backup_at for one and the quantile for the other. */
#define PARAMS struct endgame_params
struct endgame_params {
    double share;
    int64_t scan_us;
    int careful;
};

static const struct field mapreduce_params[] = {
    PARAM_REAL("backup_at", share, "0.95", 0, 1,
               "share of a phase that must be done before the rest is backed up"),
    SPECULATE_SCAN,
    SPECULATE_CAREFUL,
    {0},
};
static const struct field dryad_params[] = {
    PARAM_REAL("quantile", share, "0.75", 0, 1, "of finished times: longer tasks are backed up"),
    SPECULATE_SCAN,
    SPECULATE_CAREFUL,
    {0},
};

static bool endgame_backups_yield(const struct part_ctx *s)
{
    return par(s)->careful;
}

/* Returns true if neither rule has anything to look for. */
static bool endgame_rests(const struct part_ctx *s)
{
    return (par(s)->careful && decider_firsts_wait(s->brain)) ||
           !speculate_may_anywhere(s->world, false);
}

static void mapreduce_tick(const struct part_ctx *s)
{
    const struct world *w = s->world;
    if (endgame_rests(s))
        return;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *a = world_attempt(w, i);
        const struct phase *p = attempt_phase(a);
        if (speculate_may(w, a, false) && (double)p->done >= par(s)->share * (double)p->count)
            speculate_back_up(s, a,
                              &REASON(WHY_PHASE_ENDS, p->done, p->count, estimate_elapsed_s(w, a)));
    }
}

static void dryad_tick(const struct part_ctx *s)
{
    const struct world *w = s->world;
    struct cluster_look look = {0};
    if (endgame_rests(s))
        return;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *a = world_attempt(w, i);
        if (!speculate_may(w, a, false) || attempt_phase(a)->done == 0)
            continue;
        bool is_new;
        struct phase_look *l = speculate_phase(&look, attempt_phase(a), &is_new);
        if (is_new) {
            speculate_times(l);
            l->threshold =
                l->count > 0 ? stat_quantile(l->times, l->count, par(s)->share) : INFINITY;
        }
        double elapsed = estimate_elapsed_s(w, a);
        double usual = l->threshold * phase_read_load(l->phase, a->task);
        if (elapsed > usual)
            speculate_back_up(s, a, &REASON(WHY_PAST_QUANTILE, elapsed, usual));
    }
    speculate_end(&look);
}

const struct mitigate_ops endgame_mapreduce = {
    .part = {.name = "mapreduce",
             .help = "backs up what still runs when a phase is nearly done",
             PART_PARAMS(mapreduce_params),
             PART_TICK(mapreduce_tick, scan_us)},
    .backups_yield = endgame_backups_yield,
    .backs_up = true,
    .reads_running = true,
};

const struct mitigate_ops endgame_dryad = {
    .part = {.name = "dryad",
             .help = "backs up tasks that run longer than most finished ones took",
             PART_PARAMS(dryad_params),
             PART_TICK(dryad_tick, scan_us)},
    .backups_yield = endgame_backups_yield,
    .backs_up = true,
    .reads_running = true,
};
