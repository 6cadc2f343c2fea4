/* tell.c - computes means and deviations of task times from the distributions that the simulator
 * draws from.
 *
 * An attempt takes  startup + size x W + S:  W is 1 / speed x noise x slowness, S a stall. Noise,
 * speed and slowness are independent of each other; slowness and stalls both follow the mood of
 * node and time, and given the mood they are independent, too. So the first two moments of W and S,
 * and the mean of their product, are sums over at most four moods. Over the tasks of a phase,
 *
 *     variance = mean over tasks of (variance of a task's time) + variance of (a task's mean time).
 *
 * Where slowness passes after a while (slow_for), it depends on the size; it is taken at the mean
 * size of the phase. A Pareto factor of shape 2 or less has no deviation: it counts as that of an
 * exponential time, as large as the mean. One of shape 1 or less has no mean: as much as can be
 * told is told.
 *
 * Measuring by drawing a thousand attempts was rejected: it costs more than simulating most phases,
 * and would give another number for each seed. */
#include "inputs/workload/tell.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

/* ---- luck ---- */

/* Mean of exp(sigma x N), and of its square. */
static double noise_mean(double sigma)
{
    return exp(sigma * sigma / 2);
}
static double noise_square(double sigma)
{
    return exp(2 * sigma * sigma);
}

static void add_paces(struct tell_luck *t, const struct cluster *c)
{
    for (uint32_t i = 0; i < c->node_count; i++) {
        t->pace += 1 / c->nodes[i].speed / c->node_count;
        t->pace_square += 1 / c->nodes[i].speed / c->nodes[i].speed / c->node_count;
    }
    t->pace *= noise_mean(c->luck.noise);
    t->pace_square *= noise_square(c->luck.noise);
}

static void add_moods(struct tell_luck *t, const struct luck *l)
{
    double bad = l->bad_share > 0 ? l->bad_share : 0;
    double busy = l->busy_share > 0 ? l->busy_share : 0;
    for (int i = 0; i < 4; i++) {
        double share = (i & 1 ? bad : 1 - bad) * (i & 2 ? busy : 1 - busy);
        double mood = bad > 0 ? (i & 1 ? l->bad_factor : l->good_factor) : 1;
        if (share <= 0)
            continue;
        mood *= busy > 0 ? (i & 2 ? l->busy_factor : luck_calm_factor(l)) : 1;
        double slow = fmin(1, l->pareto > 0 ? 0 : l->slow_p * mood);
        double stall = fmin(1, l->stall_p * mood);
        t->slow_p += share * slow;
        t->stall_p += share * stall;
        t->both_p += share * slow * stall;
    }
}

struct tell_luck tell_luck(const struct cluster *cluster)
{
    const struct luck *l = &cluster->luck;
    struct tell_luck t = {.luck = l};
    add_paces(&t, cluster);
    add_moods(&t, l);
    t.stall_us = (double)l->stall_us * noise_mean(l->stall_noise);
    t.stall_us_square = (double)l->stall_us * (double)l->stall_us * noise_square(l->stall_noise);
    return t;
}

/* ---- slowness ---- */

/* Mean of a factor on the work, and of its square. */
struct factor {
    double mean, square;
};

/* By how much an attempt that is `slow` times slower for a while is slower in all. */
static double slowed(const struct luck *l, double work_us, double slow)
{
    double until = (double)l->slow_for_us;
    return until <= 0 || work_us * slow <= until ? slow : 1 + (until - until / slow) / work_us;
}

/* The factor of slow attempts with so much work: STEPS equally likely ones of each kind. */
static struct factor slow_factor(const struct luck *l, double work_us)
{
    enum { STEPS = 64 };
    struct factor f = {0, 0};
    double tail = l->slow_tail > 0 ? l->slow_tail : 0;
    bool alike = l->slow_max <= l->slow_factor && tail <= 0;
    for (int i = 0; i < STEPS; i++) {
        double where = (i + 0.5) / STEPS;
        double usual = slowed(l, work_us,
                              alike ? l->slow_factor
                                    : l->slow_factor + where * (l->slow_max - l->slow_factor));
        double far =
            tail > 0 ? slowed(l, work_us, l->slow_max * pow(l->slow_tail_max / l->slow_max, where))
                     : 0;
        f.mean += ((1 - tail) * usual + tail * far) / STEPS;
        f.square += ((1 - tail) * usual * usual + tail * far * far) / STEPS;
    }
    return f;
}

static struct factor pareto_factor(double shape)
{
    double mean = shape > 1 ? shape / (shape - 1) : INFINITY;
    return (struct factor){mean, shape > 2 ? shape / (shape - 2) : 2 * mean * mean};
}

/* ---- a phase ---- */

/* Moments of W and S for tasks of about this size. */
struct time_spread {
    double mean, variance;             /* of W */
    double stall_mean, stall_variance; /* of S */
    double covariance;
};

