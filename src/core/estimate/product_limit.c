#include "core/estimate/product_limit.h"

void product_limit_add(struct product_limit *l, double ratio, bool finished)
{
    l->count++;
    l->known += finished || ratio > 2.0;
    if (ratio > 2.0) {
        l->beyond++;
        return;
    }
    int bin = (int)(ratio * (PRODUCT_LIMIT_BINS / 2.0));
    if (bin >= PRODUCT_LIMIT_BINS)
        bin = PRODUCT_LIMIT_BINS - 1; /* a ratio of exactly 2 does not straggle */
    if (finished)
        l->ended[bin]++;
    else
        l->censored[bin]++;
}

double product_limit_ratio(const struct world *w, const struct attempt *a, bool finished)
{
    const struct phase *p = attempt_phase(a);
    int64_t bytes = phase_task_bytes(p, a->task);
    return (double)attempt_shown_us(w, a, finished) / (double)(bytes > 0 ? bytes : 1) / p->median;
}

/* Within a bin the d finishers and the losers that each of them got killed take turns: of m
 * leaving, m/d leave with each finisher. (All finishers before all losers, as for ties, would count
 * losers as survivors; and where everybody left the last factor must not become 0 as long as losers
 * left too: how long they would have run is not known.) */
double product_limit_estimate(const struct product_limit *l)
{
    double at_risk = (double)l->count;
    double surviving = 1.0;
    for (int i = 0; i < PRODUCT_LIMIT_BINS; i++) {
        double leaving = (double)l->ended[i] + (double)l->censored[i];
        for (uint32_t k = 0; k < l->ended[i]; k++)
            surviving *= 1 - 1 / (at_risk - k * leaving / l->ended[i]);
        at_risk -= leaving;
    }
    return surviving;
}
