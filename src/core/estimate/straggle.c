#include "core/estimate/straggle.h"

/* p changes once per window, from that window's samples alone. In the first one there is only the
 * prior to go by, and the first attempts to end are the healthy ones: so until it is over what was
 * seen is mixed with the prior, which counts as much as STRAGGLE_SAMPLES_MIN samples. */
static void straggle_roll(struct straggle *s, double prior, int64_t now_us, int64_t window_us)
{
    bool over = now_us - s->window_from_us >= window_us;
    if (s->seen.count < STRAGGLE_SAMPLES_MIN ||
        (!over && (s->settled || s->seen.count < s->next_count)))
        return;
    double p = product_limit_estimate(&s->seen), seen = (double)s->seen.count;
    s->known = true;
    s->p = over ? p : (p * seen + prior * STRAGGLE_SAMPLES_MIN) / (seen + STRAGGLE_SAMPLES_MIN);
    s->next_count =
        s->seen.count + s->seen.count / 8; /* estimating anew costs as much as there are samples */
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
        product_limit_add(&s->seen, (finished ? per_byte : -per_byte) / p->median, finished);
    }
    straggle_roll(s, prior, now_us, window_us);
}

void straggle_late(struct straggle *s, const struct world *w, const struct attempt *a,
                   bool finished, double prior, int64_t window_us)
{
    const struct phase *p = attempt_phase(a);
    if (p->count < 2 || p->median <= 0 || !attempt_is_fair(a))
        return;
    product_limit_add(&s->seen, product_limit_ratio(w, a, finished), finished);
    straggle_roll(s, prior, w->now_us, window_us);
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
