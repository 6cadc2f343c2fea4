/* ideal.c - what is spared in each of the ideal worlds.
 *
 * Two kinds. Some worlds only switch something off: bad luck, narrow links between racks, the loss
 * of outputs. In the others every attempt of a phase takes the same time (or, by rate, the same
 * time per byte), and the question is which: the one that is typical of this phase in the real
 * world. That is drawn before the phase runs, from the same random numbers: the first attempt of
 * each task on a node drawn for it, as placement would spread them. Measuring it in a run of the
 * real world first was rejected: it would depend on the policy of that run.
 *
 * Where times are recorded, "no stragglers" depends on why tasks differ, which the reading says: by
 * luck none would be slower than the typical one, by size none than it was at its best; those that
 * were faster stay as they are.
 *
 * Mantri's paper leaves open which time all tasks take under NoSkew; we take the median. A phase of
 * few tasks has few times to lose: the longest quarter of n is n/4 rounded down. */
#include "sim/ideal.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stat.h"
#include "base/text.h"
#include "inputs/workload/recorded.h"
#include "sim/luck.h"

static const char *const names[IDEAL_COUNT] = {
    [IDEAL_NONE] = "none",
    [IDEAL_NOSKEW] = "noskew",
    [IDEAL_CHOPTAIL] = "noskew+choptail",
    [IDEAL_MEDIAN_RATE] = "no-stragglers=median",
    [IDEAL_NO_BAD_LUCK] = "no-stragglers=stalls",
    [IDEAL_NO_STRAGGLERS] = "no-stragglers",
    [IDEAL_REDUCE] = "ideal-reduce",
    [IDEAL_RECOMPUTE] = "ideal-recompute",
};

const char *ideal_name(enum ideal i)
{
    return names[i];
}

int ideal_parse(const char *text, enum ideal *out, struct err *err)
{
    struct str all = {0};
    for (int i = IDEAL_NONE + 1; i < IDEAL_COUNT; i++) {
        if (strcmp(names[i], text) == 0) {
            *out = (enum ideal)i;
            str_free(&all);
            return 0;
        }
        str_addf(&all, "%s%s", i > 1 ? ", " : "", names[i]);
    }
    err_set(err, "unknown yardstick '%s'; there are %s", text, all.text);
    str_free(&all);
    return -1;
}

void ideal_cluster(enum ideal i, struct cluster *c)
{
    if (i == IDEAL_NO_BAD_LUCK || i == IDEAL_NO_STRAGGLERS)
        c->luck.stall_p = c->luck.slow_p = c->luck.pareto = 0;
    if (i == IDEAL_REDUCE)
        c->wires.oversubscription = 1;
}

/* How many attempts of the task have their times from the workload. */
static uint32_t times_given(const struct phase_truth *truth, uint32_t task)
{
    return truth->attempt_from ? truth->attempt_from[task + 1] - truth->attempt_from[task] : 0;
}

/* The first attempt of a task of the phase, drawn for attempt `at`. */
static struct attempt_ref some_first_attempt(uint64_t seed, struct attempt_ref at, uint32_t tasks)
{
    struct rng r = rng_stream(seed, RNG_FURTHER, at.job.v, at.phase, at.task, at.attempt);
    at.task = (uint32_t)rng_below(&r, tasks);
    at.attempt = 0;
    return at;
}

struct luck_plan ideal_plan_from(const struct cluster *c, uint64_t seed,
                                 const struct luck_trunks *trunks, struct attempt_ref at,
                                 struct node_id node, double speed, const struct phase_spec *spec,
                                 const struct phase_truth *truth, int64_t start_us)
{
    uint32_t given = times_given(truth, at.task);
    if (c->luck.further == FURTHER_TASK && at.attempt > 0 && at.attempt >= given) {
        at = some_first_attempt(seed, at, spec->tasks);
        given = times_given(truth, at.task);
    }
    if (given > 0)
        return luck_plan_explicit(recorded_time_us(spec, truth, seed, at), truth->startup_us);
    int64_t size_us = truth->size_each ? truth->size_each[at.task] : truth->size_us;
    return luck_plan_from(&c->luck, seed, trunks, at, node, speed, size_us, start_us);
}

struct luck_plan ideal_plan_real(const struct cluster *c, uint64_t seed, struct attempt_ref at,
                                 struct node_id node, double speed, const struct phase_spec *spec,
                                 const struct phase_truth *truth, int64_t start_us)
{
    struct luck_trunks trunks = luck_trunks(seed, at.job, at.phase);
    return ideal_plan_from(c, seed, &trunks, at, node, speed, spec, truth, start_us);
}

static int64_t task_bytes(const struct phase_spec *spec, uint32_t task)
{
    int64_t bytes = phase_input_bytes(spec, task);
    return bytes > 0 ? bytes : 1;
}

static double mean_of_shortest(double *times, uint32_t count, uint32_t kept)
{
    double last = stat_quantile(times, count, (kept - 0.5) / count), sum = 0;
    uint32_t below = 0;
    for (uint32_t t = 0; t < count; t++)
        if (times[t] < last) {
            sum += times[t];
            below++;
        }
    return (sum + (kept - below) * last) / kept;
}

double ideal_measure(enum ideal i, const struct cluster *c, uint64_t seed, struct job_id job,
                     uint16_t phase, const struct phase_spec *spec, const struct phase_truth *truth,
                     int64_t at_us)
{
    double *times = mem_zalloc(spec->tasks, sizeof *times);
    for (uint32_t t = 0; t < spec->tasks; t++) {
        struct rng r = rng_stream(seed, RNG_PLACE, job.v, phase, t, 0);
        uint32_t node = (uint32_t)rng_below(&r, c->node_count);
        struct attempt_ref at = {job, t, phase, 0};
        struct luck_plan plan = ideal_plan_real(c, seed, at, (struct node_id){node},
                                                c->nodes[node].speed, spec, truth, at_us);
        times[t] = (double)luck_life_us(&plan);
        if (i == IDEAL_MEDIAN_RATE)
            times[t] /= (double)task_bytes(spec, t);
    }
    double typical = stat_quantile(times, spec->tasks, 0.5);
    if (i == IDEAL_CHOPTAIL)
        typical = mean_of_shortest(times, spec->tasks, spec->tasks - spec->tasks / 4);
    mem_free(times);
    return typical;
}

int64_t ideal_task_us(enum ideal i, double measure, const struct phase_spec *spec, uint32_t task)
{
    double us = i == IDEAL_MEDIAN_RATE ? measure * (double)task_bytes(spec, task) : measure;
    return us < (double)LUCK_US_MAX ? (int64_t)(us + 0.5) : LUCK_US_MAX;
}

int64_t ideal_most_us(double measure, const struct phase_spec *spec,
                      const struct phase_truth *truth, uint32_t task)
{
    if (truth->vary != RECORDED_SIZE)
        return ideal_task_us(IDEAL_MEDIAN_RATE, measure, spec, task);
    int64_t least_us = LUCK_US_MAX;
    for (uint32_t i = truth->attempt_from[task]; i < truth->attempt_from[task + 1]; i++)
        least_us = truth->attempts[i] < least_us ? truth->attempts[i] : least_us;
    return least_us;
}
