/* sim_numbers.c - from runs to estimates.
 *
 * All policies meet the same jobs and the same luck under the same seed. Ratios between policies
 * are therefore taken run by run, before anything is averaged: what a seed does to all policies
 * alike cancels out, and the interval of the ratio is much narrower than those of its two sides. */
#include "commands/sim/sim_numbers.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/stat.h"
#include "commands/sim/estimate_watch.h"
#include "record/stats/detail.h"
#include "record/stats/phase_facts.h"

#define RUN NUMBER_OF_RUN, 0
#define SUMMARY(member) NUMBER_OF_SUMMARY, offsetof(struct summary_result, member)
#define GAINS(member) NUMBER_OF_GAINS, offsetof(struct phase_gains, member)
#define FACTS(member) NUMBER_OF_FACTS, offsetof(struct phase_facts, member)
#define ESTIMATES(member) NUMBER_OF_ESTIMATES, offsetof(struct estimate_errors, member)
#define ROW(name, json, head, look, ...) [NUMBER_##name] = {json, head, NUMBER_##look, __VA_ARGS__},
#define BIN(i)                                                                                     \
    ROW(BIN_JOBS + i, "jobs", NULL, WHOLE, SUMMARY(bins[i].jobs))                                  \
    ROW(BIN_MEAN + i, "mean_jct_s", NULL, FINE, SUMMARY(bins[i].mean_jct_s))
#define RESOURCE(i)                                                                                \
    ROW(RES_CAPACITY + i, "capacity", NULL, FINE, SUMMARY(resources[i].capacity))                  \
    ROW(RES_BUSY + i, "busy_s", NULL, FINE, SUMMARY(resources[i].busy_s))                          \
    ROW(RES_EXTRA + i, "extra_s", NULL, FINE, SUMMARY(resources[i].extra_s))

/* clang-format off */
const struct sim_number sim_numbers_table[NUMBER_COUNT] = {
    SIM_NUMBERS_PLAIN(ROW)
    SIM_NUMBERS_PHASES(ROW)
    SIM_NUMBERS_ESTIMATES(ROW)
    BIN(0) BIN(1) BIN(2) BIN(3) BIN(4)
    RESOURCE(RES_CPU) RESOURCE(RES_MEM) RESOURCE(RES_X) RESOURCE(RES_Y)
};
/* clang-format on */

void sim_numbers_init(struct sim_numbers *n, uint32_t policies, uint32_t seeds)
{
    *n = (struct sim_numbers){policies, seeds, NULL};
    n->runs = mem_zalloc((size_t)policies * seeds, sizeof *n->runs);
}

void sim_numbers_fini(struct sim_numbers *n)
{
    for (uint64_t i = 0; n->runs && i < (uint64_t)n->policies * n->seeds; i++) {
        if (n->runs[i].borrowed)
            continue;
        phase_times_destroy(n->runs[i].phases);
        detail_destroy(n->runs[i].detail);
    }
    mem_free(n->runs);
    n->runs = NULL;
}

void sim_numbers_take(struct sim_run *run, enum number_from from, const void *values)
{
    for (int i = 0; i < NUMBER_COUNT; i++) {
        const struct sim_number *t = &sim_numbers_table[i];
        const char *at = (const char *)values + t->offset;
        uint64_t whole;
        if (t->from != from)
            continue;
        memcpy(&run->v[i], at, sizeof run->v[i]);
        memcpy(&whole, at, sizeof whole);
        if (from == NUMBER_OF_SUMMARY && t->look == NUMBER_WHOLE)
            run->v[i] = (double)whole;
    }
}

static void relate_phases(struct sim_run *run, const struct sim_run *base)
{
    const struct phase_log *log = phase_times_log(run->phases);
    struct phase_facts f = phase_facts(log);
    struct phase_gains g = phase_facts_gains(log, phase_times_log(base->phases));
    sim_numbers_take(run, NUMBER_OF_FACTS, &f);
    sim_numbers_take(run, NUMBER_OF_GAINS, &g);
}

/* The resource of which the run used most, as a share of what the cluster has. */
static int busiest(const double *v)
{
    int most = RES_CPU;
    for (int i = 0; i < RES_COUNT; i++)
        if (v[NUMBER_RES_CAPACITY + i] > 0 &&
            !(v[NUMBER_RES_BUSY + i] / v[NUMBER_RES_CAPACITY + i] <=
              v[NUMBER_RES_BUSY + most] / v[NUMBER_RES_CAPACITY + most]))
            most = i;
    return most;
}

/* By how much more of the cluster was used: its dominant share x time over that of the first. */
static double busy_ratio(const struct sim_run *run, const struct sim_run *first)
{
    int a = busiest(run->v), b = busiest(first->v);
    /* 0/0 gives NaN, which is what "nothing to compare" should be. */
    double ratio = run->v[NUMBER_RES_BUSY + a] / first->v[NUMBER_RES_BUSY + b];
    return a == b ? ratio
                  : ratio / run->v[NUMBER_RES_CAPACITY + a] * first->v[NUMBER_RES_CAPACITY + b];
}

void sim_numbers_relate(struct sim_numbers *n, uint32_t baseline)
{
    for (uint32_t p = 0; p < n->policies; p++)
        for (uint32_t k = 0; k < n->seeds; k++) {
            struct sim_run *run = sim_numbers_run(n, p, k);
            const struct sim_run *base = sim_numbers_run(n, baseline, k);
            double *v = run->v;
            v[NUMBER_BUSY_VS_FIRST] = busy_ratio(run, sim_numbers_run(n, 0, k));
            v[NUMBER_IMPROVEMENT] = 1 - v[NUMBER_MEAN_JCT] / base->v[NUMBER_MEAN_JCT];
            if (run->phases)
                relate_phases(run, base);
        }
}

/* Takes `at`, a value for each seed. */
static struct sim_estimate estimate(const struct sim_numbers *n, double *at)
{
    struct sim_estimate e = {stat_mean(at, n->seeds), stat_interval(at, n->seeds)};
    mem_free(at);
    return e;
}

struct sim_estimate sim_numbers_estimate(const struct sim_numbers *n, uint32_t policy, int number)
{
    double *at = mem_zalloc(n->seeds, sizeof *at);

    for (uint32_t k = 0; k < n->seeds; k++)
        at[k] = sim_numbers_run(n, policy, k)->v[number];
    return estimate(n, at);
}

struct sim_estimate sim_numbers_share(const struct sim_numbers *n, uint32_t policy,
                                      uint32_t possible)
{
    double *at = mem_zalloc(n->seeds, sizeof *at);

    for (uint32_t k = 0; k < n->seeds; k++) {
        double most = sim_numbers_run(n, possible, k)->v[NUMBER_IMPROVEMENT];
        at[k] = most > 0 ? sim_numbers_run(n, policy, k)->v[NUMBER_IMPROVEMENT] / most : NAN;
    }
    return estimate(n, at);
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
