/* page.c - puts a page together: what is the same for all pages (web/), the story of the run in
 * words and tables that need no script, and the data that the script draws from.
 *
 * Texts of a journal are its writer's, not ours: whatever they are, they are text on the page. No
 * script runs but the one whose hash the page names, and nothing is fetched from anywhere. */
#include "report/page.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "explain/explain_open.h"
#include "report/pack.h"
#include "report/page_data.h"
#include "report/web.h"
#include "ui/cli.h"
#include "ui/json_out.h"
#include "ui/words.h"

/* ---- the head ---- */

static void add_head(const struct explain *x, struct str *to)
{
    str_add(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "base-uri 'none'; form-action 'none'; img-src data:; style-src 'sha256-");
    pack_hash(web_report_css, (size_t)(web_report_css_end - web_report_css), to);
    str_add(to, "'; script-src 'sha256-");
    pack_hash(web_report_js, (size_t)(web_report_js_end - web_report_js), to);
    str_add(to, "'\">\n<title>dolly: ");
    pack_escaped(x->path, to);
    str_add(to, "</title>\n<style>");
    str_add(to, web_report_css);
    str_add(to, "</style>\n</head>\n");
}

/* ---- words ---- */

static void add_sentences(const struct explain *x, struct str *to)
{
    struct str story = {0};

    explain_run(x, &story);
    explain_open_caveat(x, &story);
    str_add(to, "<div class=\"story\">\n");
    for (char *line = story.text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!*line)
            continue;
        str_add(to, line[0] == ' ' ? "<p class=\"more\">" : "<p>");
        pack_escaped(line, to);
        str_add(to, "</p>\n");
    }
    str_add(to, "</div>\n");
    str_free(&story);
}

static void add_card(struct str *to, const char *value, const char *what)
{
    str_add(to, "<div class=\"card\"><b>");
    pack_escaped(value, to);
    str_add(to, "</b><span>");
    pack_escaped(what, to);
    str_add(to, "</span></div>\n");
}

static void add_count_card(struct str *to, uint64_t count, const char *what)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, count);
    add_card(to, text, what);
}

static void add_cards(const struct story_run *r, struct str *to)
{
    double vain_s = 0;
    struct words_saved saved = words_saved(&r->would, r->unsure > 0);

    for (int k = 0; k < LAUNCH_KIND_END; k++)
        vain_s += r->vain_slot_s[k];
    str_add(to, "<div class=\"cards\">\n");
    add_card(to, words_time(r->last_us - r->first_us).text, "from the first job to the end");
    add_card(to, words_time(r->would.straggling_us).text, "straggling cost");
    add_card(to, saved.is_known ? saved.text : "nothing", "extra attempts saved");
    add_count_card(to, r->launched[LAUNCH_CLONE] + r->launched[LAUNCH_BACKUP],
                   "clones and backups launched");
    add_count_card(to, r->won[LAUNCH_CLONE] + r->won[LAUNCH_BACKUP], "of them won");
    add_count_card(to, r->killed, "attempts killed");
    add_card(to, words_number(vain_s, 3).text, "slot-seconds of attempts that did not win");
    str_add(to, "</div>\n");
}

/* ---- tables ---- */

static void add_cell(struct str *to, const char *text)
{
    str_add(to, "<td>");
    pack_escaped(text, to);
    str_add(to, "</td>");
}

static void add_number(struct str *to, uint64_t number)
{
    str_addf(to, "<td class=\"n\">%" PRIu64 "</td>", number);
}

static void add_time(struct str *to, int64_t us)
{
    str_add(to, "<td class=\"n\">");
    pack_escaped(us < 0 ? "-" : words_time(us).text, to);
    str_add(to, "</td>");
}

/* The longest first. */
static int by_length(const void *a, const void *b)
{
    const struct gather_job *x = *(struct gather_job *const *)a,
                            *y = *(struct gather_job *const *)b;
    int64_t p = x->ended_us - x->arrived_us, q = y->ended_us - y->arrived_us;
    return p != q ? (p < q) - (p > q) : (x->id.v > y->id.v) - (x->id.v < y->id.v);
}

