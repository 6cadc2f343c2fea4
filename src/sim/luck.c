/* luck.c - attempt times: start-up + size / speed x noise x slowness + a stall.
 *
 * The size belongs to the task, so all attempts of a task share it; everything else belongs to the
 * attempt. Drawing whole durations anew for each attempt was rejected: a clone would then escape
 * from a big input as easily as from a bad machine, and cloning would look better than it is.
 *
 * Two streams of random numbers are used, each keyed by the attempt. Noise has its own. Slowness
 * and the stall share one, in a fixed order (slow, whether, when, how long), because a stream costs
 * more to key than to draw from (the part of the key that a phase has in common is computed once);
 * the slow draw is made even if only stalls are on, so that
 * switching slowness on or off moves no stall. */
#include "sim/luck.h"

#include <math.h>

#include "base/check.h"
#include "base/rng.h"

static int64_t whole_us(double us)
{
    return us < (double)LUCK_US_MAX ? (int64_t)(us + 0.5) : LUCK_US_MAX;
}

/* The factor of the window of time, alike on all nodes. Busy windows are spread evenly (multiples
 * of the golden ratio, modulo 1, from a random point on): a run of a few hours should see its
 * share. */
static double busy_mood(const struct luck *luck, uint64_t seed, int64_t at_us)
{
    static const double golden = 0.6180339887498949;
    double window = (double)(at_us / luck->busy_window_us), whole;
    struct rng r = rng_stream(seed, RNG_BUSY, 0, 0, 0, 0);
    return modf(rng_unit(&r) + window * golden, &whole) < luck->busy_share ? luck->busy_factor
                                                                           : luck_calm_factor(luck);
}

static double node_mood(const struct luck *luck, uint64_t seed, struct node_id node, int64_t at_us)
{
    if (luck->bad_share <= 0)
        return 1;
    uint64_t window = luck->window_us > 0 ? (uint64_t)(at_us / luck->window_us) : 0;
    struct rng r = rng_branch(rng_trunk(seed, RNG_NODE_LUCK, node.v, window), 0, 0);
    return rng_unit(&r) < luck->bad_share ? luck->bad_factor : luck->good_factor;
}

double luck_mood(const struct luck *luck, uint64_t seed, struct node_id node, int64_t at_us)
{
    double mood = node_mood(luck, seed, node, at_us);
    return luck->busy_share > 0 ? mood * busy_mood(luck, seed, at_us) : mood;
}

/* How slow a slow attempt is. Its own stream: with one factor for all nothing is drawn here. */
static double slowness(const struct luck *luck, uint64_t seed, struct attempt_ref at)
{
    if (luck->slow_max <= luck->slow_factor && luck->slow_tail <= 0)
        return luck->slow_factor;
    struct rng r = rng_stream(seed, RNG_SLOW, at.job.v, at.phase, at.task, at.attempt);
    double which = rng_unit(&r), where = rng_unit(&r);
    if (which < luck->slow_tail)
        return luck->slow_max * pow(luck->slow_tail_max / luck->slow_max, where);
    return luck->slow_factor + where * (luck->slow_max - luck->slow_factor);
}

/* What slows the attempt down may pass before its work is done. The time lost is then spread over
 * all of its work: one pace is all that a plan has. */
static double slowed(const struct luck *luck, double work, double factor)
{
    double until = (double)luck->slow_for_us;
    return until <= 0 || work * factor <= until ? work * factor : work + until - until / factor;
}

struct luck_trunks luck_trunks(uint64_t seed, struct job_id job, uint16_t phase)
{
    return (struct luck_trunks){.noise = rng_trunk(seed, RNG_NOISE, job.v, phase),
                                .stall = rng_trunk(seed, RNG_STALL, job.v, phase)};
}

struct luck_plan luck_plan(const struct luck *luck, uint64_t seed, struct attempt_ref at,
                           struct node_id node, double speed, int64_t size_us, int64_t start_us)
{
    struct luck_trunks trunks = luck_trunks(seed, at.job, at.phase);
    return luck_plan_from(luck, seed, &trunks, at, node, speed, size_us, start_us);
}

struct luck_plan luck_plan_from(const struct luck *luck, uint64_t seed,
                                const struct luck_trunks *trunks, struct attempt_ref at,
                                struct node_id node, double speed, int64_t size_us,
                                int64_t start_us)
{
    check(speed > 0);
    double work = (double)size_us / speed;
    struct luck_plan plan = {.startup_us = luck->startup_us};

    if (luck->noise > 0) {
        struct rng r = rng_branch(trunks->noise, at.task, at.attempt);
        work *= exp(luck->noise * rng_normal(&r));
    }
    if (luck->pareto <= 0 && luck->slow_p <= 0 && luck->stall_p <= 0) {
        plan.work_us = whole_us(work);
        return plan;
    }

    struct rng r = rng_branch(trunks->stall, at.task, at.attempt);
    double mood = luck_mood(luck, seed, node, start_us);
    if (luck->pareto > 0)
        work *= rng_pareto(&r, luck->pareto);
    else if (rng_unit(&r) < luck->slow_p * mood)
        work = slowed(luck, work, slowness(luck, seed, at));
    plan.work_us = whole_us(work);

    if (luck->stall_p > 0 && rng_unit(&r) < luck->stall_p * mood) {
        plan.stall_at_us = whole_us((double)plan.work_us * pow(rng_unit(&r), luck->stall_at));
        if (plan.stall_at_us > plan.work_us)
            plan.stall_at_us = plan.work_us;
        double length = (double)luck->stall_us;
        if (luck->stall_noise > 0)
            length *= exp(luck->stall_noise * rng_normal(&r));
        plan.stall_us = whole_us(length);
    }
    return plan;
}

struct luck_plan luck_plan_explicit(int64_t time_us, int64_t startup_us)
{
    int64_t life_us = time_us < LUCK_US_MAX ? time_us : LUCK_US_MAX;
    int64_t begins_us = startup_us < life_us ? startup_us : life_us;
    return (struct luck_plan){.startup_us = begins_us, .work_us = life_us - begins_us};
}

bool luck_draws(uint64_t seed, uint32_t purpose, double p, struct attempt_ref at, uint32_t try)
{
    struct rng r =
        rng_stream(seed, purpose, at.job.v, at.phase, at.task, (uint64_t)try << 16 | at.attempt);
    return rng_unit(&r) < p;
}