static struct time_spread time_spread_of(const struct tell_luck *t, double size_us)
{
    const struct luck *l = t->luck;
    struct factor slow = {1, 1}, all = {1, 1};
    double with_stall = t->stall_p; /* mean of slowness where it stalls, 0 elsewhere */
    if (l->pareto > 0) {
        all = pareto_factor(l->pareto);
        with_stall *= all.mean;
    } else if (t->slow_p > 0) {
        slow = slow_factor(l, fmax(size_us * t->pace, 1));
        all = (struct factor){1 + t->slow_p * (slow.mean - 1), 1 + t->slow_p * (slow.square - 1)};
        with_stall += t->both_p * (slow.mean - 1);
    }
    double mean = t->pace * all.mean, stall_mean = t->stall_p * t->stall_us;
    return (struct time_spread){
        .mean = mean,
        .variance = t->pace_square * all.square - mean * mean,
        .stall_mean = stall_mean,
        .stall_variance = t->stall_p * t->stall_us_square - stall_mean * stall_mean,
        .covariance = t->pace * t->stall_us * with_stall - mean * stall_mean,
    };
}

static double mean_size_us(const struct phase_truth *truth, uint32_t tasks)
{
    double sum = 0;
    for (uint32_t i = 0; i < tasks && truth->size_each; i++)
        sum += (double)truth->size_each[i];
    return truth->size_each ? sum / tasks : (double)truth->size_us;
}

/* A task's own mean, and its variance. */
static double task_mean_us(const struct tell_luck *t, const struct time_spread *w,
                           const struct phase_truth *truth, uint32_t task, double *variance)
{
    if (truth->attempt_from && truth->attempt_from[task] < truth->attempt_from[task + 1]) {
        *variance = 0; /* its time is given, without luck */
        return (double)truth->attempts[truth->attempt_from[task]];
    }
    double size = (double)(truth->size_each ? truth->size_each[task] : truth->size_us);
    *variance = size > 0 ? size * size * w->variance + w->stall_variance + 2 * size * w->covariance
                         : w->stall_variance;
    return (double)t->luck->startup_us + (size > 0 ? size * w->mean : 0) + w->stall_mean;
}

struct tell_time tell_phase(const struct tell_luck *l, const struct phase_spec *spec,
                            const struct phase_truth *truth)
{
    struct time_spread w = time_spread_of(l, mean_size_us(truth, spec->tasks));
    bool alike = !truth->size_each && !truth->attempt_from;
    uint32_t tasks = alike ? 1 : spec->tasks;
    double mean = 0, square = 0, variance = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        double own_variance, own = task_mean_us(l, &w, truth, i, &own_variance);
        double off = own - mean;
        mean += off / (i + 1);
        square += off * (own - mean);
        variance += own_variance;
    }
    return (struct tell_time){mean, sqrt(fmax(0, (square + variance) / tasks))};
}

/* ---- jobs ---- */

struct telling {
    struct workload workload; /* first: the stream is cast to this */
    struct workload *inner;
    struct tell_luck luck;
    uint64_t seed, index; /* of the next job */
    enum tell tell;
    double error;
};

/* What can be told of a time; not a number counts as the longest. */
static int64_t whole_us(double us, double least)
{
    return us < TELL_MAX_US ? (int64_t)fmax(least, round(us)) : (int64_t)TELL_MAX_US;
}

static void tell_of(const struct telling *t, struct phase_spec *spec,
                    const struct phase_truth *truth, uint16_t phase)
{
    struct tell_time time = {(double)spec->expect_us, (double)spec->expect_dev_us};
    if (t->tell == TELL_EXACT)
        time = tell_phase(&t->luck, spec, truth);
    spec->expect_us = spec->expect_dev_us = 0;
    if (t->tell == TELL_NONE || time.mean_us <= 0)
        return;
    struct rng r = rng_stream(t->seed, RNG_TELL, t->index, phase, 0, 0);
    double factor = t->error > 0 ? exp(t->error * rng_normal(&r)) : 1;
    spec->expect_us = whole_us(time.mean_us * factor, 1);
    spec->expect_dev_us = time.dev_us > 0 ? whole_us(time.dev_us * factor, 0) : 0;
}

static struct workload_job *tell_next(struct workload *w)
{
    struct telling *t = (struct telling *)w;
    struct workload_job *job = w->closed ? NULL : t->inner->next(t->inner);
    for (uint16_t k = 0; job && k < job->spec.phase_count; k++) /* it is still ours to change */
        tell_of(t, (struct phase_spec *)(uintptr_t)&job->spec.phases[k], &job->truth[k], k);
    t->index++;
    return job;
}

static void tell_destroy(struct workload *w)
{
    struct telling *t = (struct telling *)w;
    t->inner->destroy(t->inner);
    mem_free(t);
}

struct workload *tell_create(struct workload *inner, const struct cluster *cluster, uint64_t seed,
                             enum tell tell, double error)
{
    struct telling *t = mem_zalloc(1, sizeof *t);
    *t = (struct telling){
        .workload = {.name = inner->name, .next = tell_next, .destroy = tell_destroy},
        .inner = inner,
        .luck = tell_luck(cluster),
        .seed = seed,
        .tell = tell,
        .error = error,
    };
    return &t->workload;
}
