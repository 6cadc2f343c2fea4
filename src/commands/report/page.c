/* page.c - the page of a run: its story in words and tables that need no script, and the data that
 * the script draws from. */
#include "commands/report/page.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "commands/report/headline.h"
#include "commands/report/html.h"
#include "commands/report/meta_line.h"
#include "ui/words.h"

enum { ROWS_MAX = 50 }; /* of a table */

/* ---- the result ---- */

static void add_sentences(const struct read_run *r, struct str *to)
{
    struct str text = {0};

    str_add(&text, "");
    headline_sentences(r, &text);
    html_sentences(text.text, to);
    str_free(&text);
}

/* The story of explain, line by line, for who wants every number. */
static void add_story(const struct explain *x, struct str *to)
{
    struct str story = {0};

    explain_run(x, &story);
    explain_open_caveat(x, &story);
    html_fold("story", "The whole story", to);
    for (char *rest = story.text, *line; (line = strsep(&rest, "\n"));)
        if (*line)
            html_text(*line == ' ' ? "<p class=\"more\">" : "<p>", line, "</p>\n", to);
    html_fold_end(to);
    str_free(&story);
}

/* ---- failures ---- */

/* Its last words, and where all of them are. */
static void add_stderr(const struct explain *x, struct attempt_ref at, struct str *to)
{
    struct explain_tail tail;

    if (!explain_stderr_tail(x, at, EXPLAIN_STDERR_LINES, &tail))
        return;
    html_text("<pre tabindex=\"0\">", tail.text.text, "</pre>\n", to);
    str_addf(to, "<p class=\"meta\">%s of stderr", tail.cut ? "the last lines" : "all");
    html_tame("; the file: ", tail.path.text, "</p>\n", to);
    str_free(&tail.text);
}

static void add_failure(const struct explain *x, const struct telling_task *one, struct str *to)
{
    struct str command = {0};

    str_add(to, "<section class=\"failure\">\n");
    html_heading("h2", one->title, to);
    str_add(&command, "");
    explain_command(x, one->at.task, "", "", &command);
    if (command.length > 0)
        html_text("<p><code>", command.text, "</code></p>\n", to);
    add_stderr(x, one->at, to);
    html_text("<details><summary>its story</summary><p class=\"told-all\">", one->text,
              "</p></details>\n</section>\n", to);
    str_free(&command);
}

/* The tasks that a reader wants to see first. */
static void add_failed(const struct read_run *r, struct str *to)
{
    enum { UNFOLDED_MAX = 3, SHOWN_MAX = 10 }; /* the picture is to be near */
    const struct telling_list *list = &r->telling.kinds[TELLING_FAILED];
    struct str again = {0}, since = {0};
    uint32_t shown = 0;

    for (uint32_t i = 0; i < list->v.count && shown < SHOWN_MAX; i++) {
        if (!list->v.at[i].title)
            continue;
        if (shown == 0)
            str_add(to, "<div id=\"failed\">\n");
        if (shown == UNFOLDED_MAX)
            html_fold("failed-too", "More tasks that failed", to);
        add_failure(&r->input.x, &list->v.at[i], to);
        shown++;
    }
    if (!shown)
        return;
    if (shown > UNFOLDED_MAX)
        html_fold_end(to);
    if (r->input.x.run->tasks_failed > shown)
        str_addf(to, "<p>%s failed as well.</p>\n",
                 words_count(r->input.x.run->tasks_failed - shown, "task").text);
    explain_failure_retry(&r->input.x, &again);
    if (again.length > 0)
        html_text("<p>Run what failed again: <code>", again.text, "</code></p>\n", to);
    explain_failure_since(&r->input.x, &since);
    if (since.length > 0)
        html_text("<p>How that went the last time: <code>", since.text, "</code></p>\n", to);
    str_add(to, "</div>\n");
    str_free(&again);
    str_free(&since);
}

/* ---- tables ---- */

static void add_quantiles(struct phase_values *v, enum phase_metric m, struct str *to)
{
    static const double quantiles[] = {0, 0.25, 0.5, 0.75, 1};

    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        double value = phase_sums_quantile(v, quantiles[i]);
        struct words w = m == PHASE_BYTES ? words_bytes(value) : words_seconds(value / 1e6);
        str_addf(to, "<td class=\"n\">%s</td>", w.text);
    }
}

/* A row for each metric of each phase that is not all zeros. */
static void add_phases(struct phase_sums *s, struct str *to)
{
    static const char *const columns[] = {"phase",          "tasks", "least",   "quarter", "median",
                                          "three quarters", "most",  "rescued", "failed",  NULL};
    if (s->v.count == 0)
        return;
    html_heading("h2", "Phases", to);
    html_table("phases", columns, to);
    for (uint32_t i = 0; i < s->v.count; i++)
        for (int m = 0; m < PHASE_METRICS; m++) {
            struct phase_sum *p = &s->v.at[i];
            if (p->values[m].count == 0 || (m != PHASE_TIME && p->values[m].most <= 0))
                continue;
            html_text("<tr><td>", p->name, ": ", to);
            str_addf(to, "%s</td>", phase_sums_texts[m].words);
            html_number(p->tasks, to);
            add_quantiles(&p->values[m], (enum phase_metric)m, to);
            html_number(p->rescued, to);
            str_addf(to, "<td class=\"n%s\">%" PRIu64 "</td></tr>\n", p->failed ? " worse" : "",
                     p->failed);
        }
    html_table_end(to);
    if (s->left_out > 0)
        str_addf(to, "<p class=\"more\">%s of other phases as well.</p>\n",
                 words_count(s->left_out, "task").text);
}

