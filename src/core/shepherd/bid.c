#include "core/shepherd/bid.h"

#include <math.h>

double bid_takes(double left_s, double fresh_s, double luck)
{
    return luck * fresh_s + (1 - luck) * left_s;
}

double bid_rescue(double left_s, double fresh_s, double deadline_s, double luck)
{
    double gain_s = luck * (left_s - fmax(deadline_s, fresh_s));
    return gain_s / bid_takes(left_s, fresh_s, luck);
}

double bid_least(double spent)
{
    return BID_LEAST_MOST * spent * spent * spent * spent;
}

bool bid_frees(double left_s, double fresh_s, uint32_t attempts, double luck)
{
    double with_s = (attempts + 1) * bid_takes(left_s, fresh_s, luck);
    return with_s < attempts * left_s;
}

double bid_all_straggle(struct bid_chance p, uint32_t attempts)
{
    double all = 1;
    for (uint32_t i = 0; i < attempts; i++)
        all *= (p.mean * p.worth + i) / (p.worth + i);
    return all;
}

double bid_straggles(const struct bid_hedged *h)
{
    return (1 - h->gone) * bid_all_straggle(h->straggles, h->copies);
}

/* x^n, faster than pow and hardly less exact. */
static double power(double x, uint32_t n)
{
    double product = 1;
    for (; n > 0; n >>= 1, x *= x)
        product *= n & 1 ? x : 1;
    return product;
}

/* Most are worth too little, look after look; of equal tasks the exact values decide. */
double bid_hedge(const struct bid_hedged *h, double luck)
{
    double q = bid_straggles(h);
    double with = (1 - h->gone) * bid_all_straggle(h->straggles, h->copies + 1);
    double runs_s = fmax(h->left_s, 0.05 * h->healthy_s);
    double about = luck * (power(1 - with, h->tasks) - power(1 - q, h->tasks)) / h->tasks *
                   BID_DELAY * h->healthy_s / runs_s;
    if (about < 0.999 * BID_HEDGE_MIN)
        return about;
    double saved = pow(1 - with, h->tasks) - pow(1 - q, h->tasks);
    return luck * saved / h->tasks * BID_DELAY * h->healthy_s / runs_s;
}

bool bid_is_due(double fresh_s, double deadline_s, double look_s)
{
    return 1.1 * fresh_s + 2 * look_s >= deadline_s;
}
