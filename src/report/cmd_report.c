/* cmd_report.c - `dolly report`: one HTML file that tells of a run and can be passed around. */
#include "report/cmd_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "explain/explain_open.h"
#include "report/export.h"
#include "report/gather.h"
#include "report/page.h"
#include "ui/cli.h"
#include "ui/opt.h"

struct report_args {
    const char *path, *output, *trace, *csv;
};

static int take_operand(void *args, const char *text)
{
    struct report_args *a = args;
    if (a->path)
        return cli_usage("report", "one journal at a time, not also '%s'", text);
    a->path = text;
    return 0;
}

static const struct field options[] = {
    {FIELD_OPTION("output", "FILE", FIELD_TEXT, struct report_args, output,
                  "where to write it, - for stdout; default JOURNAL.html, or report.html in\n"
                  "the folder of a run"),
     .alias = "o"},
    {FIELD_OPTION("trace", "FILE", FIELD_TEXT, struct report_args, trace,
                  "instead: trace events for Perfetto or chrome://tracing; .gz compresses")},
    {FIELD_OPTION("csv", "DIR", FIELD_TEXT, struct report_args, csv,
                  "instead: attempts.csv, jobs.csv and series.csv in this folder")},
    {0},
};

static const struct opt_command command = {
    .name = "report",
    .usage = "usage: dolly report JOURNAL [-o FILE.html] [--trace FILE] [--csv DIR]\n\n"
             "Writes a page about a run, simulated or real, from its journal: what ran, what\n"
             "straggling cost and clones saved, every attempt on a timeline, values over time,\n"
             "the slowest jobs, and why things were decided. It is one file that needs no network\n"
             "and no server. JOURNAL may also be the folder of a run.\n",
    .options = options,
    .notes = "\nExit status: 0 done; 2 not a journal, or damaged.",
    .operand = take_operand,
};

static void default_output(const struct report_args *a, struct str *to)
{
    struct stat st;

    if (stat(a->path, &st) == 0 && S_ISDIR(st.st_mode))
        str_addf(to, "%s/report.html", a->path);
    else
        str_addf(to, "%s.html", a->path);
}

/* Beside its place first: a page that is there is never half of one. */
static int write_file(const char *path, const struct str *page, struct err *err)
{
    struct str beside = {0};
    int rc = 0;

    str_addf(&beside, "%s.%ld.tmp", path, (long)getpid());
    FILE *f = fopen(beside.text, "we");
    if (!f) {
        rc = err_system(err, "cannot write %s: %s", path, strerror(errno));
    } else {
        bool fine = fwrite(page->text, 1, page->length, f) == page->length;
        fine = fclose(f) == 0 && fine;
        if (!fine || rename(beside.text, path) < 0) {
            rc = err_system(err, "cannot write %s: %s", path, strerror(errno));
            unlink(beside.text);
        }
    }
    str_free(&beside);
    return rc;
}

static int write_page(const struct report_args *a, const struct explain *x, struct gather *g,
                      struct err *err)
{
    struct str page = {0}, output = {0};
    int rc = 0;

    page_write(x, g, &page);
    if (a->output)
        str_add(&output, a->output);
    else
        default_output(a, &output);
    if (strcmp(output.text, "-") == 0)
        fwrite(page.text, 1, page.length, stdout);
    else if ((rc = write_file(output.text, &page, err)) == 0)
        printf("%s\n", output.text);
    str_free(&page);
    str_free(&output);
    return rc;
}

static int report(const struct report_args *a)
{
    struct err err;
    struct explain_source source;
    struct gather g;
    char *path = explain_open_path(a->path);
    struct follow *follow = follow_create(0, 0);

    gather_init(&g, follow);
    struct tap tap = follow_tap(follow);
    int rc = explain_open(&source, path, NULL, &tap, &err);
    follow_destroy(follow); /* closes what is open */
    if (rc == 0 && a->trace)
        rc = export_trace(&source.x, &g, a->trace, &err);
    if (rc == 0 && a->csv)
        rc = export_csv(&source.x, &g, a->csv, &err);
    if (rc == 0 && (a->output || (!a->trace && !a->csv)))
        rc = write_page(a, &source.x, &g, &err);
    explain_open_end(&source);
    gather_fini(&g);
    mem_free(path);
    return rc < 0 ? cli_fail(&err) : EXIT_DONE;
}

int cmd_report(int argc, char **argv)
{
    struct report_args a = {0};
    int status;

    if (!opt_parse(&command, argc, argv, &a, &status))
        return status;
    if (!a.path)
        return cli_usage("report", "the journal's file is missing");
    return report(&a);
}