/* A folded table of these rows, which are freed; nothing without any. */
static void add_table(const char *id, const char *title, const char *table,
                      const char *const *columns, struct str *rows, struct str *to)
{
    if (rows->length > 0) {
        html_fold(id, title, to);
        html_table(table, columns, to);
        str_add_bytes(to, rows->text, rows->length);
        html_table_end(to);
        html_fold_end(to);
    }
    str_free(rows);
}

static void add_causes(const struct story_run *r, struct str *to)
{
    static const char *const columns[] = {"the last task of a phase", "phases", "in all", NULL};
    struct str rows = {0};

    for (int i = 0; i < STORY_CAUSES; i++) {
        if (r->held[i].phases == 0 || i == STORY_LATE) /* more tasks than slots are no trouble */
            continue;
        str_addf(&rows, "<tr data-us=\"%" PRId64 "\">", r->held[i].us);
        html_cells(&rows, explain_causes[i].words, r->held[i].phases, words_span(r->held[i].us));
        str_add(&rows, "</tr>\n");
    }
    add_table("held", "What held up the last task of a phase", "causes", columns, &rows, to);
}

/* The longest first. */
static int by_length(const void *a, const void *b)
{
    const struct gather_job *x = *(struct gather_job *const *)a,
                            *y = *(struct gather_job *const *)b;
    int64_t p = gather_took_us(x), q = gather_took_us(y);
    return p != q ? (p < q) - (p > q) : (x->id.v > y->id.v) - (x->id.v < y->id.v);
}

static struct words end_of(const struct gather_job *j)
{
    struct words w;

    if (!j->open && !j->failed && j->given_up > 0)
        snprintf(w.text, sizeof w.text, "%" PRIu64 " of %" PRIu64 " failed", j->given_up, j->tasks);
    else
        snprintf(w.text, sizeof w.text, "%s", j->open ? "not over" : j->failed ? "failed" : "done");
    return w;
}

static void add_jobs(const struct gather *g, struct str *to)
{
    static const char *const columns[] = {"job",  "name",         "tasks", "extra attempts",
                                          "took", "waited first", "end",   NULL};
    VEC(const struct gather_job *) order = {0};

    for (uint32_t i = 0; i < g->jobs.count; i++)
        if (g->jobs.at[i].measured)
            vec_push(&order, &g->jobs.at[i]);
    vec_sort(&order, by_length);
    html_fold("slowest", "The slowest jobs", to);
    html_table("jobs", columns, to);
    for (uint32_t i = 0; i < order.count && i < ROWS_MAX; i++) {
        const struct gather_job *j = order.at[i];
        str_addf(to, "<tr data-job=\"%u\">", j->id.v);
        html_cells(to, j->id.v, j->name, j->tasks, j->clones, html_time(gather_took_us(j)),
                   html_time(j->began_us < 0 ? -1 : j->began_us - j->arrived_us), end_of(j).text);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
    if (g->measured_count > ROWS_MAX)
        str_addf(to, "<p class=\"more\">%" PRIu64 " jobs in all.</p>\n", g->measured_count);
    html_fold_end(to);
    vec_free(&order);
}

static void add_verdicts(const struct gather *g, struct str *to)
{
    static const char *const columns[] = {"verdict", "how often", "which means", NULL};
    struct str rows = {0};

    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        if (g->verdicts[code] == 0)
            continue;
        html_row(&rows, reason_name(code), g->verdicts[code], explain_cloning_verdict(code));
    }
    add_table("decided", "Decisions, and their reasons", "verdicts", columns, &rows, to);
}

static void add_nodes(const struct explain *x, struct str *to)
{
    static const char *const columns[] = {"node", "went down", "avoided", NULL};
    struct str rows = {0};
    uint32_t shown = 0;

    for (uint32_t i = 0; i < x->run->nodes.count && shown < ROWS_MAX; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        if (n->downs == 0 && n->avoided == 0)
            continue;
        shown++;
        html_row(&rows, explain_node(x, (struct node_id){i}).text, n->downs, n->avoided);
    }
    add_table("trouble", "Nodes with trouble", "nodes", columns, &rows, to);
}

/* ---- the page ---- */

char *page_run_name(const char *path)
{
    struct path folder = explain_folder(path);
    char *inside = strstr(folder.text, "/_temporary/run");
    const char *whole = *folder.text ? folder.text : path;

    if (inside && strcmp(inside, "/_temporary/run") == 0) /* of a job that is not done */
        *inside = '\0';
    const char *slash = strrchr(whole, '/');

    return text_tame(mem_strdup(slash && slash[1] ? slash + 1 : whole));
}

/* Begins the page: title, headline, and what a reader wants to know next. */
static void add_head(const struct read_run *r, const struct web_file *script, struct str *to)
{
    char *name = page_run_name(r->input.x.path);
    struct headline h;
    struct str title = {0};

    headline_init(&h, r);
    str_addf(&title, "%s: %s", name, h.text.text);
    html_begin(title.text, script, to);
    html_headline(h.text.text, h.range.text, h.is_bad, to);
    meta_line(&r->input.x, to);
    add_sentences(r, to);
    str_free(&title);
    headline_fini(&h);
    mem_free(name);
}

void page_write(struct read_run *r, const struct web_file *script, struct str *to)
{
    const struct explain *x = &r->input.x;

    add_head(r, script, to);
    add_failed(r, to);
    str_add(to, "<section id=\"view\" hidden></section>\n"
                "<noscript><p>The timeline needs JavaScript; the tables do not.</p></noscript>\n");
    add_phases(&r->phases, to);
    add_causes(x->run, to);
    add_jobs(&r->gather, to);
    add_nodes(x, to);
    add_verdicts(&r->gather, to);
    add_story(x, to);
    html_tame("<p class=\"meta\" id=\"journal\">Journal: ", x->path, "</p>\n", to);
    html_run(r, 0, to);
    html_end(script, to);
}
