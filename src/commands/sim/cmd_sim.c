/* cmd_sim.c - `dolly sim`: the same jobs with the same luck under one policy after another.
 *
 * A data-parallel job (JOB.yaml) becomes a workload in memory, and all else is as with any
 * workload. With --report a page is made from journals. If the user keeps none, they are written to
 * a temporary folder, which is removed at the end. */
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
#include "jobs/run/job_file.h"
#include "jobs/run/job_sim.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/settings.h"

/* ---- the page ---- */

/* Checks that the page can be written, and prepares the journals: *folder has them unless the user
 * keeps them. */
static int begin_page(struct sim_args *a, struct path *folder, struct path *journal,
                      struct err *err)
{
    const char *below = getenv("TMPDIR");

    if (a->report && compare_page_may_save(a->report, err) < 0)
        return -1;
    if (!a->report || a->journal)
        return 0;
    struct path made = path_of("%s/dolly-sim.XXXXXX", below && *below ? below : "/tmp");
    if (!mkdtemp(made.text))
        return err_system(err, "cannot make a folder %s for journals: %s", made.text,
                          strerror(errno));
    *folder = made;
    *journal = path_of("%s/journal", folder->text);
    a->journal = journal->text;
    return 0;
}

static int write_page(const struct sim_args *a, bool kept, struct err *err)
{
    struct path paths[COMPARE_PAGE_RUNS];
    const char *journals[COMPARE_PAGE_RUNS];

    for (uint32_t p = 0; p < a->count; p++) {
        paths[p] = sim_args_journal(a, p, 0);
        journals[p] = paths[p].text;
    }
    return compare_page(journals, (const char *const *)a->names, a->count, kept, a->report, err);
}

/* ---- the command ---- */

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
        fprintf(stderr, "dolly: journals are in %s.POLICY.SEED, the first in %s\n", a->journal,
                sim_args_journal(a, 0, 0).text);
    fflush(stdout); /* whatever becomes of the page */
    if (a->report && write_page(a, kept, &err) < 0)
        return cli_fail(&err);
    if (a->report)
        fprintf(stderr, "dolly: the page is %s\n", a->report);
    return EXIT_DONE;
}

static int run_sim(const struct sim_given *given, int argc, char **argv)
{
    struct sim_args a;
    struct sim_numbers n[SIM_TRACE_READINGS] = {0};
    struct path folder = {0}, journal = {0};
    struct err err;
    int status;

    if (sim_args_parse(&a, given, argc, argv, &status)) {
        interrupt_catch();
        if (begin_page(&a, &folder, &journal, &err) < 0 || sim_compare(&a, n, &err) < 0)
            status = interrupt_fail(&err);
        else
            status = print_all(&a, n, !*folder.text);
        if (*folder.text)
            tree_remove(folder.text);
    }
    for (int i = 0; i < SIM_TRACE_READINGS; i++)
        sim_numbers_fini(&n[i]);
    sim_args_fini(&a);
    return status;
}

/* ---- a data-parallel job ---- */

/* The options of `dolly sim` that the job stands for; behind them come those of the user. */
static int simulate(const struct datajob *j, const struct str *text, int argc, char **argv)
{
    struct str cluster = {0};
    struct sim_given given = {.name = argv[1],
                              .text = text->text,
                              .policies = j->run.policy ? j->run.policy : SETTINGS_POLICY_HERE,
                              .settings = j->run.settings};

    str_addf(&cluster, "1x%u", datajob_slots(j));
    given.cluster = j->run.nodes ? j->run.nodes : cluster.text;
    argv[1] = argv[0];
    int status = run_sim(&given, argc - 1, argv + 1);
    str_free(&cluster);
    return status;
}

static int run_job(int argc, char **argv)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct str text = {0};
    struct err err;
    int status;

    if (job_file_read(&job, &lines, argv[1], &err) < 0 || job_sim_workload(&job, &text, &err) < 0)
        status = cli_fail(&err);
    else
        status = simulate(&job, &text, argc, argv);
    str_free(&text);
    datajob_fini(&job);
    job_lines_fini(&lines);
    return status;
}

int cmd_sim(int argc, char **argv)
{
    static const char *const ends[] = {".yaml", ".yml", ".job"};
    const char *end = argc > 1 && argv[1][0] != '-' ? strrchr(argv[1], '.') : NULL;

    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0)
            return run_job(argc, argv);
    return run_sim(NULL, argc, argv);
}
