#include "core/shepherd/chance.h"

#include <math.h>

#include "core/shepherd/outlook.h"

/* `part` is what `curve` counts. */
static struct bid_chance chance_of(const struct phase *p, struct bid_chance curve, double part,
                                   double seen, double slow)
{
    double own = p->past_seen + seen;
    return (struct bid_chance){(part * curve.mean + p->past_straggled + slow) / (part + own),
                               curve.worth + own};
}

struct bid_chance chance_prior(const struct phase *p)
{
    const struct bid_chance prior = {SLOWNESS_PRIOR, CHANCE_PRIOR_WORTH};
    return chance_of(p, prior, CHANCE_PRIOR_WORTH, 0, 0);
}

struct bid_chance chance_by_curve(struct slowness *s, const struct phase *p, double healthy_s,
                                  double seen, double slow)
{
    struct bid_chance curve = {slowness_chance(s, healthy_s, OUTLOOK_STRAGGLES),
                               CHANCE_PRIOR_WORTH + slowness_known(s, healthy_s)};
    return chance_of(p, curve, fmin(curve.worth, CHANCE_CURVE_PART), seen, slow);
}
