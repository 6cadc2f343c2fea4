/* cmd_sim.c - `dolly sim`: the same jobs with the same luck under one policy after another. */
#include <stdio.h>

#include "compare/cmd_sim.h"
#include "compare/sim_args.h"
#include "compare/sim_numbers.h"
#include "compare/sim_page.h"
#include "compare/sim_print.h"
#include "compare/sim_run.h"
#include "ui/cli.h"
#include "ui/interrupt.h"

static int run_all(const struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    struct bar bar;

    bar_init(&bar);
    uint32_t rows = a->count + a->yardstick_count;
    bar.run_count = rows * a->seeds;
    for (uint32_t p = 0; p < rows; p++)
        for (uint32_t k = 0; k < a->seeds; k++) {
            bar.label = p < a->count ? a->names[p] : ideal_name(a->yardsticks[p - a->count]);
            bar.run = p * a->seeds + k;
            if (sim_run_once(a, p, k, &bar, sim_numbers_run(n, p, k), err) < 0)
                return -1;
        }
    return 0;
}

static void print_journal_names(const struct sim_args *a)
{
    struct str path = {0};

    sim_args_journal(a, 0, 0, &path);
    fprintf(stderr, "dolly: journals are in %s.POLICY.SEED, the first in %s\n", a->journal,
            path.text);
    str_free(&path);
}

/* Runs everything once, or of a trace once for each of its readings. */
static int run_readings(struct sim_args *a, struct sim_numbers *n, struct err *err)
{
    uint32_t count = a->trace.import ? a->trace.reading_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        a->trace.view.vary = a->trace.readings[i];
        sim_numbers_init(&n[i], a->count + a->yardstick_count, a->seeds);
        if (run_all(a, &n[i], err) < 0)
            return -1;
        sim_numbers_relate(&n[i], a->baseline);
    }
    return 0;
}

int cmd_sim(int argc, char **argv)
{
    struct sim_args a;
    struct sim_numbers n[SIM_TRACE_READINGS] = {0};
    struct err err;
    int status;

    if (sim_args_parse(&a, argc, argv, &status)) {
        interrupt_catch();
        if (sim_page_begin(&a, &err) < 0 || run_readings(&a, n, &err) < 0 ||
            sim_page_write(&a, &err) < 0) {
            status = cli_fail(&err);
            if (interrupt_came())
                status = EXIT_INTERRUPTED;
        } else {
            if (a.trace.import)
                (a.json ? sim_print_trace_json : sim_print_trace)(&a, n);
            else
                (a.json ? sim_print_json : sim_print_table)(&a, n);
            if (a.journal && !a.report_folder && sim_args_many(&a))
                print_journal_names(&a);
            if (a.report)
                fprintf(stderr, "dolly: the page is %s\n", a.report);
        }
        sim_page_end(&a);
    }
    for (int i = 0; i < SIM_TRACE_READINGS; i++)
        sim_numbers_fini(&n[i]);
    sim_args_fini(&a);
    return status;
}
