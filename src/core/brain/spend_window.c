/* spend_window.c - keeps the sum spent in a moving window, and its rate.
 *
 * The window is cut into steps, one bucket each, and moves by whole steps: it ends now and begins
 * up to a step before the exact one, so the sum is never too small. Between two steps the sum only
 * grows, and the time at which it reaches the limit is a division; an exact window would have to
 * remember every change of an hour.
 *
 * The sum alone lets the first minutes spend an hour's worth, after which nothing may start for the
 * rest of it. So a tenth of the limit is a store of tokens, and the rest arrives at an even rate:
 * an extra attempt may start while all extra attempts, with the new one, could run for one more
 * step. When the store is empty, attempts beyond the rate end, newest first, because the oldest are
 * nearest to their end. A window spends at most the store and the tokens that arrive meanwhile. The
 * rate is low enough that this, the step that is counted in excess and a step's worth for slow
 * kills stay below the limit.
 *
 * The limit can still be reached, when kills take long or nodes go down. Then all extra attempts
 * end. Rejected: ending all of them whenever tokens run out, and starting none until there are
 * tokens again; most of the spent time would be lost with the attempts. */
#include "core/brain/spend_window.h"

#include "base/check.h"

enum { BUCKETS = SPEND_STEPS + 1 };

static const double STORE = 0.1; /* of the limit */

void spend_window_init(struct spend_window *c, double share, int64_t window_us)
{
    *c = (struct spend_window){.share = share,
                               .step_us = (window_us + SPEND_STEPS - 1) / SPEND_STEPS};
}

static void spend(struct spend_window *c, int64_t until_us)
{
    spend_area more = (spend_area)c->held * (spend_area)(until_us - c->now_us);
    c->bucket[c->at] += more;
    c->sum += more;
    c->now_us = until_us;
}

/* How much may be held for ever. */
static double rate(const struct spend_window *c)
{
    return spend_window_limit(c) * (1 - STORE) / ((SPEND_STEPS + 2) * (double)c->step_us);
}

static spend_area store(const struct spend_window *c)
{
    return spend_window_limit(c) * STORE;
}

void spend_window_advance(struct spend_window *c, int64_t now_us, int64_t capacity)
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

spend_area spend_window_limit(const struct spend_window *c)
{
    return c->share * (double)c->capacity * SPEND_STEPS * (double)c->step_us;
}

double spend_window_spent(const struct spend_window *c)
{
    double all = store(c);
    if (c->share >= 1 || c->taken <= 0)
        return 0;
    return c->taken < all ? c->taken / all : 1;
}

double spend_window_may_hold(const struct spend_window *c)
{
    if (c->share >= 1 || (c->sum < spend_window_limit(c) && c->taken < store(c)))
        return (double)c->held;
    return c->sum < spend_window_limit(c) ? rate(c) : 0;
}

bool spend_window_allows(const struct spend_window *c, int64_t more)
{
    double step_us = (double)c->step_us;
    spend_area cost = (spend_area)(c->held + more) * step_us,
               rounding = spend_window_limit(c) * 1e-12;
    return c->share >= 1 || (c->sum + cost <= spend_window_limit(c) + rounding &&
                             c->taken + cost <= store(c) + rate(c) * step_us + rounding);
}

/* When `left` is used up by what grows at this speed, or at the end of the step if that is sooner.
 */
static int64_t sooner(const struct spend_window *c, int64_t next_us, spend_area left, double speed)
{
    if (left <= 0 || speed <= 0 || left >= speed * (double)(next_us - c->now_us))
        return next_us;
    int64_t wait_us = (int64_t)(left / speed);
    return c->now_us + wait_us + ((spend_area)wait_us * speed < left);
}

int64_t spend_window_next_us(const struct spend_window *c, bool waits)
{
    int64_t next_us = c->bucket_from_us + c->step_us;
    if (c->share >= 1 || (c->held == 0 && !waits))
        return 0;
    next_us = sooner(c, next_us, spend_window_limit(c) - c->sum, (double)c->held);
    return sooner(c, next_us, store(c) - c->taken, (double)c->held - rate(c));
}
