#include "policy/straggle.h"

static void straggle_add(struct straggle *s, double ratio, bool finished)
{
    s->count++;
    if (ratio > 2.0) {
        s->beyond++;
        return;
    }
    int bin = (int)(ratio * (STRAGGLE_BINS / 2.0));
    if (bin >= STRAGGLE_BINS)
        bin = STRAGGLE_BINS - 1; /* a ratio of exactly 2 is no straggler */
    if (finished)
        s->ended[bin]++;
    else
        s->censored[bin]++;
}

/* The product-limit estimate over bins. Within a bin the d finishers and the losers that each of
 * them got killed take turns: of m leaving, m/d leave with each finisher. (All finishers before all
 * losers, as for ties, would count losers as survivors; and where everybody left the last factor
 * must not become 0 as long as losers left too: how long they would have run is not known.) */
static double straggle_estimate(const struct straggle *s)
{
    double at_risk = (double)s->count;
    double surviving = 1.0;
    for (int i = 0; i < STRAGGLE_BINS; i++) {
        double leaving = (double)s->ended[i] + (double)s->censored[i];
        for (uint32_t k = 0; k < s->ended[i]; k++)
            surviving *= 1 - 1 / (at_risk - k * leaving / s->ended[i]);
        at_risk -= leaving;
    }
    return surviving;
}

/* p changes once per window, from that window's samples alone. In the first one there is only the
 * prior to go by, and the first attempts to end are the healthy ones: so until it is over what was
 * seen is mixed with the prior, which counts as much as STRAGGLE_SAMPLES_MIN samples. */
static void straggle_roll(struct straggle *s, double prior, int64_t now_us, int64_t window_us)
{
    bool over = now_us - s->window_from_us >= window_us;
    if (s->count < STRAGGLE_SAMPLES_MIN || (!over && (s->settled || s->count < s->next_count)))
        return;
    double p = straggle_estimate(s), seen = (double)s->count;
    s->known = true;
    s->p = over ? p : (p * seen + prior * STRAGGLE_SAMPLES_MIN) / (seen + STRAGGLE_SAMPLES_MIN);
    s->next_count =
        s->count + s->count / 8; /* estimating anew costs as much as there are samples */
    if (!over)
        return;
    struct straggle next = {.known = true, .settled = true, .p = s->p, .window_from_us = now_us};
    *s = next;
}

void straggle_phase(struct straggle *s, const struct phase *p, double prior, int64_t now_us,
                    int64_t window_us)
{
    if (p->count < 2 || p->median <= 0)
        return; /* one task has no median to be compared with */
    for (uint32_t i = 0; i < p->samples.count; i++) {
        double per_byte = (double)p->samples.at[i].per_byte;
        bool finished = per_byte >= 0;
        straggle_add(s, (finished ? per_byte : -per_byte) / p->median, finished);
    }
    straggle_roll(s, prior, now_us, window_us);
}

void straggle_late(struct straggle *s, const struct attempt *a, bool finished, double prior,
                   int64_t now_us, int64_t window_us)
{
    const struct phase *p = attempt_phase(a);
    if (p->count < 2 || p->median <= 0)
        return;
    int64_t bytes = phase_task_bytes(p, a->task);
    double per_byte = (double)(now_us - a->started_us) / (double)(bytes > 0 ? bytes : 1);
    straggle_add(s, per_byte / p->median, finished);
    straggle_roll(s, prior, now_us, window_us);
}

double straggle_prior(const struct phase *p, double prior)
{
    return (prior * STRAGGLE_SAMPLES_MIN + p->past_straggled) /
           (STRAGGLE_SAMPLES_MIN + (double)p->past_seen);
}

double straggle_p(const struct straggle *s, double prior)
{
    double p = s->known ? s->p : prior;
    return p < 0.001 ? 0.001 : p > 0.9 ? 0.9 : p;
}
