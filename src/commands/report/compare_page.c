/* compare_page.c - the result first, then mean times by size, the runs, and the jobs that changed
 * most. The script draws pictures from the same numbers: dumbbells, a scatter, the distribution of
 * times, and the timelines on one axis. */
#include "commands/report/compare_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/stat.h"
#include "commands/report/compare.h"
#include "commands/report/html.h"
#include "commands/report/meta_line.h"
#include "commands/report/read_run.h"
#include "ui/words.h"

/* ---- words ---- */

static void add_head(const struct comparison *c, struct str *to)
{
    struct str text = {0}, range = {0}, lines = {0}, lead = {0};

    str_add(&range, "");
    str_add(&lines, "");
    compare_headline(c, &text, &range);
    compare_sentences(c, &lines);
    html_begin(text.text, &web_compare, to);
    html_headline(text.text, range.text, false, to);
    str_addf(&lead, "%s compared", words_count(c->jobs.count, "job").text);
    meta_line_shared(&c->runs[0].input.x, lead.text, to);
    html_sentences(lines.text, to);
    str_free(&text);
    str_free(&range);
    str_free(&lines);
    str_free(&lead);
}

/* ---- tables ---- */

/* With two decimals, as the table of `dolly sim` has them. */
static struct words seconds(double s)
{
    struct words w = {"-"};

    if (!isnan(s))
        snprintf(w.text, sizeof w.text, "%.2f", s);
    return w;
}

static void add_times(const struct comparison *c, uint32_t run, struct str *to)
{
    uint32_t n = c->jobs.count;
    double *times = mem_resize(NULL, n, sizeof *times);

    for (uint32_t i = 0; i < n; i++)
        times[i] = (double)gather_took_us(c->jobs.at[i].job[run]) / 1e6;
    html_cells(to, seconds(compare_mean_s(c, run, COMPARE_ALL)),
               seconds(stat_quantile_or_nan(times, n, 0.5)),
               seconds(stat_quantile_or_nan(times, n, 0.95)),
               seconds(stat_quantile_or_nan(times, n, 1)));
    mem_free(times);
}

static void add_change(double share, struct str *to)
{
    str_addf(to, "<td class=\"n %s\">%+.1f&nbsp;%%</td>",
             share < -COMPARE_SAME  ? "better"
             : share > COMPARE_SAME ? "worse"
                                    : "same",
             100 * share);
}

