/* cmd_reproduce.c - `dolly reproduce`: published numbers beside ours.
 *
 * What is measured is data (experiments/); this is only the order of things: read and check all
 * files, run what is missing, evaluate, print. */
#include "commands/commands.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/own_path.h"
#include "base/os/path.h"
#include "base/text.h"
#include "commands/report/figures_page.h"
#include "commands/reproduce/repro_print.h"
#include "exec/process/cores.h"
#include "ui/cli.h"
#include "ui/interrupt.h"
#include "ui/json_out.h"
#include "ui/opt.h"

enum { PAPERS_MAX = 32 };

struct repro_request {
    const char *chosen[PAPERS_MAX]; /* none: all that there are */
    int count;
    bool quick, json, fresh, list;
    const char *csv, *plots, *report, *store, *from;
    uint32_t parallel;
};

#define OPTIONS struct repro_request

static const struct field options[] = {
    {FLAG("quick", quick,
          "fewer jobs and seeds: two minutes instead of half an hour for all papers")},
    {FLAG("json", json, "print one JSON object")},
    {OPTION("csv", "DIR", FIELD_TEXT, csv,
            "also write the rows, and the points of each figure, as CSV files")},
    {OPTION("plots", "DIR", FIELD_TEXT, plots,
            "also draw each figure as an SVG picture (needs gnuplot)")},
    {OPTION("report", "FILE.html", FIELD_TEXT, report,
            "also write a page with the papers' figures and numbers next to the measured ones")},
    {FLAG("fresh", fresh, "run everything again, and ignore stored results")},
    {OPTION("store", "DIR", FIELD_TEXT, store,
            "where results are kept; default $XDG_CACHE_HOME/dolly/reproduce")},
    {OPTION("parallel", "N", FIELD_COUNT, parallel, "runs at a time; default the number of cores"),
     .min = 1, .max = 1000},
    {OPTION("experiments", "DIR", FIELD_TEXT, from,
            "where the experiments are; default $DOLLY_EXPERIMENTS, ./experiments,\nor those "
            "installed with this program")},
    {FLAG("list", list, "print the ids of the rows and run nothing")},
    {0},
};

/* ---- what is asked for ---- */

static int take_paper(void *request, const char *name)
{
    struct repro_request *q = request;

    for (int i = 0; i < q->count; i++)
        if (strcmp(q->chosen[i], name) == 0)
            return cli_usage("reproduce", "%s is named twice", name);
    if (q->count == PAPERS_MAX)
        return cli_usage("reproduce", "at most %d papers", PAPERS_MAX);
    q->chosen[q->count++] = name;
    return 0;
}

static const struct opt_command command = {
    .name = "reproduce",
    .usage = "usage: dolly reproduce [PAPER]... [OPTIONS]\n"
             "\n"
             "Measures the numbers that papers report, and prints for each: the published number, "
             "the measured one with its 95 % interval, the difference, the measured one against a "
             "baseline with its best parameters (tuned), and whether the number was used to "
             "calibrate the simulator (fitted) or not (predicted). docs/measured/reproduction.md "
             "explains the differences. Papers are dolly, dollymp, hotcloud, late and mantri, the "
             "folders of experiments/; without a name all of them. After an interruption the same "
             "command continues.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly reproduce --quick\n"
             "  dolly reproduce late --csv out --plots out\n"
             "  dolly reproduce dolly --json | jq '.experiments[] | {id, paper, ours}'",
    .operand = take_paper,
};

/* ---- where the experiments are ---- */

/* The folder, in `found`, if it holds experiments. */
static bool try_folder(const char *folder, const char *below, char found[PATH_MAX])
{
    if (!folder || !*folder || !realpath(path_of("%s%s/formulas.jq", folder, below).text, found))
        return false;
    *strrchr(found, '/') = '\0';
    return true;
}

static int find_folder(const struct repro_request *q, char found[PATH_MAX], struct err *err)
{
    static const char *const beside[] = {"/../experiments", "/../../experiments",
                                         "/../share/dolly/experiments"};
    char self[PATH_MAX];
    struct err ignored;

    if (q->from) {
        if (try_folder(q->from, "", found))
            return 0;
        return err_set(err, "--experiments: no experiments in %s", q->from);
    }
    if (try_folder(getenv("DOLLY_EXPERIMENTS"), "", found) || try_folder("experiments", "", found))
        return 0;
    own_path(self, &ignored);
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        if (try_folder(self, beside[i], found))
            return 0;
    return err_set(err,
                   "no experiments here; name their folder with --experiments DIR, or run this "
                   "in the source tree");
}

/* ---- the order of things ---- */

struct reproduction {
    char folder[PATH_MAX];
    char *names[PAPERS_MAX]; /* of all papers that there are */
    int names_count;
    const char *const *papers; /* those to reproduce */
    int count;
    struct repro_file files[PAPERS_MAX];
    struct repro_numbers numbers[PAPERS_MAX];
    struct repro_work work;
};

