/* sim_compare.c - see sim_run.h; what is recorded stands in the first row and is not run.
 *
 * A policy that launches no attempt beyond those of a trace or journal runs alike in every reading
 * of it, so it runs once. */
#include "commands/sim/sim_run.h"

#include "base/mem.h"
#include "exec/process/cores.h"

/* Fills `list` with the simulations to run, and those of the others that need none. Returns how
 * many. `before`: the same in another reading, or NULL. */
static uint32_t plan(const struct sim_args *a, const struct sim_numbers *before,
                     struct sim_numbers *n, struct sim_side_run *list)
{
    uint32_t count = 0;

    for (uint32_t p = 0; p < n->policies; p++)
        for (uint32_t k = 0; k < n->seeds; k++) {
            struct sim_run *run = sim_numbers_run(n, p, k);
            const struct sim_run *same = before ? sim_numbers_run(before, p, k) : NULL;
            if (a->recorded && p == 0)
                *run = *a->recorded->row;
            else if (!same || same->reading_matters || a->journal)
                list[count++] = (struct sim_side_run){p, k, run};
            else {
                *run = *same;
                run->borrowed = true;
            }
        }
    return count;
}

static int run_here(const struct sim_args *a, const struct sim_side_run *list, uint32_t count,
                    struct err *err)
{
    struct bar bar;

    bar_init(&bar);
    bar.run_count = count;
    for (uint32_t i = 0; i < count; i++) {
        bar.label = sim_args_row(a, list[i].policy);
        bar.run = i;
        if (sim_run_once(a, list[i].policy, list[i].seed, &bar, list[i].run, err) < 0)
            return -1;
    }
    return 0;
}

/* Simulations in processes of their own change nothing here, but opening the jobs of a trace counts
 * hosts that the cluster does not have. */
static int count_hosts(struct sim_args *a, struct err *err)
{
    struct workload *w = a->trace.import ? import_jobs(a->trace.import, &a->trace.view, err) : NULL;

    if (w)
        w->destroy(w);
    return a->trace.import && !w ? -1 : 0;
}

static int run_list(struct sim_args *a, const struct sim_side_run *list, uint32_t count,
                    struct err *err)
{
    uint32_t at_once = a->parallel ? a->parallel : (uint32_t)cores_allowed_here();

    if (at_once > count)
        at_once = count;
    if (at_once < 2 || a->phases || a->detail)
        return run_here(a, list, count, err);
    if (count_hosts(a, err) < 0)
        return -1;
    return sim_side_runs(a, list, count, at_once, err);
}

int sim_compare(struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    uint32_t count = sim_trace_runs(&a->trace);
    uint32_t rows = a->count + a->yardstick_count;
    struct sim_side_run *list = mem_zalloc((size_t)rows * a->seeds, sizeof *list);
    int result = 0;

    for (uint32_t i = 0; i < count && result == 0; i++) {
        a->trace.view.vary = a->trace.readings[i];
        sim_numbers_init(&n[i], rows, a->seeds);
        result = run_list(a, list, plan(a, i > 0 ? &n[0] : NULL, &n[i], list), err);
        if (result == 0)
            sim_numbers_relate(&n[i], a->baseline);
    }
    mem_free(list);
    return result;
}