/* A row for each size of jobs: how many, their means, and the change with the best run. */
static void add_bins(const struct comparison *c, struct str *to)
{
    const char *columns[4 + COMPARE_RUNS] = {"tasks", "jobs"};
    uint32_t n = 2, best = compare_best(c);
    struct str change = {0};

    for (uint32_t k = 0; k < c->count; k++)
        columns[n++] = c->runs[k].label;
    str_addf(&change, "with %s", c->runs[best].label);
    columns[n] = change.text;
    html_heading("h2", "Mean time of a job (s), by its number of tasks", to);
    str_add(to, "<div id=\"dumbbells\"></div>\n");
    html_table("bins", columns, to);
    for (int b = 0; b < COMPARE_BINS; b++) {
        if (compare_jobs(c, b) == 0)
            continue;
        str_add(to, "<tr>");
        html_cells(to, compare_bin_name(b), compare_jobs(c, b));
        for (uint32_t k = 0; k < c->count; k++)
            html_words(seconds(compare_mean_s(c, k, b)), to);
        add_change(compare_change(c, best, b), to);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
    str_free(&change);
}

static void add_runs(const struct comparison *c, struct str *to)
{
    static const char *const columns[] = {"run",
                                          "policy",
                                          "mean s",
                                          "median s",
                                          "p95 s",
                                          "longest s",
                                          "all jobs over",
                                          "straggling cost",
                                          "extra attempts",
                                          "of them won",
                                          "killed",
                                          "slot-s in vain",
                                          NULL};

    str_add(to, "<h2>The runs</h2>\n");
    html_table("runs", columns, to);
    for (uint32_t k = 0; k < c->count; k++) {
        const struct story_run *r = c->runs[k].input.x.run;
        double vain_s = 0;
        for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
            vain_s += r->vain_slot_s[kind];
        str_add(to, "<tr>");
        html_cell(c->runs[k].label, to);
        str_add(to, "<td>");
        meta_line_policy(&c->runs[k].input.x, "", to);
        str_add(to, "</td>");
        add_times(c, k, to);
        html_cells(to,
                   c->runs[k].input.x.complete ? words_span(r->last_us - r->first_us)
                                               : (struct words){"not over"},
                   words_span(r->would.straggling_us),
                   r->launched[LAUNCH_CLONE] + r->launched[LAUNCH_BACKUP],
                   r->won[LAUNCH_CLONE] + r->won[LAUNCH_BACKUP], r->killed, html_real(vain_s, 4));
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
}

static double change_of(const struct compared *j, uint32_t run)
{
    double was = (double)gather_took_us(j->job[0]), is = (double)gather_took_us(j->job[run]);
    return was > 0 ? (is - was) / was : 0;
}

/* Those that differ most first. */
static int by_gain(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    return x->gain_us != y->gain_us
               ? (x->gain_us < y->gain_us) - (x->gain_us > y->gain_us)
               : (x->job[0]->id.v > y->job[0]->id.v) - (x->job[0]->id.v < y->job[0]->id.v);
}

/* By the run that the headline is about. */
static void sort_jobs(struct comparison *c)
{
    uint32_t best = compare_best(c);

    for (uint32_t i = 0; i < c->jobs.count; i++) {
        struct compared *j = &c->jobs.at[i];
        j->gain_us = llabs(gather_took_us(j->job[best]) - gather_took_us(j->job[0]));
    }
    vec_sort(&c->jobs, by_gain);
}

static void add_jobs(struct comparison *c, struct str *to)
{
    enum { ROWS_MAX = 20 };
    const char *columns[4 + 2 * COMPARE_RUNS] = {"job", "name", "tasks"};
    struct str labels[COMPARE_RUNS] = {0};
    uint32_t n = 3;

    for (uint32_t k = 0; k < c->count; k++) {
        columns[n++] = c->runs[k].label;
        str_addf(&labels[k], "change with %s", c->runs[k].label);
    }
    for (uint32_t k = 1; k < c->count; k++)
        columns[n++] = c->count == 2 ? "difference" : labels[k].text;
    sort_jobs(c);
    html_heading("h2", "Jobs that changed most", to);
    html_table("jobs", columns, to);
    for (uint32_t i = 0; i < c->jobs.count && i < ROWS_MAX; i++) {
        const struct compared *j = &c->jobs.at[i];
        str_addf(to, "<tr data-job=\"%u\">", j->job[0]->id.v);
        html_cells(to, j->job[0]->id.v, j->job[0]->name, j->job[0]->tasks);
        for (uint32_t k = 0; k < c->count; k++)
            html_words(html_time(gather_took_us(j->job[k])), to);
        for (uint32_t k = 1; k < c->count; k++)
            add_change(change_of(j, k), to);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
    if (c->jobs.count > ROWS_MAX)
        str_addf(to, "<p class=\"more\">%u jobs in all.</p>\n", c->jobs.count);
    for (uint32_t k = 0; k < c->count; k++)
        str_free(&labels[k]);
}

/* ---- the page ---- */

/* What the script draws from. */
static json_t *numbers_json(const struct comparison *c)
{
    json_t *bins = json_array();

    for (int b = 0; b < COMPARE_BINS; b++) {
        if (compare_jobs(c, b) == 0)
            continue;
        json_t *means = json_array();
        for (uint32_t k = 0; k < c->count; k++)
            json_array_append_new(means, json_real(compare_mean_s(c, k, b)));
        json_array_append_new(bins, json_pack("{ss si so}", "name", compare_bin_name(b), "jobs",
                                              (int)compare_jobs(c, b), "means", means));
    }
    return json_pack("{so si si}", "bins", bins, "best", (int)compare_best(c), "jobs",
                     (int)c->jobs.count);
}

static void write_page(struct comparison *c, struct str *to)
{
    enum { FEW_JOBS = 5 }; /* their timelines tell more than means */
    static const char view[] = "<section id=\"view\" hidden></section>\n";

    add_head(c, to);
    str_add(to, c->jobs.count < FEW_JOBS ? view : "");
    str_add(to, "<noscript><p>The pictures need JavaScript; the tables do not.</p></noscript>\n");
    if (c->jobs.count > 0)
        add_bins(c, to);
    str_add(to, "<section id=\"charts\" hidden></section>\n");
    if (c->jobs.count > 0)
        add_jobs(c, to);
    add_runs(c, to);
    str_add(to, c->jobs.count < FEW_JOBS ? "" : view);
    html_json("compare", numbers_json(c), to);
    for (uint32_t k = 0; k < c->count; k++)
        html_run(&c->runs[k], k, to);
    html_end(&web_compare, to);
}

int compare_page_may_save(const char *path, struct err *err)
{
    struct fresh_file f;
    struct stat st;

    /* What is no file is written into: opening it might wait for a reader, or be one. */
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
        return 0;
    if (fresh_file_open(&f, path, 0666) == 0) {
        fresh_file_close(&f, false);
        return 0;
    }
    return err_system(err, "cannot write %s: %s", path, strerror(errno));
}

int compare_page(const char *const *journals, const char *const *labels, uint32_t count, bool kept,
                 const char *output, struct err *err)
{
    struct comparison c = {0};
    struct str page = {0};
    int rc = 0;

    for (; rc == 0 && c.count < count; c.count++) {
        rc = read_run_open(&c.runs[c.count], journals[c.count], false, err);
        c.runs[c.count].label = labels[c.count];
        c.runs[c.count].kept = kept;
    }
    if (rc == 0) {
        compare_match(&c);
        write_page(&c, &page);
        rc = html_save(output, &page, err);
    }
    for (uint32_t k = 0; k < c.count; k++)
        read_run_close(&c.runs[k]);
    vec_free(&c.jobs);
    str_free(&page);
    return rc;
}
