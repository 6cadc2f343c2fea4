/* cmd_report.c - `dolly report`: one HTML file about a run that can be passed around. */
#include "commands/commands.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "commands/report/compare_page.h"
#include "commands/report/export.h"
#include "commands/report/html.h"
#include "commands/report/page.h"
#include "commands/report/read_run.h"
#include "ui/cli.h"
#include "ui/opt.h"

struct report_args {
    const char *paths[COMPARE_PAGE_RUNS];
    uint32_t count;
    const char *output, *trace, *nextflow, *csv;
    int64_t trace_max;
    bool compare;
};

static int take_operand(void *args, const char *text)
{
    struct report_args *a = args;
    if (a->count == COMPARE_PAGE_RUNS)
        return cli_usage("report", "at most %d journals, not also '%s'", COMPARE_PAGE_RUNS, text);
    a->paths[a->count++] = text;
    return 0;
}

#define OPTIONS struct report_args

static const struct field options[] = {
    {OPTION("output", "FILE", FIELD_TEXT, output,
            "where to write it, - for stdout; default JOURNAL.html, or report.html in\n"
            "the folder of a run"),
     .alias = "o"},
    {FLAG("compare", compare,
          "write one page about two to six journals of the same jobs; default\n"
          "compare.html")},
    {OPTION("trace", "FILE", FIELD_TEXT, trace,
            "instead: trace events for Perfetto or chrome://tracing, - for stdout; .gz\n"
            "compresses")},
    {OPTION("trace-max", "SIZE", FIELD_BYTES, trace_max,
            "split a trace with more JSON than this into files of whole jobs, FILE.1 and "
            "so\non; default 500M"),
     .min = 1, .max = 1e15},
    {OPTION("nextflow", "FILE", FIELD_TEXT, nextflow,
            "instead: a table as Nextflow's trace.txt, - for stdout; .gz compresses")},
    {OPTION("csv", "DIR", FIELD_TEXT, csv,
            "instead: attempts.csv, jobs.csv, phases.csv, series.csv and verdicts.csv in this\n"
            "folder")},
    {0},
};

static const struct opt_command command = {
    .name = "report",
    .usage = "usage: dolly report JOURNAL [-o FILE.html] [--trace FILE] [--nextflow FILE]\n"
             "                            [--csv DIR]\n"
             "       dolly report --compare JOURNAL JOURNAL... [-o FILE.html]\n"
             "\n"
             "Writes a page about a run, simulated or real, from its journal: what ran, what\n"
             "straggling cost and clones saved, every attempt on a timeline, values over time,\n"
             "the slowest jobs, and the reasons of decisions. The page is one file that needs no\n"
             "network and no server. JOURNAL may also be the folder of a run.\n",
    .options = options,
    .notes = "\nExit status: 0 done; 2 not a journal, or damaged.",
    .operand = take_operand,
};

static struct path output_of(const struct report_args *a)
{
    struct stat st;

    if (a->output)
        return path_of("%s", a->output);
    bool folder = stat(a->paths[0], &st) == 0 && S_ISDIR(st.st_mode);
    return path_of("%s%s.html", a->paths[0], folder ? "/report" : "");
}

static int write_page(const struct report_args *a, struct read_run *r, struct err *err)
{
    struct path output = output_of(a);
    struct str page = {0};

    page_write(r, &web_report, &page);
    int rc = html_save(output.text, &page, err);
    if (rc == 0 && strcmp(output.text, "-") != 0)
        printf("%s\n", output.text);
    str_free(&page);
    return rc;
}

static int write_trace(const struct report_args *a, const struct read_run *r, struct err *err)
{
    uint32_t files;
    int rc = export_trace(&r->input.x, &r->gather, a->trace, (uint64_t)a->trace_max, &files, err);

    for (uint32_t i = 1; rc == 0 && files > 1 && i <= files; i++)
        puts(export_trace_file(a->trace, i).text);
    return rc;
}

/* Other programs get every attempt; a page has room for some hundred thousand. */
static int report(const struct report_args *a)
{
    struct err err;
    struct read_run r;
    bool others = a->trace || a->nextflow || a->csv;
    int rc = read_run_open(&r, a->paths[0], others, &err);

    if (rc == 0 && a->trace)
        rc = write_trace(a, &r, &err);
    if (rc == 0 && a->nextflow)
        rc = export_nextflow(&r.input.x, &r.gather, a->nextflow, &err);
    if (rc == 0 && a->csv)
        rc = export_csv(&r, a->csv, &err);
    if (rc == 0 && (a->output || !others)) {
        gather_limit(&r.gather);
        rc = write_page(a, &r, &err);
    }
    read_run_close(&r);
    return rc < 0 ? cli_fail(&err) : EXIT_DONE;
}

/* The last part of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Runs are called by the names of their journals, if these differ, and else by their paths. */
static int compare(const struct report_args *a)
{
    const char *output = a->output ? a->output : "compare.html";
    char *labels[COMPARE_PAGE_RUNS];
    bool differ = true;
    struct err err;

    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < i; k++)
            differ &= strcmp(name_of(a->paths[i]), name_of(a->paths[k])) != 0;
    for (uint32_t i = 0; i < a->count; i++)
        labels[i] = text_tame(mem_strdup(differ ? name_of(a->paths[i]) : a->paths[i]));
    int rc = compare_page(a->paths, (const char *const *)labels, a->count, true, output, &err);
    for (uint32_t i = 0; i < a->count; i++)
        mem_free(labels[i]);
    if (rc < 0)
        return cli_fail(&err);
    if (strcmp(output, "-") != 0)
        printf("%s\n", output);
    return EXIT_DONE;
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

int cmd_report(int argc, char **argv)
{
    struct report_args a = {.trace_max = 500 << 20};
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (a.count == 0)
        return cli_usage("report", "the journal's file is missing");
    if (a.compare && (a.trace || a.nextflow || a.csv))
        return cli_usage("report",
                         "--trace, --nextflow and --csv are of one run; --compare is not");
    if (a.compare && a.count < 2)
        return cli_usage("report", "--compare needs two to six journals");
    if (!a.compare && a.count > 1)
        return cli_usage("report", "one journal at a time, not also '%s'; or --compare",
                         a.paths[1]);
    if (is_stdout(a.csv))
        return cli_usage("report", "--csv -: expected a folder, because it writes five files; "
                                   "for one table on stdout: --nextflow -");
    if (is_stdout(a.output) + is_stdout(a.trace) + is_stdout(a.nextflow) > 1)
        return cli_usage("report", "stdout (-) has room for one of -o, --trace and --nextflow");
    return a.compare ? compare(&a) : report(&a);
}
