/* sim_print_trace.c - the result of runs of a trace, in each of its readings.
 *
 * A trace does not say why tasks of a phase differ, so one number would be half of the truth: the
 * first table has the readings beside each other, and then each has tables of its own. */
#include <stdio.h>
#include <string.h>

#include "commands/sim/sim_print.h"
#include "commands/trace/trace_stats.h"
#include "ui/grid.h"
#include "ui/json_out.h"

/* What each reading means. */
static const char *meaning(const char *reading)
{
    if (!strcmp(reading, "luck"))
        return "copies of a task take as long as another task of its phase";
    if (!strcmp(reading, "size"))
        return "copies of a task take as long as the task";
    return "copies take as their bytes explain, varied as others were";
}

static int print_beside(const struct sim_args *a, const struct sim_numbers *n)
{
    static const struct {
        int number;
        const char *head;
        double scale;
        bool wide; /* only with --wide */
    } columns[] = {{NUMBER_MEAN_JCT, "mean", 1, false},
                   {NUMBER_P95_JCT, "p95", 1, true},
                   {NUMBER_BIN_MEAN, "mean 1-10", 1, true},
                   {NUMBER_IMPROVEMENT, "improvement %", 100, false}};
    struct grid g = {0};

    printf("Completion time of jobs (s) in both readings, improvement over %s:\n",
           a->names[a->baseline]);
    grid_cell(&g, "policy");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (uint32_t k = 0; (a->wide || !columns[i].wide) && k < a->trace.reading_count; k++)
            grid_cell(&g, "%s %s", columns[i].head, sim_trace_reading(a->trace.readings[k]));
    grid_row(&g);
    for (uint32_t p = 0; p < a->count; p++) {
        grid_cell(&g, "%s", a->names[p]);
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            for (uint32_t k = 0; (a->wide || !columns[i].wide) && k < a->trace.reading_count; k++) {
                double mean = sim_numbers_estimate(&n[k], p, columns[i].number).mean;
                grid_number(&g, mean, "%s%.2f", sim_print_table_bound(a, p, columns[i].number),
                            mean * columns[i].scale);
            }
        grid_row(&g);
    }
    int left_out = sim_print_table_grid(a, &g);
    puts("");
    return left_out;
}

/* Returns true if all readings led to the same runs, as where tasks of a phase do not differ. */
static bool are_same(const struct sim_args *a, const struct sim_numbers *n)
{
    for (uint32_t k = 1; k < a->trace.reading_count; k++)
        for (uint32_t p = 0; p < a->count; p++)
            if (sim_numbers_digest(&n[k], p) != sim_numbers_digest(&n[0], p))
                return false;
    return a->trace.reading_count > 1;
}

bool sim_print_trace_same(const struct sim_args *a, const struct sim_numbers *n)
{
    if (!are_same(a, n))
        return false;
    puts("In both readings, luck and size, the runs are the same.\n");
    sim_print_table_left_out(sim_print_table_rows(a, &n[0]));
    return true;
}

void sim_print_trace_tables(const struct sim_args *a, const struct sim_numbers *n, bool is_titled)
{
    int left_out = a->trace.reading_count > 1 ? print_beside(a, n) : 0;

    for (uint32_t k = 0; k < a->trace.reading_count; k++) {
        const char *reading = sim_trace_reading(a->trace.readings[k]);
        if (is_titled)
            printf("%s== variation=%s: %s ==\n", k ? "\n" : "", reading, meaning(reading));
        left_out += sim_print_table_rows(a, &n[k]);
    }
    sim_print_table_left_out(left_out);
}

void sim_print_trace(struct sim_args *a, const struct sim_numbers *n)
{
    const struct survey *s = a->trace.import->survey;

    sim_print_trace_tables(a, n, s->phases_timed > 0);
    puts("");
    trace_stats_print_cut(&a->trace.cut, "");
    trace_stats_print_notes(a->trace.import, "");
}

json_t *sim_print_trace_variations(const struct sim_args *a, const struct sim_numbers *n)
{
    json_t *variations = json_array();

    for (uint32_t k = 0; k < a->trace.reading_count; k++) {
        json_t *one = sim_print_json_object(a, &n[k]);
        json_out_put(one, "variation", sim_trace_reading(a->trace.readings[k]));
        json_array_append_new(variations, one);
    }
    return variations;
}

void sim_print_trace_json(struct sim_args *a, const struct sim_numbers *n)
{
    const struct workload_cut *cut = &a->trace.cut;
    json_t *object = json_object();

    json_out_put(object, "trace", a->workload);
    json_out_put(object, "format", a->trace.import->formats);
    json_out_put(object, "censored", cut->drawn);
    json_out_put(object, "censored_work", cut->work_us > 0 ? cut->drawn_us / cut->work_us : 0);
    json_out_set(object, "variations", sim_print_trace_variations(a, n));
    json_out_set(object, "assumptions", trace_stats_assumptions(a->trace.import));
    json_out_set(object, "troubles", trace_stats_troubles(a->trace.import));
    json_out_print(object);
}
