#include "core/estimate/left_work.h"

#include <math.h>

#include "core/brain/expect.h"
#include "core/estimate/speedup.h"

uint32_t left_work_tasks(const struct phase *p)
{
    return p->count - p->done - p->lost - p->given_up;
}

/* The longest path that ends with a phase. Times of different phases have nothing to do with each
 * other, so their variances add up. */
struct critical_path {
    double time_us, mean_us, variance;
};

static struct critical_path longer(struct critical_path a, struct critical_path b)
{
    return b.time_us > a.time_us ? b : a;
}

struct left_work left_work_of(const struct world *w, const struct job *j, double spread)
{
    struct critical_path at[JOB_PHASES_MAX], longest = {0, 0, 0};
    double volume = 0;
    bool declared = true;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct phase *p = &j->phases[k];
        uint32_t left = left_work_tasks(p);
        at[k] = (struct critical_path){0, 0, 0};
        for (uint16_t i = 0; i < p->edge_count; i++)
            at[k] = longer(at[k], at[p->edges[i].from]);
        if (left == 0)
            continue;
        struct expected e = phase_expected(w, p);
        declared &= e.basis == EXPECTED_DECLARED;
        struct res_sum demand = {{0}};
        res_sum_plus(&demand, &p->demand);
        double time_us = e.mean_us + spread * e.dev_us;
        at[k].time_us += time_us;
        at[k].mean_us += e.mean_us;
        at[k].variance += e.dev_us * e.dev_us;
        volume += left * time_us * res_sum_dominant(&demand, &w->capacity);
        longest = longer(longest, at[k]);
    }
    return (struct left_work){volume / 1e6, longest.time_us / 1e6, declared,
                              speedup_alpha(longest.mean_us, sqrt(longest.variance))};
}
