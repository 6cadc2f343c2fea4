/* compare_page.c - a picture first (the timelines on one axis, and how completion times are
 * distributed), then numbers of the runs, then job by job.
 *
 * Jobs are the same when number, name and number of tasks are: both runs read the same workload. */
#include "commands/report/compare_page.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/os/fresh_file.h"
#include "base/stat.h"
#include "commands/report/html.h"
#include "commands/report/pack.h"
#include "commands/report/read_run.h"
#include "ui/words.h"

struct comparison {
    struct read_run runs[COMPARE_PAGE_RUNS];
    uint32_t count;
    VEC(struct compared) jobs; /* done in all runs */
};

/* A job in all runs. */
struct compared {
    const struct gather_job *job[COMPARE_PAGE_RUNS];
};

static int64_t took_us(const struct gather_job *j)
{
    return j->ended_us - j->arrived_us;
}

/* ---- which jobs are the same ---- */

static const struct gather_job *find_job(const struct gather *g, const struct gather_job *like)
{
    const struct gather_job *j = gather_find(g, like->id);
    bool same = j && j->tasks == like->tasks && strcmp(j->name, like->name) == 0;
    return same && j->measured && !j->open && !j->failed ? j : NULL;
}

static void match_jobs(struct comparison *c)
{
    const struct gather *first = &c->runs[0].gather;

    for (uint32_t i = 0; i < first->jobs.count; i++) {
        struct compared one = {0};
        bool all = true;
        for (uint32_t k = 0; k < c->count; k++) {
            one.job[k] = find_job(&c->runs[k].gather, &first->jobs.at[i]);
            all &= one.job[k] != NULL;
        }
        if (all)
            vec_push(&c->jobs, one);
    }
}

/* ---- sentences ---- */

static double mean_s(const struct comparison *c, uint32_t run)
{
    double sum = 0;

    for (uint32_t i = 0; i < c->jobs.count; i++)
        sum += (double)took_us(c->jobs.at[i].job[run]) / 1e6;
    return c->jobs.count ? sum / c->jobs.count : NAN;
}

/* A job is faster or slower only if it is so by more than this share. */
#define SAME_SHARE 0.01

static void add_sentence(const struct comparison *c, uint32_t run, struct str *to)
{
    double base = mean_s(c, 0), mean = mean_s(c, run), share = (mean - base) / base;
    uint32_t faster = 0, slower = 0;

    for (uint32_t i = 0; i < c->jobs.count; i++) {
        double was = (double)took_us(c->jobs.at[i].job[0]);
        double is = (double)took_us(c->jobs.at[i].job[run]);
        faster += is < was * (1 - SAME_SHARE);
        slower += is > was * (1 + SAME_SHARE);
    }
    str_add(to, "<p>");
    pack_escaped(c->runs[run].label, to);
    str_add(to, c->jobs.count == 1 ? ": the job took " : ": a job took ");
    pack_escaped(words_seconds(mean).text, to);
    str_add(to, c->jobs.count == 1 ? ", " : " on average, ");
    if (fabs(share) < 0.0005) {
        str_add(to, "as with ");
    } else {
        pack_escaped(words_share(fabs(share)).text, to);
        str_add(to, share < 0 ? " less than with " : " more than with ");
    }
    pack_escaped(c->runs[0].label, to);
    str_addf(to, " (");
    pack_escaped(words_seconds(base).text, to);
    if (c->jobs.count == 1) {
        str_add(to, ").</p>\n");
        return;
    }
    str_addf(to,
             "). Of %u jobs %u were faster by more than 1&nbsp;%%, %u slower, and %u took as "
             "long.</p>\n",
             c->jobs.count, faster, slower, c->jobs.count - faster - slower);
}

static void add_caveats(const struct comparison *c, struct str *to)
{
    for (uint32_t k = 0; k < c->count; k++) {
        const struct gather *g = &c->runs[k].gather;
        uint64_t others = g->measured_count - c->jobs.count;
        if (g->job_count > g->measured_count) {
            str_addf(to, "<p class=\"more\">%s of ",
                     words_count(g->job_count - g->measured_count, "job").text);
            pack_escaped(c->runs[k].label, to);
            str_add(to, " came before or after the measured ones and are not counted.</p>\n");
        }
        if (others == 0)
            continue;
        str_addf(to, "<p class=\"more\">%s of ", words_count(others, "job").text);
        pack_escaped(c->runs[k].label, to);
        str_add(to, " cannot be compared: not the same in all runs, or not done in all.</p>\n");
    }
}

static void add_story(const struct comparison *c, struct str *to)
{
    str_add(to, "<div class=\"story\">\n");
    for (uint32_t k = 1; k < c->count && c->jobs.count > 0; k++)
        add_sentence(c, k, to);
    if (c->jobs.count == 0)
        str_add(to, "<p>The runs have no job in common that is done in all of them.</p>\n");
    add_caveats(c, to);
    str_add(to, "</div>\n");
}

/* ---- tables ---- */

