/* cmd_sim.c - `dolly sim`: the same jobs with the same luck under one policy after another.
 *
 * With --report a page is made from journals. If the user keeps none, they are written to a
 * temporary folder, which is removed at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "commands/commands.h"
#include "commands/report/compare_page.h"
#include "commands/sim/sim_args.h"
#include "commands/sim/sim_numbers.h"
#include "commands/sim/sim_print.h"
#include "commands/sim/sim_run.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"

/* ---- the page ---- */

/* Checks that the page can be written, and prepares the journals: *folder has them unless the user
 * keeps them. */
static int begin_page(struct sim_args *a, struct str *folder, struct str *journal, struct err *err)
{
    const char *below = getenv("TMPDIR");

    if (a->report && compare_page_may_save(a->report, err) < 0)
        return -1;
    if (!a->report || a->journal)
        return 0;
    str_addf(folder, "%s/dolly-sim.XXXXXX", below && *below ? below : "/tmp");
    if (!mkdtemp(folder->text)) {
        err_system(err, "cannot make a folder %s for journals: %s", folder->text, strerror(errno));
        str_free(folder);
        return -1;
    }
    str_addf(journal, "%s/journal", folder->text);
    a->journal = journal->text;
    return 0;
}

static int write_page(const struct sim_args *a, bool kept, struct err *err)
{
    struct str paths[COMPARE_PAGE_RUNS] = {0};
    const char *journals[COMPARE_PAGE_RUNS];

    for (uint32_t p = 0; p < a->count; p++) {
        sim_args_journal(a, p, 0, &paths[p]);
        journals[p] = paths[p].text;
    }
    int rc = compare_page(journals, (const char *const *)a->names, a->count, kept, a->report, err);
    for (uint32_t p = 0; p < a->count; p++)
        str_free(&paths[p]);
    return rc;
}

/* ---- the command ---- */

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

/* Prints the results, and writes the page. `kept`: the user keeps the journals. */
static int print_all(struct sim_args *a, const struct sim_numbers *n, bool kept)
{
    struct err err;

    if (a->trace.import)
        (a->json ? sim_print_trace_json : sim_print_trace)(a, n);
    else if (a->json)
        json_out_print(sim_print_json_object(a, n));
    else
        sim_print_table_left_out(sim_print_table_rows(a, n));
    if (a->journal && kept && sim_args_many(a))
        print_journal_names(a);
    fflush(stdout); /* whatever becomes of the page */
    if (a->report && write_page(a, kept, &err) < 0)
        return cli_fail(&err);
    if (a->report)
        fprintf(stderr, "dolly: the page is %s\n", a->report);
    return EXIT_DONE;
}

int cmd_sim_of(const struct sim_given *given, int argc, char **argv)
{
    struct sim_args a;
    struct sim_numbers n[SIM_TRACE_READINGS] = {0};
    struct str folder = {0}, journal = {0};
    struct err err;
    int status;

    if (sim_args_parse(&a, given, argc, argv, &status)) {
        interrupt_catch();
        if (begin_page(&a, &folder, &journal, &err) < 0 || sim_compare(&a, n, &err) < 0)
            status = interrupt_fail(&err);
        else
            status = print_all(&a, n, !folder.text);
        if (folder.text)
            tree_remove(folder.text);
    }
    for (int i = 0; i < SIM_TRACE_READINGS; i++)
        sim_numbers_fini(&n[i]);
    sim_args_fini(&a);
    str_free(&folder);
    str_free(&journal);
    return status;
}