static void add_jobs(const struct gather *g, struct str *to)
{
    enum { SHOWN_MAX = 100 };
    const struct gather_job **order = mem_resize(NULL, g->jobs.count, sizeof *order);

    for (uint32_t i = 0; i < g->jobs.count; i++)
        order[i] = &g->jobs.at[i];
    if (g->jobs.count > 0)
        qsort(order, g->jobs.count, sizeof *order, by_length);
    str_add(to, "<h2>The slowest jobs</h2>\n<div class=\"scroll\"><table id=\"jobs\">\n<thead><tr>"
                "<th>job</th><th>name</th><th>tasks</th><th>extra attempts</th><th>took</th>"
                "<th>waited first</th><th>end</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < g->jobs.count && i < SHOWN_MAX; i++) {
        const struct gather_job *j = order[i];
        str_addf(to, "<tr data-job=\"%u\">", j->id.v);
        add_number(to, j->id.v);
        add_cell(to, j->name);
        add_number(to, j->tasks);
        add_number(to, j->clones);
        add_time(to, j->ended_us - j->arrived_us);
        add_time(to, j->began_us < 0 ? -1 : j->began_us - j->arrived_us);
        add_cell(to, j->open ? "not over" : j->failed ? "failed" : "done");
        str_add(to, "</tr>\n");
    }
    str_add(to, "</tbody></table></div>\n");
    if (g->job_count > SHOWN_MAX)
        str_addf(to, "<p class=\"more\">%" PRIu64 " jobs in all.</p>\n", g->job_count);
    mem_free(order);
}

static void add_verdicts(const struct gather *g, struct str *to)
{
    bool any = false;

    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        if (g->verdicts[code] == 0)
            continue;
        if (!any)
            str_add(to, "<h2>What was decided against, and why</h2>\n<div class=\"scroll\"><table>"
                        "<thead><tr><th>reason</th><th>verdicts</th></tr></thead>\n<tbody>\n");
        any = true;
        str_add(to, "<tr>");
        add_cell(to, reason_name(code));
        add_number(to, g->verdicts[code]);
        str_add(to, "</tr>\n");
    }
    if (any)
        str_add(to, "</tbody></table></div>\n");
}

static void add_nodes(const struct explain *x, struct str *to)
{
    enum { SHOWN_MAX = 100 };
    uint32_t shown = 0;

    for (uint32_t i = 0; i < x->run->nodes.count && shown < SHOWN_MAX; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        if (n->downs == 0 && n->avoided == 0)
            continue;
        if (shown++ == 0)
            str_add(to, "<h2>Nodes with trouble</h2>\n<div class=\"scroll\"><table><thead><tr>"
                        "<th>node</th><th>went down</th><th>avoided</th></tr></thead>\n<tbody>\n");
        str_add(to, "<tr>");
        add_cell(to, explain_node(x, (struct node_id){i}).text);
        add_number(to, n->downs);
        add_number(to, n->avoided);
        str_add(to, "</tr>\n");
    }
    if (shown)
        str_add(to, "</tbody></table></div>\n");
}

/* ---- the page ---- */

/* JSON in an element of the page: no text in it may end the element. */
static void add_json(json_t *data, struct str *to)
{
    char *text = json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(7));

    for (const char *c = text; *c;) {
        size_t plain = strcspn(c, "<>&");
        str_add_bytes(to, c, plain);
        c += plain;
        if (*c)
            str_addf(to, "\\u%04x", (unsigned)*c++);
    }
    mem_free(text);
    json_decref(data);
}

void page_write(const struct explain *x, struct gather *g, struct str *to)
{
    struct str columns = {0};
    json_t *data = page_data(x, g, &columns);

    add_head(x, to);
    str_add(to, "<body>\n<header><h1>");
    pack_escaped(x->path, to);
    str_add(to, "</h1></header>\n<main>\n");
    add_cards(x->run, to);
    add_sentences(x, to);
    str_add(to, "<section id=\"view\" hidden></section>\n"
                "<noscript><p>The timeline needs JavaScript; the tables do not.</p></noscript>\n");
    add_jobs(g, to);
    add_nodes(x, to);
    add_verdicts(g, to);
    str_add(to, "</main>\n<footer>dolly " DOLLY_VERSION "</footer>\n"
                "<script type=\"application/json\" id=\"data\">");
    add_json(data, to);
    str_add(to, "</script>\n<script type=\"text/plain\" id=\"columns\">");
    str_add_bytes(to, columns.text, columns.length);
    str_add(to, "</script>\n<script>");
    str_add(to, web_report_js);
    str_add(to, "</script>\n</body>\n</html>\n");
    str_free(&columns);
}