static void add_times(const struct comparison *c, uint32_t run, struct str *to)
{
    uint32_t n = c->jobs.count;
    double *times = mem_resize(NULL, n, sizeof *times);

    for (uint32_t i = 0; i < n; i++)
        times[i] = (double)took_us(c->jobs.at[i].job[run]) / 1e6;
    html_real(mean_s(c, run), 4, to);
    html_real(stat_quantile_or_nan(times, n, 0.5), 4, to);
    html_real(stat_quantile_or_nan(times, n, 0.95), 4, to);
    html_real(stat_quantile_or_nan(times, n, 1), 4, to);
    mem_free(times);
}

static void add_runs(const struct comparison *c, struct str *to)
{
    static const char *const columns[] = {
        "run",         "mean s",        "median s",        "p95 s",
        "longest s",   "all jobs over", "straggling cost", "extra attempts",
        "of them won", "killed",        "slot-s in vain",  NULL};

    str_add(to, "<h2>The runs</h2>\n");
    html_table("runs", columns, to);
    for (uint32_t k = 0; k < c->count; k++) {
        const struct story_run *r = c->runs[k].source.x.run;
        double vain_s = 0;
        for (int kind = 0; kind < LAUNCH_KIND_END; kind++)
            vain_s += r->vain_slot_s[kind];
        str_add(to, "<tr>");
        html_cell(c->runs[k].label, to);
        add_times(c, k, to);
        html_span(r->last_us - r->first_us, to);
        html_span(r->would.straggling_us, to);
        html_number(r->launched[LAUNCH_CLONE] + r->launched[LAUNCH_BACKUP], to);
        html_number(r->won[LAUNCH_CLONE] + r->won[LAUNCH_BACKUP], to);
        html_number(r->killed, to);
        html_real(vain_s, 4, to);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
}

static int64_t difference_us(const struct compared *j)
{
    return took_us(j->job[1]) - took_us(j->job[0]);
}

/* Those that differ most first. */
static int by_difference(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    int64_t p = llabs(difference_us(x)), q = llabs(difference_us(y));
    return p != q ? (p < q) - (p > q)
                  : (x->job[0]->id.v > y->job[0]->id.v) - (x->job[0]->id.v < y->job[0]->id.v);
}

static void add_difference(int64_t was_us, int64_t is_us, struct str *to)
{
    double share = was_us > 0 ? (double)(is_us - was_us) / (double)was_us : 0;

    str_addf(to, "<td class=\"n %s\">%+.1f&nbsp;%%</td>",
             share < -SAME_SHARE  ? "better"
             : share > SAME_SHARE ? "worse"
                                  : "same",
             100 * share);
}

static void add_jobs(struct comparison *c, struct str *to)
{
    enum { ROWS_MAX = 200 };
    const char *columns[4 + 2 * COMPARE_PAGE_RUNS] = {"job", "name", "tasks"};
    uint32_t n = 3;

    for (uint32_t k = 0; k < c->count; k++)
        columns[n++] = c->runs[k].label;
    for (uint32_t k = 1; k < c->count; k++)
        columns[n++] = c->count == 2 ? "difference" : c->runs[k].label;
    if (c->jobs.count > 0)
        qsort(c->jobs.at, c->jobs.count, sizeof *c->jobs.at, by_difference);
    str_add(to, "<h2>Job by job: how long each took</h2>\n");
    html_table("jobs", columns, to);
    for (uint32_t i = 0; i < c->jobs.count && i < ROWS_MAX; i++) {
        const struct compared *j = &c->jobs.at[i];
        str_addf(to, "<tr data-job=\"%u\">", j->job[0]->id.v);
        html_number(j->job[0]->id.v, to);
        html_cell(j->job[0]->name, to);
        html_number(j->job[0]->tasks, to);
        for (uint32_t k = 0; k < c->count; k++)
            html_time(took_us(j->job[k]), to);
        for (uint32_t k = 1; k < c->count; k++)
            add_difference(took_us(j->job[0]), took_us(j->job[k]), to);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
    if (c->jobs.count > ROWS_MAX)
        str_addf(to, "<p class=\"more\">%u jobs in all; these differ most.</p>\n", c->jobs.count);
}

/* ---- the page ---- */

static void write_page(struct comparison *c, struct str *to)
{
    struct str title = {0};

    for (uint32_t k = 0; k < c->count; k++)
        str_addf(&title, "%s%s", k == 0 ? "" : k + 1 < c->count ? ", " : " and ", c->runs[k].label);
    str_add(&title, ", compared");
    html_begin(title.text, &web_compare, to);
    html_heading("h1", title.text, to);
    add_story(c, to);
    str_add(to, "<section id=\"view\" hidden></section>\n"
                "<noscript><p>The pictures need JavaScript; the tables do not.</p></noscript>\n");
    add_runs(c, to);
    add_jobs(c, to);
    for (uint32_t k = 0; k < c->count; k++)
        html_run(&c->runs[k], k, to);
    html_end(&web_compare, to);
    str_free(&title);
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
        match_jobs(&c);
        write_page(&c, &page);
        rc = html_save(output, &page, err);
    }
    for (uint32_t k = 0; k < c.count; k++)
        read_run_close(&c.runs[k]);
    vec_free(&c.jobs);
    str_free(&page);
    return rc;
}
