/* rule_cost.c - extra slot-seconds in the trailing window, against cap x capacity.
 *
 * The sum so far is kept at every change of what is held, so the window's part is the difference of
 * two of them, found by bisection: exact, where the brain counts up to a sixtieth of the window too
 * much. A launch is legal if all that is held could go on for that sixtieth; and once the limit is
 * met no task keeps more than one attempt. */
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

static double limit(const struct referee *r)
{
    return r->rules.cost * (double)r->book.capacity.v[RES_CPU] * (double)r->rules.cost_window_us;
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

static int extras_asked(struct referee *r, const struct book_job *job)
{
    for (uint16_t p = 0; p < job->phase_count && !job->over; p++)
        for (uint32_t t = 0; t < job->phases[p].task_count; t++)
            if (book_wanted(&job->phases[p].tasks[t]) > 1)
                return rule_fail(r, RULE_COST,
                                 "%.6f slot-seconds are spent, and task %u.%u.%u keeps %u attempts",
                                 spent_now(r) / RES_SLOT / 1e6, job->id.v, p, t,
                                 book_wanted(&job->phases[p].tasks[t]));
    return 0;
}

int rule_cost_turn_end(struct referee *r)
{
    if (r->rules.cost == 0)
        return 0;
    struct rule_spent_at now = {r->now_us, r->book.extra_cpu, spent_until(r, r->now_us)};
    bool met = spent_now(r) > limit(r) + slack(r);

    vec_push(&r->spent, now);
    for (uint32_t j = 0; met && r->book.extra_cpu > 0 && j < r->book.jobs.count; j++)
        if (extras_asked(r, &r->book.jobs.at[j]) < 0)
            return -1;
    return 0;
}
