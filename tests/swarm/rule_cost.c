/* rule_cost.c - what extra attempts use of each resource in the trailing window, against cap x
 * capacity.
 *
 * The sum so far is kept at every change of what is held, so the window's part is the difference of
 * two of them, found by bisection: exact, where the brain counts up to a sixtieth of the window too
 * much. A launch is legal if all that is held could go on for that sixtieth; and once the limit is
 * met no task keeps more than one attempt that uses this resource.
 *
 * Within the limit spending is even: a tenth of it is a store of tokens, and what is left comes in
 * over 62 sixtieths of the window. A launch is legal if the tokens last for a sixtieth; and once
 * there are none, no more is kept than comes in. What was asked to end is not kept, however long it
 * takes. */
#include "tests/swarm/rule.h"

enum { STEPS = 60 };

static double spent_until(const struct referee *r, int k, int64_t at_us)
{
    uint32_t low = 0, high = r->spent.count; /* the last entry that is not later */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->spent.at[middle].at_us <= at_us)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct rule_spent_at *last = &r->spent.at[low - 1];
    return last->until[k] + (double)last->held.v[k] * (double)(at_us - last->at_us);
}

static double spent_now(const struct referee *r, int k)
{
    return spent_until(r, k, r->now_us) - spent_until(r, k, r->now_us - r->rules.cost_window_us);
}

static double limit_of(const struct referee *r, int64_t capacity)
{
    return r->rules.cost * (double)capacity * (double)r->rules.cost_window_us;
}

static double limit(const struct referee *r, int k)
{
    return limit_of(r, r->book.capacity.v[k]);
}

static double income(const struct referee *r, int64_t capacity)
{
    return 0.9 * limit_of(r, capacity) * STEPS / (STEPS + 2) / (double)r->rules.cost_window_us;
}

/* How many tokens are missing in the store. */
static double lacks_now(const struct referee *r, int k)
{
    if (r->spent.count == 0)
        return 0;
    const struct rule_spent_at *last = &r->spent.at[r->spent.count - 1];
    double lacks = last->lacks[k] + ((double)last->held.v[k] - income(r, last->capacity.v[k])) *
                                        (double)(r->now_us - last->at_us);
    return lacks > 0 ? lacks : 0;
}

/* Sums of doubles. */
static double slack(const struct referee *r, int k)
{
    return limit(r, k) * 1e-6 + 1;
}

static int launch_of(struct referee *r, int k, int64_t more)
{
    double step = (double)r->rules.cost_window_us / STEPS;
    double held = (double)(r->book.all_extra.v[k] + more);
    double sum = spent_now(r, k) + held * step;
    if (sum > limit(r, k) + slack(r, k))
        return rule_fail(r, RULE_COST, "dimension %d: %.6f unit-seconds with this one of %.6f", k,
                         sum / 1e6, limit(r, k) / 1e6);
    double lacks = lacks_now(r, k) + (held - income(r, r->book.capacity.v[k])) * step;
    if (lacks > 0.1 * limit(r, k) + slack(r, k))
        return rule_fail(
            r, RULE_COST,
            "dimension %d: the store of %.6f unit-seconds would lack %.6f after a step", k,
            0.1 * limit(r, k) / 1e6, lacks / 1e6);
    return 0;
}

int rule_cost_launch(struct referee *r, const struct res_sum *more)
{
    for (int k = 0; k < RES_COUNT && r->rules.cost > 0; k++)
        if (more->v[k] > 0 && launch_of(r, k, more->v[k]) < 0)
            return -1;
    return 0;
}

int rule_cost_said(struct referee *r, const struct decision *d)
{
    if (d->why.code != WHY_CAP)
        return 0;
    if (r->rules.cost == 0)
        return rule_fail(r, RULE_COST, "there is no cap on what extra attempts cost");
    r->tally.cost_met++;
    return 0;
}

/* What is held beyond one attempt for each task and was not asked to end. */
static void add_extras_kept(const struct book_job *job, struct res_sum *kept)
{
    for (uint16_t p = 0; p < job->phase_count && !job->over; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++) {
            uint32_t wanted = book_wanted(&job->phases[p].tasks[t]);
            if (wanted > 1)
                res_sum_add(kept, &job->phases[p].demand, wanted - 1);
        }
}

static int kept_of(struct referee *r, int k, int64_t kept)
{
    double may_keep = income(r, r->book.capacity.v[k]);

    if (kept > 0 && spent_now(r, k) > limit(r, k) + slack(r, k))
        return rule_fail(r, RULE_COST, "dimension %d: %.6f unit-seconds are spent, %lld are kept",
                         k, spent_now(r, k) / 1e6, (long long)kept);
    if (lacks_now(r, k) > 0.1 * limit(r, k) + slack(r, k) && (double)kept > may_keep * (1 + 1e-6))
        return rule_fail(r, RULE_COST,
                         "dimension %d: no token is left, %lld are kept and %.3f come in", k,
                         (long long)kept, may_keep);
    return 0;
}

/* Looking at all tasks takes long: only if any resource has run short. */
static bool runs_short(const struct referee *r)
{
    for (int k = 0; k < RES_COUNT; k++)
        if (r->book.all_extra.v[k] > 0 && (spent_now(r, k) > limit(r, k) + slack(r, k) ||
                                           lacks_now(r, k) > 0.1 * limit(r, k) + slack(r, k)))
            return true;
    return false;
}

int rule_cost_turn_end(struct referee *r)
{
    if (r->rules.cost == 0)
        return 0;
    struct rule_spent_at now = {
        .at_us = r->now_us, .held = r->book.all_extra, .capacity = r->book.capacity};
    for (int k = 0; k < RES_COUNT; k++) {
        now.until[k] = spent_until(r, k, r->now_us);
        now.lacks[k] = lacks_now(r, k);
    }
    vec_push(&r->spent, now);
    if (!runs_short(r))
        return 0;
    struct res_sum kept = {{0}};
    for (uint32_t j = 0; j < r->book.jobs.count; j++)
        add_extras_kept(&r->book.jobs.at[j], &kept);
    for (int k = 0; k < RES_COUNT; k++)
        if (kept_of(r, k, kept.v[k]) < 0)
            return -1;
    return 0;
}
