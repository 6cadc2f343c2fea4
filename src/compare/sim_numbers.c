/* sim_numbers.c - from runs to estimates.
 *
 * All policies meet the same jobs and the same luck under the same seed. Ratios between policies
 * are therefore taken run by run, before anything is averaged: what a seed does to all policies
 * alike cancels out, and the interval of the ratio is much narrower than those of its two sides. */
#include "compare/sim_numbers.h"

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/stat.h"
#include "stats/detail.h"
#include "stats/phase_facts.h"

const struct sim_field_info sim_fields[NUMBER_PLAIN_END] = {
    [NUMBER_MEAN_JCT] = {"mean_jct_s", false},
    [NUMBER_P50_JCT] = {"p50_jct_s", false},
    [NUMBER_P95_JCT] = {"p95_jct_s", false},
    [NUMBER_MAKESPAN] = {"makespan_s", false},
    [NUMBER_ATTEMPTS] = {"attempts", true},
    [NUMBER_CLONES] = {"clones", true},
    [NUMBER_BACKUPS] = {"backups", true},
    [NUMBER_RESTARTS] = {"restarts", true},
    [NUMBER_KILLED] = {"killed", true},
    [NUMBER_BUSY] = {"busy_slot_s", false},
    [NUMBER_CLONE_CAPACITY] = {"clone_capacity_frac", false},
    [NUMBER_BUSY_VS_FIRST] = {"busy_vs_first", false},
    [NUMBER_LOSER] = {"loser_frac", false},
    [NUMBER_MAX_CLONE] = {"max_clone_frac", false},
    [NUMBER_LOAD_P50] = {"load_p50", false},
    [NUMBER_LOAD_HIGH] = {"load_high_frac", false},
    [NUMBER_SLOWDOWN_P50] = {"slowdown_p50", false},
    [NUMBER_SLOWDOWN_P95] = {"slowdown_p95", false},
    [NUMBER_IMPROVEMENT] = {"improvement", false},
    [NUMBER_JOBS_FAILED] = {"jobs_failed", true},
    [NUMBER_EVENTS] = {"events", true},
    [NUMBER_WALL] = {"wall_s", false},
    [NUMBER_RSS] = {"peak_rss_kib", true},
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
    run->v[NUMBER_MEAN_JCT] = r->mean_jct_s;
    run->v[NUMBER_P50_JCT] = r->p50_jct_s;
    run->v[NUMBER_P95_JCT] = r->p95_jct_s;
    run->v[NUMBER_MAKESPAN] = r->makespan_s;
    run->v[NUMBER_ATTEMPTS] = (double)r->attempts;
    run->v[NUMBER_CLONES] = (double)r->clones;
    run->v[NUMBER_BACKUPS] = (double)r->backups;
    run->v[NUMBER_RESTARTS] = (double)r->restarts;
    run->v[NUMBER_KILLED] = (double)r->killed;
    run->v[NUMBER_BUSY] = r->busy_slot_s;
    run->v[NUMBER_CLONE_CAPACITY] = r->clone_capacity_frac;
    run->v[NUMBER_LOSER] = r->loser_frac;
    run->v[NUMBER_MAX_CLONE] = r->max_clone_frac;
    run->v[NUMBER_LOAD_P50] = r->load_p50;
    run->v[NUMBER_LOAD_HIGH] = r->load_high_frac;
    run->v[NUMBER_SLOWDOWN_P50] = r->slowdown_p50;
    run->v[NUMBER_SLOWDOWN_P95] = r->slowdown_p95;
    run->v[NUMBER_JOBS_FAILED] = (double)r->jobs_failed;
    for (int i = 0; i < SUMMARY_BINS; i++) {
        run->v[NUMBER_BIN_JOBS + i] = (double)r->bins[i].jobs;
        run->v[NUMBER_BIN_MEAN + i] = r->bins[i].mean_jct_s;
    }
}

static void relate_phases(struct sim_run *run, const struct sim_run *base)
{
    struct phase_facts f = phase_facts(phase_times_log(run->phases));
    struct phase_gains g = phase_gains(phase_times_log(run->phases), phase_times_log(base->phases));
    run->v[NUMBER_SHORTER_P30] = g.shorter_p30;
    run->v[NUMBER_SHORTER_P50] = g.shorter_p50;
    run->v[NUMBER_SHORTER_P75] = g.shorter_p75;
    run->v[NUMBER_SHORTER_P80] = g.shorter_p80;
    run->v[NUMBER_SAVED_P50] = g.saved_p50;
    run->v[NUMBER_SAVED_P75] = g.saved_p75;
    run->v[NUMBER_COPIES] = f.copies_per_task;
    run->v[NUMBER_COPIES_WON] = f.copies_won;
    run->v[NUMBER_NOT_RECOMPUTED] = f.not_recomputed;
}

void sim_numbers_relate(struct sim_numbers *n, uint32_t baseline)
{
    for (uint32_t p = 0; p < n->policies; p++)
        for (uint32_t k = 0; k < n->seeds; k++) {
            double *v = sim_numbers_run(n, p, k)->v;
            const double *first = sim_numbers_run(n, 0, k)->v;
            const double *base = sim_numbers_run(n, baseline, k)->v;
            /* 0/0 gives NaN, which is what "nothing to compare" should be. */
            v[NUMBER_BUSY_VS_FIRST] = v[NUMBER_BUSY] / first[NUMBER_BUSY];
            v[NUMBER_IMPROVEMENT] = 1 - v[NUMBER_MEAN_JCT] / base[NUMBER_MEAN_JCT];
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
        double most = sim_numbers_run(n, possible, k)->v[NUMBER_IMPROVEMENT];
        at[k] = most > 0 ? sim_numbers_run(n, policy, k)->v[NUMBER_IMPROVEMENT] / most : NAN;
    }
    struct sim_estimate e = {stat_mean(at, n->seeds), stat_interval(at, n->seeds)};
    mem_free(at);
    return e;
}

uint64_t sim_numbers_digest(const struct sim_numbers *n, uint32_t policy)
{
    if (n->seeds == 1)
        return sim_numbers_run(n, policy, 0)->digest;

    uint64_t all = HASH_START;
    for (uint32_t k = 0; k < n->seeds; k++)
        all = hash_bytes(all, &sim_numbers_run(n, policy, k)->digest, sizeof all);
    return all;
}
