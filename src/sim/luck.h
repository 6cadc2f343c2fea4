/* luck.h - how long an attempt takes and how its progress looks, as a pure function of its name.
 *
 * Nothing is remembered: the same attempt on the same node, started at the same time, has the same
 * plan whenever it is asked for. Knobs that are off cost no random numbers. */
#pragma once

#include <stdint.h>

#include "core/model/id.h"
#include "inputs/cluster/cluster.h"

/* Longer times are cut to this (some 3000 years), so that a few of them can be added safely. */
#define LUCK_US_MAX INT64_C(100000000000000000)

/* The life of an attempt: start-up, then work at a steady pace, interrupted at most once. */
struct luck_plan {
    int64_t startup_us;
    int64_t work_us;
    int64_t stall_at_us; /* the stall begins after this much work ... */
    int64_t stall_us;    /* ... and lasts this long */
};

/* What the keys of random numbers for all attempts of a phase begin with (rng_trunk). */
struct luck_trunks {
    uint64_t noise, stall;
};
struct luck_trunks luck_trunks(uint64_t seed, struct job_id job, uint16_t phase);

/* The plan of attempt `at`, which starts at `start_us` on a node of this speed (> 0), for a task of
 * this size. The trunks are those of its phase. */
struct luck_plan luck_plan_from(const struct luck *luck, uint64_t seed,
                                const struct luck_trunks *trunks, struct attempt_ref at,
                                struct node_id node, double speed, int64_t size_us,
                                int64_t start_us);

/* The same where the trunks are not at hand. */
struct luck_plan luck_plan(const struct luck *luck, uint64_t seed, struct attempt_ref at,
                           struct node_id node, double speed, int64_t size_us, int64_t start_us);

/* The plan of an attempt whose time is given: all of it except the start-up is work. */
struct luck_plan luck_plan_explicit(int64_t time_us, int64_t startup_us);

/* The factor on the probabilities of bad luck on a node at a time. */
double luck_mood(const struct luck *luck, uint64_t seed, struct node_id node, int64_t at_us);

/* Returns true with probability p > 0, keyed by purpose and attempt. `try` distinguishes repeated
 * draws of one attempt. */
bool luck_draws(uint64_t seed, uint32_t purpose, double p, struct attempt_ref at, uint32_t try);

/* Does the same for any p; draws nothing for p <= 0, as mostly. */
static inline bool luck_strikes(uint64_t seed, uint32_t purpose, double p, struct attempt_ref at,
                                uint32_t try)
{
    return p > 0 && luck_draws(seed, purpose, p, at, try);
}

/* The time from start to end. */
static inline int64_t luck_life_us(const struct luck_plan *plan)
{
    return plan->startup_us + plan->work_us + plan->stall_us;
}

/* The part of `total` that is done after `worked_us` of the work. */
static inline int64_t luck_share(int64_t worked_us, int64_t work_us, int64_t total)
{
    if (worked_us >= work_us)
        return total;
    if (worked_us <= 0)
        return 0;
    return (int64_t)((double)total * ((double)worked_us / (double)work_us));
}

/* The part of `total` that is done when the attempt has run for `elapsed_us`; 0..total. */
static inline int64_t luck_done(const struct luck_plan *plan, int64_t elapsed_us, int64_t total)
{
    if (elapsed_us >= luck_life_us(plan))
        return total;
    int64_t worked = elapsed_us - plan->startup_us;
    if (worked <= 0)
        return 0;
    if (worked > plan->stall_at_us) {
        worked -= plan->stall_us;
        if (worked < plan->stall_at_us)
            worked = plan->stall_at_us;
    }
    return luck_share(worked, plan->work_us, total);
}
