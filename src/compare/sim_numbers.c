/* sim_numbers.c - from runs to estimates.
 *
 * All policies meet the same jobs and the same luck under the same seed. Ratios between policies
 * are therefore taken run by run, before anything is averaged: what a seed does to all policies
 * alike cancels out, and the interval of the ratio is much narrower than those of its two sides. */
#include "compare/sim_numbers.h"

#include <math.h>

#include "base/mem.h"
#include "base/stat.h"
#include "stats/detail.h"
#include "stats/phase_facts.h"

const struct sim_field_info sim_fields[FIELD_PLAIN_END] = {
    [FIELD_MEAN_JCT] = {"mean_jct_s", false},
    [FIELD_P50_JCT] = {"p50_jct_s", false},
    [FIELD_P95_JCT] = {"p95_jct_s", false},
    [FIELD_MAKESPAN] = {"makespan_s", false},
    [FIELD_ATTEMPTS] = {"attempts", true},
    [FIELD_CLONES] = {"clones", true},
    [FIELD_BACKUPS] = {"backups", true},
    [FIELD_RESTARTS] = {"restarts", true},
    [FIELD_KILLED] = {"killed", true},
    [FIELD_BUSY] = {"busy_slot_s", false},
    [FIELD_CLONE_CAPACITY] = {"clone_capacity_frac", false},
    [FIELD_BUSY_VS_FIRST] = {"busy_vs_first", false},
    [FIELD_LOSER] = {"loser_frac", false},
    [FIELD_MAX_CLONE] = {"max_clone_frac", false},
    [FIELD_LOAD_P50] = {"load_p50", false},
    [FIELD_LOAD_HIGH] = {"load_high_frac", false},
    [FIELD_SLOWDOWN_P50] = {"slowdown_p50", false},
    [FIELD_SLOWDOWN_P95] = {"slowdown_p95", false},
    [FIELD_IMPROVEMENT] = {"improvement", false},
    [FIELD_JOBS_FAILED] = {"jobs_failed", true},
    [FIELD_EVENTS] = {"events", true},
    [FIELD_WALL] = {"wall_s", false},
    [FIELD_RSS] = {"peak_rss_kib", true},
};

const char *const sim_phase_fields[SIM_PHASE_FIELDS] = {
    "shorter_p30", "shorter_p50",     "shorter_p75", "shorter_p80",   "saved_p50",
    "saved_p75",   "copies_per_task", "copies_won",  "not_recomputed"};

const char *const sim_estimate_fields[SIM_ESTIMATE_FIELDS] = {
    "reports", "trem_error_p50", "trem_error_p90", "trem_error_mean",
    "copies",  "tnew_error_p50", "tnew_error_p90", "tnew_error_mean"};

void sim_numbers_init(struct sim_numbers *n, uint32_t policies, uint32_t seeds)
{
    *n = (struct sim_numbers){policies, seeds, NULL};
    n->runs = mem_zalloc((size_t)policies * seeds, sizeof *n->runs);
}

void sim_numbers_fini(struct sim_numbers *n)
{
    for (uint64_t i = 0; n->runs && i < (uint64_t)n->policies * n->seeds; i++) {
        phase_times_destroy(n->runs[i].phases);
        detail_destroy(n->runs[i].detail);
    }
    mem_free(n->runs);
    n->runs = NULL;
}

void sim_run_fill(struct sim_run *run, const struct summary_result *r)
{
    run->jobs = r->jobs;
    run->tasks = r->tasks;
    run->v[FIELD_MEAN_JCT] = r->mean_jct_s;
    run->v[FIELD_P50_JCT] = r->p50_jct_s;
    run->v[FIELD_P95_JCT] = r->p95_jct_s;
    run->v[FIELD_MAKESPAN] = r->makespan_s;
    run->v[FIELD_ATTEMPTS] = (double)r->attempts;
    run->v[FIELD_CLONES] = (double)r->clones;
    run->v[FIELD_BACKUPS] = (double)r->backups;
    run->v[FIELD_RESTARTS] = (double)r->restarts;
    run->v[FIELD_KILLED] = (double)r->killed;
    run->v[FIELD_BUSY] = r->busy_slot_s;
    run->v[FIELD_CLONE_CAPACITY] = r->clone_capacity_frac;
    run->v[FIELD_LOSER] = r->loser_frac;
    run->v[FIELD_MAX_CLONE] = r->max_clone_frac;
    run->v[FIELD_LOAD_P50] = r->load_p50;
    run->v[FIELD_LOAD_HIGH] = r->load_high_frac;
    run->v[FIELD_SLOWDOWN_P50] = r->slowdown_p50;
    run->v[FIELD_SLOWDOWN_P95] = r->slowdown_p95;
    run->v[FIELD_JOBS_FAILED] = (double)r->jobs_failed;
    for (int i = 0; i < SUMMARY_BINS; i++) {
        run->v[FIELD_BIN_JOBS + i] = (double)r->bins[i].jobs;
        run->v[FIELD_BIN_MEAN + i] = r->bins[i].mean_jct_s;
    }
}

