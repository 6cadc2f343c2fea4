/* sim_compare.c - see sim_compare.h; what is recorded stands in the first row and is not run.
 *
 * A policy that launches no attempt beyond those of a trace or journal runs alike in every reading
 * of it, so it runs once. */
#include "commands/sim/sim_compare.h"

#include "commands/sim/sim_run.h"

static int run_row(const struct sim_args *a, uint32_t p, struct bar *bar,
                   const struct sim_numbers *before, struct sim_numbers *n, struct err *err)
{
    bar->label = p < a->count ? a->names[p] : ideal_name(a->yardsticks[p - a->count]);
    for (uint32_t k = 0; k < a->seeds; k++) {
        struct sim_run *run = sim_numbers_run(n, p, k);
        const struct sim_run *same = before ? sim_numbers_run(before, p, k) : NULL;
        bar->run = p * a->seeds + k;
        if (same && !same->reading_matters && !a->journal)
            *run = sim_numbers_same(same);
        else if (sim_run_once(a, p, k, bar, run, err) < 0)
            return -1;
    }
    return 0;
}

/* `before`: the same in another reading, or NULL. */
static int run_all(const struct sim_args *a, const struct sim_numbers *before,
                   struct sim_numbers *n, struct err *err)
{
    struct bar bar;

    bar_init(&bar);
    uint32_t rows = a->count + a->yardstick_count;
    bar.run_count = rows * a->seeds;
    for (uint32_t k = 0; k < a->seeds && a->recorded; k++)
        *sim_numbers_run(n, 0, k) = *a->recorded->row;
    for (uint32_t p = a->recorded ? 1 : 0; p < rows; p++)
        if (run_row(a, p, &bar, before, n, err) < 0)
            return -1;
    return 0;
}

int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    uint32_t count = a->trace.reading_count ? a->trace.reading_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        a->trace.view.vary = a->trace.readings[i];
        sim_numbers_init(&n[i], a->count + a->yardstick_count, a->seeds);
        if (run_all(a, i > 0 ? &n[0] : NULL, &n[i], err) < 0)
            return -1;
        sim_numbers_relate(&n[i], a->baseline);
    }
    return 0;
}
