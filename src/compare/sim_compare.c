/* sim_compare.c - see sim_compare.h; what is recorded stands in the first row and is not run. */
#include "compare/sim_compare.h"

#include "compare/sim_run.h"

static int run_all(const struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    struct bar bar;

    bar_init(&bar);
    uint32_t rows = a->count + a->yardstick_count;
    bar.run_count = rows * a->seeds;
    for (uint32_t k = 0; k < a->seeds && a->recorded; k++)
        *sim_numbers_run(n, 0, k) = *a->recorded->row;
    for (uint32_t p = a->recorded ? 1 : 0; p < rows; p++)
        for (uint32_t k = 0; k < a->seeds; k++) {
            bar.label = p < a->count ? a->names[p] : ideal_name(a->yardsticks[p - a->count]);
            bar.run = p * a->seeds + k;
            if (sim_run_once(a, p, k, &bar, sim_numbers_run(n, p, k), err) < 0)
                return -1;
        }
    return 0;
}

int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    uint32_t count = a->trace.reading_count ? a->trace.reading_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        a->trace.view.vary = a->trace.readings[i];
        sim_numbers_init(&n[i], a->count + a->yardstick_count, a->seeds);
        if (run_all(a, &n[i], err) < 0)
            return -1;
        sim_numbers_relate(&n[i], a->baseline);
    }
    return 0;
}