static void relate_phases(struct sim_run *run, const struct sim_run *base)
{
    struct phase_facts f = phase_facts(phase_times_log(run->phases));
    struct phase_gains g = phase_gains(phase_times_log(run->phases), phase_times_log(base->phases));
    run->v[FIELD_SHORTER_P30] = g.shorter_p30;
    run->v[FIELD_SHORTER_P50] = g.shorter_p50;
    run->v[FIELD_SHORTER_P75] = g.shorter_p75;
    run->v[FIELD_SHORTER_P80] = g.shorter_p80;
    run->v[FIELD_SAVED_P50] = g.saved_p50;
    run->v[FIELD_SAVED_P75] = g.saved_p75;
    run->v[FIELD_COPIES] = f.copies_per_task;
    run->v[FIELD_COPIES_WON] = f.copies_won;
    run->v[FIELD_NOT_RECOMPUTED] = f.not_recomputed;
}

void sim_numbers_relate(struct sim_numbers *n, uint32_t baseline)
{
    for (uint32_t p = 0; p < n->policies; p++)
        for (uint32_t k = 0; k < n->seeds; k++) {
            double *v = sim_numbers_run(n, p, k)->v;
            const double *first = sim_numbers_run(n, 0, k)->v;
            const double *base = sim_numbers_run(n, baseline, k)->v;
            /* 0/0 gives NaN, which is what "nothing to compare" should be. */
            v[FIELD_BUSY_VS_FIRST] = v[FIELD_BUSY] / first[FIELD_BUSY];
            v[FIELD_IMPROVEMENT] = 1 - v[FIELD_MEAN_JCT] / base[FIELD_MEAN_JCT];
            if (sim_numbers_run(n, p, k)->phases)
                relate_phases(sim_numbers_run(n, p, k), sim_numbers_run(n, baseline, k));
        }
}

struct sim_estimate sim_numbers_estimate(const struct sim_numbers *n, uint32_t policy, int field)
{
    double *at = mem_zalloc(n->seeds, sizeof *at);

    for (uint32_t k = 0; k < n->seeds; k++)
        at[k] = sim_numbers_run(n, policy, k)->v[field];
    struct sim_estimate e = {stat_mean(at, n->seeds), stat_interval(at, n->seeds)};
    mem_free(at);
    return e;
}

struct sim_estimate sim_numbers_share(const struct sim_numbers *n, uint32_t policy,
                                      uint32_t possible)
{
    double *at = mem_zalloc(n->seeds, sizeof *at);

    for (uint32_t k = 0; k < n->seeds; k++) {
        double most = sim_numbers_run(n, possible, k)->v[FIELD_IMPROVEMENT];
        at[k] = most > 0 ? sim_numbers_run(n, policy, k)->v[FIELD_IMPROVEMENT] / most : NAN;
    }
    struct sim_estimate e = {stat_mean(at, n->seeds), stat_interval(at, n->seeds)};
    mem_free(at);
    return e;
}

uint64_t sim_numbers_digest(const struct sim_numbers *n, uint32_t policy)
{
    if (n->seeds == 1)
        return sim_numbers_run(n, policy, 0)->digest;

    uint64_t all = 0xcbf29ce484222325; /* FNV-1a over the bytes of the digests */
    for (uint32_t k = 0; k < n->seeds; k++)
        for (int shift = 0; shift < 64; shift += 8) {
            all ^= (sim_numbers_run(n, policy, k)->digest >> shift) & 0xff;
            all *= 0x100000001b3;
        }
    return all;
}
