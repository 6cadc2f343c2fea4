/* cmd_sim.c - `dolly sim`: the same jobs with the same luck under one policy after another. */
#include <stdio.h>

#include "commands/commands.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_compare.h"
#include "commands/sim/sim_numbers.h"
#include "commands/sim/sim_page.h"
#include "commands/sim/sim_print.h"
#include "ui/cli.h"
#include "ui/interrupt.h"

static void print_journal_names(const struct sim_args *a)
{
    struct str path = {0};

    sim_args_journal(a, 0, 0, &path);
    fprintf(stderr, "dolly: journals are in %s.POLICY.SEED, the first in %s\n", a->journal,
            path.text);
    str_free(&path);
}

int cmd_sim(int argc, char **argv)
{
    return cmd_sim_of(NULL, argc, argv);
}

int cmd_sim_of(const struct sim_given *given, int argc, char **argv)
{
    struct sim_args a;
    struct sim_numbers n[SIM_TRACE_READINGS] = {0};
    struct err err;
    int status;

    if (sim_args_parse(&a, given, argc, argv, &status)) {
        interrupt_catch();
        if (sim_page_begin(&a, &err) < 0 || sim_compare(&a, n, &err) < 0) {
            status = interrupt_fail(&err);
        } else {
            if (a.trace.import)
                (a.json ? sim_print_trace_json : sim_print_trace)(&a, n);
            else
                (a.json ? sim_print_json : sim_print_table)(&a, n);
            if (a.journal && !a.report_folder && sim_args_many(&a))
                print_journal_names(&a);
            fflush(stdout); /* whatever becomes of the page */
            if (a.report && sim_page_write(&a, &err) < 0)
                status = cli_fail(&err);
            else if (a.report)
                fprintf(stderr, "dolly: the page is %s\n", a.report);
        }
        sim_page_end(&a);
    }
    for (int i = 0; i < SIM_TRACE_READINGS; i++)
        sim_numbers_fini(&n[i]);
    sim_args_fini(&a);
    return status;
}