static struct path experiment_path(const struct reproduction *r, const char *paper)
{
    return path_of("%s/%s/%s.experiment", r->folder, paper, paper);
}

/* A paper is a folder with an experiment file of the same name. */
static void list_papers(struct reproduction *r)
{
    struct dirent **entries;
    int count = scandir(r->folder, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        struct path path = experiment_path(r, entries[i]->d_name);
        if (access(path.text, F_OK) == 0 && r->names_count < PAPERS_MAX)
            r->names[r->names_count++] = mem_strdup(entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* Those that were named, if they exist; else all. */
static int choose_papers(struct reproduction *r, const struct repro_request *q, struct err *err)
{
    const char *const *names = (const char *const *)r->names;

    for (int i = 0; i < q->count; i++) {
        bool known = false;
        for (int k = 0; k < r->names_count && !known; k++)
            known = strcmp(names[k], q->chosen[i]) == 0;
        const char *nearest = text_nearest(q->chosen[i], names, (size_t)r->names_count);
        if (!known)
            return err_set(err, "reproduce: unknown paper '%s'%s%s%s", q->chosen[i],
                           nearest ? ", did you mean '" : "", nearest ? nearest : "",
                           nearest ? "'?" : "");
    }
    r->papers = q->count ? q->chosen : names;
    r->count = q->count ? q->count : r->names_count;
    return 0;
}

static int prepare(struct reproduction *r, const struct repro_request *q, struct err *err)
{
    if (find_folder(q, r->folder, err) < 0)
        return -1;
    list_papers(r);
    if (choose_papers(r, q, err) < 0)
        return -1;
    for (int i = 0; i < r->count; i++) {
        struct path path = experiment_path(r, r->papers[i]);
        if (repro_file_read(&r->files[i], path.text, q->quick, err) < 0)
            return -1;
    }
    if (q->list)
        return 0;
    if (repro_work_init(&r->work, q->store, q->fresh, q->quick, (int)q->parallel, err) < 0)
        return -1;
    for (int i = 0; i < r->count; i++)
        if (repro_numbers_plan(&r->numbers[i], &r->files[i], &r->work, err) < 0)
            return -1;
    return 0;
}

static void print_json(const struct reproduction *r)
{
    if (r->count == 1) {
        json_out_print(repro_print_json(&r->numbers[0]));
        return;
    }
    json_t *all = json_object(), *list = json_out_list(all, "papers");
    for (int i = 0; i < r->count; i++)
        json_array_append_new(list, repro_print_json(&r->numbers[i]));
    json_out_print(all);
}

static int write_page(const struct reproduction *r, const char *path, struct err *err)
{
    json_t *papers = json_array();

    for (int i = 0; i < r->count; i++)
        json_array_append_new(papers, repro_print_figures(&r->numbers[i]));
    int rc = figures_page(papers, path, err);
    json_decref(papers);
    return rc;
}

static int print_all(const struct reproduction *r, const struct repro_request *q, struct err *err)
{
    const char *csv = q->csv, *plots = q->plots;

    for (int i = 0; i < r->count; i++) {
        if ((csv && repro_print_csv(&r->numbers[i], csv, err) < 0) ||
            (plots && repro_print_plots(&r->numbers[i], plots, err) < 0))
            return -1;
        if (!q->json)
            repro_print_table(&r->numbers[i]);
    }
    if (q->json)
        print_json(r);
    return q->report ? write_page(r, q->report, err) : 0;
}

static int reproduce(struct reproduction *r, const struct repro_request *q, struct err *err)
{
    if (prepare(r, q, err) < 0)
        return -1;
    if (q->list) {
        for (int i = 0; i < r->count; i++)
            repro_print_list(&r->files[i]);
        return 0;
    }
    interrupt_catch();
    if (repro_work_run(&r->work, err) < 0)
        return -1;
    for (int i = 0; i < r->count; i++)
        if (repro_numbers_fill(&r->numbers[i], err) < 0)
            return -1;
    return print_all(r, q, err);
}

int cmd_reproduce(int argc, char **argv)
{
    struct repro_request q = {.parallel = cores_allowed_here()};
    struct err err;
    int status;

    if (!opt_parse(&command, argc, argv, &q, &status))
        return status;
    struct reproduction *r = mem_zalloc(1, sizeof *r);
    if (reproduce(r, &q, &err) < 0)
        status = interrupt_fail(&err);
    for (int i = 0; i < PAPERS_MAX; i++) {
        repro_numbers_fini(&r->numbers[i]);
        repro_file_fini(&r->files[i]);
    }
    for (int i = 0; i < r->names_count; i++)
        mem_free(r->names[i]);
    repro_work_fini(&r->work);
    mem_free(r);
    return status;
}
