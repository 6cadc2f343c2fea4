/* rule_cost.c - extra slot-seconds in the trailing window, against cap x capacity.
 *
 * The sum so far is kept at every change of what is held, so the window's part is the difference of
 * two of them, found by bisection: exact, where the brain counts up to a sixtieth of the window too
 * much. A launch is legal if all that is held could go on for that sixtieth; and once the limit is
 * met no task keeps more than one attempt.
 *
 * Within the limit spending is even: a tenth of it is a store of tokens, and what is left comes in
 * over 62 sixtieths of the window. A launch is legal if the tokens last for a sixtieth; and once
 * there are none, no more is kept than comes in. What was asked to end is not kept, however long it
 * takes. */
#include "tests/swarm/rule.h"

enum { STEPS = 60 };

static double spent_until(const struct referee *r, int64_t at_us)
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
    return last->until + (double)last->held * (double)(at_us - last->at_us);
}

static double spent_now(const struct referee *r)
{
    return spent_until(r, r->now_us) - spent_until(r, r->now_us - r->rules.cost_window_us);
}

static double limit_of(const struct referee *r, int64_t capacity)
{
    return r->rules.cost * (double)capacity * (double)r->rules.cost_window_us;
}

static double limit(const struct referee *r)
{
    return limit_of(r, r->book.capacity.v[RES_CPU]);
}

static double income(const struct referee *r, int64_t capacity)
{
    return 0.9 * limit_of(r, capacity) * STEPS / (STEPS + 2) / (double)r->rules.cost_window_us;
}

/* How many tokens are missing in the store. */
static double lacks_now(const struct referee *r)
{
    if (r->spent.count == 0)
        return 0;
    const struct rule_spent_at *last = &r->spent.at[r->spent.count - 1];
    double lacks = last->lacks + ((double)last->held - income(r, last->capacity)) *
                                     (double)(r->now_us - last->at_us);
    return lacks > 0 ? lacks : 0;
}

/* Sums of doubles. */
static double slack(const struct referee *r)
{
    return limit(r) * 1e-6 + 1;
}

int rule_cost_launch(struct referee *r, int64_t more)
{
    if (r->rules.cost == 0)
        return 0;
    double step = (double)r->rules.cost_window_us / STEPS;
    double sum = spent_now(r) + (double)(r->book.extra_cpu + more) * step;
    if (sum > limit(r) + slack(r))
        return rule_fail(r, RULE_COST, "%.6f slot-seconds with this one, the cap is %.6f",
                         sum / RES_SLOT / 1e6, limit(r) / RES_SLOT / 1e6);
    double beyond = (double)(r->book.extra_cpu + more) - income(r, r->book.capacity.v[RES_CPU]);
    double lacks = lacks_now(r) + beyond * step;
    if (lacks > 0.1 * limit(r) + slack(r))
        return rule_fail(r, RULE_COST,
                         "the store of %.6f slot-seconds would lack %.6f after a step",
                         0.1 * limit(r) / RES_SLOT / 1e6, lacks / RES_SLOT / 1e6);
    return 0;
}

int rule_cost_said(struct referee *r, const struct decision *d)
{
    if (d->why.code != WHY_CAP)
        return 0;
    if (r->rules.cost == 0)
        return rule_fail(r, RULE_COST, "there is no cap on extra slot-seconds");
    r->tally.cost_met++;
    return 0;
}

/* What is held beyond one attempt for each task and was not asked to end. */
static int64_t extras_kept(const struct book_job *job)
{
    int64_t kept = 0;

    for (uint16_t p = 0; p < job->phase_count && !job->over; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++) {
            uint32_t wanted = book_wanted(&job->phases[p].tasks[t]);
            kept += wanted > 1 ? (int64_t)(wanted - 1) * job->phases[p].demand.v[RES_CPU] : 0;
        }
    return kept;
}

int rule_cost_turn_end(struct referee *r)
{
    if (r->rules.cost == 0)
        return 0;
    int64_t capacity = r->book.capacity.v[RES_CPU], kept = 0;
    double lacks = lacks_now(r);
    struct rule_spent_at now = {r->now_us, r->book.extra_cpu, capacity, spent_until(r, r->now_us),
                                lacks};
    bool met = spent_now(r) > limit(r) + slack(r);
    bool empty = lacks > 0.1 * limit(r) + slack(r);

    vec_push(&r->spent, now);
    for (uint32_t j = 0; (met || empty) && r->book.extra_cpu > 0 && j < r->book.jobs.count; j++)
        kept += extras_kept(&r->book.jobs.at[j]);
    if (met && kept > 0)
        return rule_fail(r, RULE_COST, "%.6f slot-seconds are spent, and %.3f slots are kept",
                         spent_now(r) / RES_SLOT / 1e6, (double)kept / RES_SLOT);
    if (empty && (double)kept > income(r, capacity) * (1 + 1e-6))
        return rule_fail(r, RULE_COST, "no token is left, %.3f slots are kept and %.3f come in",
                         (double)kept / RES_SLOT, income(r, capacity) / RES_SLOT);
    return 0;
}
