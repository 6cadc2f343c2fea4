/* advice.c - see advice.h. */
#include "commands/replay/advice.h"

#include <math.h>
#include <stdbool.h>

/* The least gain over the readings, and the mean of them. */
static double least(const struct advice_policy *p, uint32_t readings)
{
    double value = INFINITY;
    for (uint32_t k = 0; k < readings; k++)
        value = isnan(p->gains[k].mean) ? -INFINITY : fmin(value, p->gains[k].mean);
    return value;
}

static double mean(const struct advice_policy *p, uint32_t readings)
{
    double sum = 0;
    for (uint32_t k = 0; k < readings; k++)
        sum += p->gains[k].mean;
    return sum / readings;
}

static bool is_harmless(const struct advice_policy *p, uint32_t readings)
{
    return least(p, readings) >= -ADVICE_LOSS_MAX;
}

static bool is_better(const struct advice_policy *a, const struct advice_policy *b,
                      uint32_t readings)
{
    bool good = is_harmless(a, readings);

    if (good != is_harmless(b, readings))
        return good;
    if (!good)
        return least(a, readings) > least(b, readings);
    double more = mean(a, readings) - mean(b, readings);
    return fabs(more) < ADVICE_GAIN_MIN ? a->extra < b->extra : more > 0;
}

static enum advice_verdict judge(const struct advice_policy *p, uint32_t readings)
{
    uint32_t certain = 0;

    if (!is_harmless(p, readings))
        return ADVICE_NOTHING;
    for (uint32_t k = 0; k < readings; k++)
        certain += p->gains[k].mean - p->gains[k].half >= ADVICE_GAIN_MIN;
    return certain == 0 ? ADVICE_NOTHING : certain < readings ? ADVICE_DEPENDS : ADVICE_CERTAIN;
}

struct advice advice_choose(const struct advice_policy *policies, uint32_t count, uint32_t readings)
{
    struct advice advice = {0};

    for (uint32_t i = 1; i < count; i++)
        if (is_better(&policies[i], &policies[advice.take], readings))
            advice.take = i;
    advice.verdict = judge(&policies[advice.take], readings);
    return advice;
}
