/* cmd_workload.c - `dolly workload`: generated jobs, or their statistics beside the published ones.
 *
 * Statistics are rows of one form, wherever they come from: a new source appends its rows in
 * `measure`, and both ways of printing know them. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "commands/commands.h"
#include "commands/sim/workload_sim.h"
#include "inputs/models/format.h"
#include "inputs/models/profile.h"
#include "inputs/workload/workload.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/opt.h"
#include "ui/words.h"
#include "ui/wrap.h"

/* Default numbers of jobs: enough to see what they look like, or for steady statistics. */
enum { JOBS_PRINTED = 20, JOBS_MEASURED = 10000 };

struct workload_args {
    struct named_workload named; /* with a model */
    double load;
    int64_t jobs, seed;
    bool stats, json;
};

#define OPTIONS struct workload_args

static const struct field options[] = {
    {OPTION("jobs", "N", FIELD_INT, jobs, "number of jobs; default 20, or 10000 with --stats"),
     .min = 1, .max = 1e8},
    {OPTION("scale", "load=F", FIELD_OWN, load,
            "jobs arrive F times as often, 0.01 to 100; default 1"),
     .take = format_take_scale},
    {OPTION("seed", "S", FIELD_INT, seed, "seed of the random numbers, 0 or more; default 1")},
    {FLAG("stats", stats, "print statistics of the jobs next to the published ones")},
    {FLAG("json", json, "print the statistics as one JSON object; needs --stats")},
    {0},
};

/* ---- what is asked for ---- */

static int take_name(void *args, const char *name)
{
    struct workload_args *q = args;
    const char *names[SYNTH_MODELS];

    if (q->named.model)
        return cli_usage("workload", "unexpected argument '%s'", name);
    const struct synth_model *built_in = synth_find(name);
    if (built_in) {
        q->named = format_model(built_in);
        return 0;
    }
    struct err err;
    if (format_find(&q->named, name, &err) < 0)
        return cli_fail(&err);
    if (q->named.model)
        return 0;
    for (int i = 0; i < SYNTH_MODELS; i++)
        names[i] = synth_model_table[i].name;
    const char *nearest = text_nearest(name, names, SYNTH_MODELS);
    if (nearest)
        return cli_usage("workload", "unknown workload '%s', did you mean '%s'?", name, nearest);
    return cli_usage("workload", "unknown workload '%s'", name);
}

static const struct opt_command command = {
    .name = "workload",
    .usage = "usage: dolly workload NAME|FILE [--jobs N] [--scale load=F] [--seed S]\n"
             "       dolly workload NAME|FILE --stats [--json] [--jobs N] [--seed S]\n"
             "\n"
             "Prints the first jobs of a generated workload as a workload file, which you can "
             "edit and run (docs/reference/workload-file.md), or their statistics next to the "
             "published ones.\n"
             "\n"
             "Workloads: facebook, bing, google, or the file of a model "
             "(docs/reference/workload-models.md)\n",
    .options = options,
    .notes = "\nExamples:\n"
             "  dolly workload facebook --stats\n"
             "  dolly workload experiments/mantri/world.model --stats\n"
             "  dolly workload facebook --jobs 20 --seed 1 > my.workload\n"
             "  dolly sim --workload my.workload --policy none,dolly \\\n"
             "            --cluster examples/facebook.cluster",
    .operand = take_name,
};

/* 0, or an exit status after printing what is wrong. */
static int check_args(struct workload_args *q)
{
    if (!q->named.model)
        return cli_usage("workload", "the name of a workload is missing");
    if (q->json && !q->stats)
        return cli_usage("workload", "--json needs --stats; jobs are printed as a workload file");
    if (q->stats && q->load != 1)
        return cli_usage("workload",
                         "--scale cannot be combined with --stats: published numbers are "
                         "about the unscaled workload");
    if (q->load != 1)
        format_scale(&q->named, q->load);
    if (q->jobs == 0)
        q->jobs = q->stats ? JOBS_MEASURED : JOBS_PRINTED;
    return 0;
}

/* ---- jobs ---- */

