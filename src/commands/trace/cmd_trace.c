/* cmd_trace.c - `dolly trace`: what a trace is like, and the same jobs as a workload file. */
#include "commands/commands.h"

#include <stdio.h>
#include <string.h>

#include "commands/trace/trace_stats.h"
#include "inputs/cluster/cluster.h"
#include "inputs/formats/formats.h"
#include "inputs/formats/request.h"
#include "inputs/workload/workload.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"

struct trace_args {
    const char *verb;
    struct trace_request request;
    const char *cluster;
    int vary; /* enum recorded_vary */
    bool json;
};

#define OPTIONS struct trace_args

static const struct field options[] = {
    REQUEST_OPTIONS(struct trace_args, request),
    {OPTION("variation", "size|luck|bytes", FIELD_CHOICE, vary,
            "convert: why tasks of a phase differ, to make up attempts that the trace does not "
            "have\n(docs/reference/workload-file.md, `vary`); default size"),
     .choices = "size|luck|bytes"},
    {OPTION("cluster", "FILE|NxM", FIELD_TEXT, cluster,
            "convert: also write the nodes of this cluster that hold the inputs")},
    {FLAG("json", json, "stats, formats: print one JSON object")},
    {0},
};

static int take_operand(void *args, const char *text)
{
    struct trace_args *a = args;
    if (!a->verb)
        a->verb = text;
    else
        vec_push(&a->request.files.texts, text);
    return 0;
}

static const struct opt_command command = {
    .name = "trace",
    .usage = "usage: dolly trace stats FILE... [OPTIONS]\n"
             "       dolly trace convert FILE... [OPTIONS]\n"
             "       dolly trace formats [--json]\n"
             "\n"
             "Reads traces of clusters as they are published: plain or compressed, in archives, "
             "from pipes (-), several files as one trace. `stats` prints statistics, `convert` "
             "prints the jobs as a workload file (docs/reference/workload-file.md), `formats` "
             "lists the formats and the assumptions.\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly trace stats task_events/part-*.csv.gz --json\n"
             "  dolly trace convert batch_task.csv batch_instance.tar.gz > alibaba.workload\n"
             "  dolly trace stats FB-2009_samples_24_times_1hr_0.tsv --assume block=128M",
    .operand = take_operand,
};

/* ---- formats ---- */

static int list_formats(const struct trace_args *a)
{
    struct assume defaults = assume_defaults();
    json_t *formats = json_array(), *keys = json_array();
    if (!a->json)
        puts("Formats:");
    for (const struct import_format *const *f = formats_table; *f; f++) {
        json_array_append_new(formats,
                              json_pack("{s:s, s:s}", "name", (*f)->name, "what", (*f)->help));
        if (!a->json)
            printf("  %-21s %s\n", (*f)->name, (*f)->help);
    }
    if (!a->json)
        puts("\nAssumptions (--assume KEY=VALUE), with their defaults:");
    for (enum assume_key k = 0; k < ASSUME_KEYS; k++) {
        struct str value = {0};
        assume_value(&defaults, k, &value);
        json_array_append_new(keys, json_pack("{s:s, s:s, s:s}", "key", assume_table[k].name,
                                              "value", value.text, "what", assume_table[k].help));
        if (!a->json)
            printf("  %s=%s: %s\n", assume_table[k].name, value.text, assume_table[k].help);
        str_free(&value);
    }
    if (a->json) {
        json_out_print(json_pack("{s:o, s:o}", "formats", formats, "assumptions", keys));
    } else {
        json_decref(formats);
        json_decref(keys);
    }
    return EXIT_DONE;
}

/* ---- convert ---- */

/* Jobs with inputs on nodes of `cluster`, or nowhere if it is NULL. */
static int write_jobs(struct import *m, const struct trace_args *a, const struct cluster *cluster,
                      struct err *err)
{
    struct import_view view = IMPORT_VIEW_ALL;
    struct str text = {0};
    view.vary = (uint8_t)a->vary;
    view.cluster = cluster;
    struct workload *w = import_jobs(m, &view, err);
    if (!w)
        return -1;
    printf("# %s (%s), by dolly trace convert.\n", a->request.files.texts.at[0], m->formats);
    if (cluster)
        printf("# Inputs lie on nodes of the cluster %s.\n", a->cluster);
    struct workload_cut cut = survey_cut(m->survey);
    trace_stats_print_cut(&cut, "# ");
    trace_stats_print_notes(m, "# ");
    /* A full disk is seen by cli_close_stdout; here it only ends the work. */
    for (struct workload_job *job; !ferror(stdout) && (job = w->next(w));) {
        str_cut(&text, 0);
        workload_write(job, cluster, &text);
        fwrite(text.text, 1, text.length, stdout);
        workload_job_free(job);
    }
    w->destroy(w);
    str_free(&text);
    return 0;
}

static int convert(struct import *m, const struct trace_args *a, struct err *err)
{
    struct cluster *cluster = a->cluster ? cluster_file_open(a->cluster, err) : NULL;
    int bad = a->cluster && !cluster ? -1 : write_jobs(m, a, cluster, err);
    cluster_destroy(cluster);
    return bad;
}

/* ---- stats ---- */

static int print_stats(struct import *m, const struct trace_args *a, struct err *err)
{
    struct trace_stats t = {0};
    int bad = trace_stats_measure(m, &t, err);
    if (bad == 0)
        (a->json ? trace_stats_json : trace_stats_print)(m, &t);
    vec_free(&t.rows);
    return bad;
}

static int read_trace(const struct trace_args *a, bool stats)
{
    struct err err;
    struct import *m = request_open(&a->request, &err);
    int bad = m ? (stats ? print_stats : convert)(m, a, &err) : -1;
    import_close(m);
    return bad < 0 ? cli_fail(&err) : EXIT_DONE;
}

static int run(const struct trace_args *a)
{
    static const char *const verbs[] = {"stats", "convert", "formats"};
    if (!a->verb)
        return cli_usage("trace", "missing subcommand: stats, convert or formats");
    if (!strcmp(a->verb, "formats"))
        return a->request.files.texts.count
                   ? cli_usage("trace", "unexpected argument '%s'", a->request.files.texts.at[0])
                   : list_formats(a);
    bool stats = !strcmp(a->verb, "stats");
    if (!stats && strcmp(a->verb, "convert")) {
        const char *nearest = text_nearest(a->verb, verbs, 3);
        return cli_usage("trace", "unknown '%s'%s%s%s", a->verb, nearest ? ", did you mean '" : "",
                         nearest ? nearest : "",
                         nearest ? "'?" : "; expected stats, convert or formats");
    }
    if (a->request.files.texts.count == 0)
        return cli_usage("trace", "the file of the trace is missing");
    if (!stats && a->json)
        return cli_usage("trace", "--json needs stats or formats; jobs are a workload file");
    if (stats && a->cluster)
        return cli_usage("trace", "--cluster needs convert: stats are of the trace alone");
    return read_trace(a, stats);
}

int cmd_trace(int argc, char **argv)
{
    struct trace_args a = {.request = REQUEST_DEFAULT};
    int status;
    if (opt_parse(&command, argc, argv, &a, &status))
        status = run(&a);
    request_fini(&a.request);
    return status;
}
