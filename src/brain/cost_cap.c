/* cost_cap.c - an account of what was spent in a window that moves along, and how fast.
 *
 * The window is cut into steps, one bucket each, and moves by whole steps: it ends now and begins
 * up to a step before the exact one, so the sum is never too small. Between two steps the sum only
 * grows, and when it will meet the limit is a division; an exact window would have to remember
 * every change of an hour.
 *
 * The sum alone lets the first minutes spend an hour's worth, after which nothing may start for the
 * rest of it. So a tenth of the limit is a store of tokens, and the rest comes in at an even rate:
 * whoever asks for an extra attempt is let through while everything that is held, and the new one,
 * could go on for one more step. When the store is empty what is held beyond the rate has to go,
 * newest first, because the oldest are nearest to their end. What is spent in a window is at most
 * the store and what comes in meanwhile, and the rate is so low that this, the step that is counted
 * too much and a step's worth for kills that take their time make no more than the limit.
 *
 * The limit can be met all the same, when kills take long or nodes go down. Then all goes.
 * Rejected: to end everything whenever tokens run out, and to start nothing until some are there
 * again: then most of what was spent is lost with the attempts. */
#include "brain/cost_cap.h"

#include "base/check.h"

enum { BUCKETS = COST_CAP_STEPS + 1 };

static const double STORE = 0.1; /* of the limit */

void cost_cap_init(struct cost_cap *c, double share, int64_t window_us)
{
    *c = (struct cost_cap){.share = share,
                           .step_us = (window_us + COST_CAP_STEPS - 1) / COST_CAP_STEPS};
}

static void spend(struct cost_cap *c, int64_t until_us)
{
    cost_cap_area more = (cost_cap_area)c->held * (cost_cap_area)(until_us - c->now_us);
    c->bucket[c->at] += more;
    c->sum += more;
    c->now_us = until_us;
}

/* Thousandths of a slot that may be held for ever. */
static double rate(const struct cost_cap *c)
{
    return cost_cap_limit(c) * (1 - STORE) / ((COST_CAP_STEPS + 2) * (double)c->step_us);
}

static cost_cap_area store(const struct cost_cap *c)
{
    return cost_cap_limit(c) * STORE;
}

void cost_cap_advance(struct cost_cap *c, int64_t now_us, int64_t capacity)
{
    check(now_us >= c->now_us);
    c->taken += ((double)c->held - rate(c)) * (double)(now_us - c->now_us);
    if (c->taken < 0)
        c->taken = 0;
    c->capacity = capacity;
    int64_t steps = (now_us - c->bucket_from_us) / c->step_us;
    if (steps > 2 * BUCKETS) { /* all buckets are alike by then */
        int64_t skipped = steps - 2 * BUCKETS;
        c->now_us += skipped * c->step_us;
        c->bucket_from_us += skipped * c->step_us;
        steps -= skipped;
    }
    for (; steps > 0; steps--) {
        spend(c, c->bucket_from_us + c->step_us);
        c->bucket_from_us += c->step_us;
        c->at = (c->at + 1) % BUCKETS;
        c->bucket[c->at] = 0;
        c->sum = 0;
        for (uint32_t i = 0; i < BUCKETS; i++)
            c->sum += c->bucket[i]; /* anew: what is added and subtracted for ever drifts */
    }
    spend(c, now_us);
}

cost_cap_area cost_cap_limit(const struct cost_cap *c)
{
    return c->share * (double)c->capacity * COST_CAP_STEPS * (double)c->step_us;
}

double cost_cap_may_hold(const struct cost_cap *c)
{
    if (c->share >= 1 || (c->sum < cost_cap_limit(c) && c->taken < store(c)))
        return (double)c->held;
    return c->sum < cost_cap_limit(c) ? rate(c) : 0;
}

bool cost_cap_allows(const struct cost_cap *c, int64_t more)
{
    double step_us = (double)c->step_us;
    cost_cap_area cost = (cost_cap_area)(c->held + more) * step_us,
                  rounding = cost_cap_limit(c) * 1e-12;
    return c->share >= 1 || (c->sum + cost <= cost_cap_limit(c) + rounding &&
                             c->taken + cost <= store(c) + rate(c) * step_us + rounding);
}

/* When `left` is used up by what grows at this speed, or at the end of the step if that is sooner.
 */
static int64_t sooner(const struct cost_cap *c, int64_t next_us, cost_cap_area left, double speed)
{
    if (left <= 0 || speed <= 0 || left >= speed * (double)(next_us - c->now_us))
        return next_us;
    int64_t wait_us = (int64_t)(left / speed);
    return c->now_us + wait_us + ((cost_cap_area)wait_us * speed < left);
}

int64_t cost_cap_next_us(const struct cost_cap *c)
{
    int64_t next_us = c->bucket_from_us + c->step_us;
    if (c->share >= 1 || (c->held == 0 && !c->said))
        return 0;
    next_us = sooner(c, next_us, cost_cap_limit(c) - c->sum, (double)c->held);
    return sooner(c, next_us, store(c) - c->taken, (double)c->held - rate(c));
}