static void print_jobs(const struct workload_args *q, struct workload *w)
{
    const char *name = q->named.model->name;
    struct str text = {0};

    printf("# %s: the first %" PRId64 " jobs of seed %" PRId64
           ", by dolly workload. Their world is ",
           name, q->jobs, q->seed);
    if (q->named.model->cluster_path)
        printf("%s.\n", q->named.model->cluster_path);
    else
        printf("examples/%s.cluster.\n", name);
    /* A full disk is seen by cli_close_stdout; here it only ends the work. */
    for (int64_t i = 0; i < q->jobs && !ferror(stdout); i++) {
        struct workload_job *job = w->next(w);
        str_cut(&text, 0);
        workload_write(job, NULL, &text);
        fputs(text.text, stdout);
        workload_job_free(job);
    }
    str_free(&text);
}

/* ---- statistics ---- */

/* 0 with all rows, or -1 with *err. */
static int measure(const struct workload_args *q, struct workload *w, struct profile_table *t,
                   struct err *err)
{
    struct cluster *cluster = synth_cluster(q->named.model, err);
    if (!cluster)
        return -1;
    struct profile *profile = profile_create(&cluster->luck);

    for (int64_t i = 0; i < q->jobs; i++) {
        struct workload_job *job = w->next(w);
        profile_add(profile, job);
        workload_job_free(job);
    }
    profile_rows(profile, q->named.model, t);
    profile_destroy(profile);
    cluster_destroy(cluster);
    return workload_sim_rows(q->named.model, (uint64_t)q->seed, t, err);
}

static void print_json(const struct workload_args *q, const struct profile_table *t)
{
    json_t *object = json_object();

    json_out_put(object, "workload", q->named.model->name);
    json_out_members(object, q, seed, jobs);
    json_t *stats = json_out_list(object, "stats");
    for (uint32_t i = 0; i < t->rows.count; i++) {
        const struct profile_row *row = &t->rows.at[i];
        json_t *stat = json_out_add(stats);
        json_out_members(stat, row, id, what, paper, ours);
        json_out_put(stat, "source", row->citation);
    }
    json_out_print(object);
}

/* "-" where it is not known. */
static struct words number(double value)
{
    struct words w = {"-"};

    if (!isnan(value))
        snprintf(w.text, sizeof w.text, "%.3g", value);
    return w;
}

static void print_table(const struct workload_args *q, const struct profile_table *t)
{
    const struct synth_model *m = q->named.model;
    struct str line = {0};

    printf("%s: %" PRId64 " jobs, seed %" PRId64 "; simulated ones: %" PRIu64
           " jobs after a warm-up of %g min\n\n",
           m->name, q->jobs, q->seed, m->jobs ? m->jobs : WORKLOAD_SIM_JOBS,
           m->jobs ? (double)m->warmup_us / 60e6 : 90);
    printf("%6s %6s  statistic (source)\n", "paper", "ours");
    for (uint32_t i = 0; i < t->rows.count; i++) {
        const struct profile_row *row = &t->rows.at[i];
        int column = printf("%6s %6s  ", number(row->paper).text, number(row->ours).text);
        str_cut(&line, 0);
        str_add(&line, row->what);
        if (row->citation[0])
            str_addf(&line, " (%s)", row->citation);
        wrap_print(line.text, column, column);
    }
    str_free(&line);
}

int cmd_workload(int argc, char **argv)
{
    struct workload_args q = {.seed = 1, .load = 1};
    int status;

    if (!opt_parse(&command, argc, argv, &q, &status) || (status = check_args(&q)) != 0) {
        format_fini(&q.named);
        return status;
    }
    struct workload *w = synth_create(q.named.model, (uint64_t)q.seed);
    if (q.stats) {
        struct profile_table t = {0};
        struct err err;
        if (measure(&q, w, &t, &err) < 0)
            status = cli_fail(&err);
        else
            (q.json ? print_json : print_table)(&q, &t);
        vec_free(&t.rows);
    } else {
        print_jobs(&q, w);
    }
    w->destroy(w);
    format_fini(&q.named);
    return status;
}
