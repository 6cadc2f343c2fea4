/* cap.c - an account of what was spent in a window that moves along.
 *
 * The window is cut into steps, one bucket each, and moves by whole steps: it ends now and begins
 * up to a step before the exact one, so the sum is never too small. Between two steps the sum only
 * grows, and when it will meet the limit is a division; an exact window would have to remember
 * every change of an hour.
 *
 * Whoever asks for an extra attempt is let through while everything that is held, and the new one,
 * could go on for one more step. When the limit is met all the same, what is held has to go, and
 * nothing is allowed until a tenth of the limit is free: otherwise attempts would be launched only
 * to be ended again. */
#include "brain/cap.h"

#include "base/check.h"

enum { BUCKETS = CAP_STEPS + 1 };

void cap_init(struct cap *c, double share, int64_t window_us)
{
    *c = (struct cap){.share = share, .step_us = (window_us + CAP_STEPS - 1) / CAP_STEPS};
}

static void spend(struct cap *c, int64_t until_us)
{
    cap_area more = (cap_area)c->held * (cap_area)(until_us - c->now_us);
    c->bucket[c->at] += more;
    c->sum += more;
    c->now_us = until_us;
}

void cap_advance(struct cap *c, int64_t now_us)
{
    check(now_us >= c->now_us);
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

cap_area cap_limit(const struct cap *c, int64_t capacity)
{
    return c->share * (double)capacity * CAP_STEPS * (double)c->step_us;
}

bool cap_review(struct cap *c, int64_t capacity)
{
    cap_area limit = cap_limit(c, capacity);
    if (c->sum >= limit)
        c->spent = true;
    else if (c->sum <= limit * 0.9)
        c->spent = false;
    return c->sum >= limit;
}

bool cap_allows(const struct cap *c, int64_t capacity, int64_t more)
{
    cap_area sum = c->sum + (cap_area)(c->held + more) * (cap_area)c->step_us;
    return c->share >= 1 || (!c->spent && sum <= cap_limit(c, capacity) * (1 + 1e-12));
}

int64_t cap_next_us(const struct cap *c, int64_t capacity)
{
    int64_t step_end_us = c->bucket_from_us + c->step_us;
    cap_area left = cap_limit(c, capacity) - c->sum;
    if (c->share >= 1 || (c->held == 0 && !c->spent))
        return 0;
    if (c->spent || left >= (cap_area)c->held * (cap_area)(step_end_us - c->now_us))
        return step_end_us;
    int64_t wait_us = (int64_t)(left / (cap_area)c->held);
    return c->now_us + wait_us + ((cap_area)wait_us * (cap_area)c->held < left);
}
