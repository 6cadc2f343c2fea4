/* page.c - the page of a run: its story in words and tables that need no script, and the data that
 * the script draws from. */
#include "commands/report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "commands/report/html.h"
#include "commands/report/pack.h"
#include "ui/words.h"

enum { ROWS_MAX = 50 }; /* of a table */

/* ---- words ---- */

static void add_sentences(const struct explain *x, struct str *to)
{
    struct str headline = {0}, story = {0};

    explain_headline_run(x, &headline);
    explain_run(x, &story);
    explain_open_caveat(x, &story);
    str_add(to, "<div class=\"story\">\n");
    /* The headline stands above. */
    for (char *rest = story.text + headline.length, *line; (line = strsep(&rest, "\n"));) {
        if (!*line)
            continue;
        str_add(to, line[0] == ' ' ? "<p class=\"more\">" : "<p>");
        pack_escaped(line, to);
        str_add(to, "</p>\n");
    }
    str_add(to, "</div>\n");
    str_free(&story);
    str_free(&headline);
}

/* What a reader must know before any number, if anything. */
static void add_headline(const struct explain *x, struct str *to)
{
    struct str headline = {0};

    explain_headline_run(x, &headline);
    if (headline.length > 0) {
        str_cut(&headline, headline.length - 1);
        str_add(to, "<p class=\"headline\">");
        pack_escaped(headline.text, to);
        str_add(to, "</p>\n");
    }
    str_free(&headline);
}

static void add_cards(const struct story_run *r, bool over, struct str *to)
{
    bool one = r->jobs == 1 && r->done == 1 && r->slowest_count == 1;
    struct words_saved saved = words_saved(&r->would, r->unsure > 0);

    str_add(to, "<div class=\"cards\" id=\"sums\">\n");
    if (r->tasks_failed + r->failed > 0)
        html_count_card(r->tasks_failed,
                        r->tasks_failed == 1 ? "task failed for good" : "tasks failed for good",
                        to);
    if (one)
        html_time_card(r->slowest[0].took_us, "the job took", to);
    else
        html_time_card(r->last_us - r->first_us,
                       over ? "from the first job to the end" : "until the journal ends", to);
    html_time_card(r->would.straggling_us, "straggling cost, summed over jobs", to);
    if (saved.is_known)
        html_time_card(r->unsure > 0 ? r->would.low_saved_us : r->would.pace_saved_us,
                       r->unsure > 0 ? "saved by extra attempts, at least"
                                     : "saved by extra attempts, about",
                       to);
    else if (over)
        html_card(r->unsure > 0 ? "not known" : "nothing", "saved by extra attempts", to);
    html_count_card(r->launched[LAUNCH_CLONE] + r->launched[LAUNCH_BACKUP],
                    "clones and backups launched", to);
    html_count_card(r->won[LAUNCH_CLONE] + r->won[LAUNCH_BACKUP], "of them won", to);
    html_count_card(r->killed, "attempts killed", to);
    str_add(to, "</div>\n");
}

/* The tasks that a reader wants to see first, each with its story. */
static void add_failed(const struct telling_kept *t, struct str *to)
{
    enum { SHOWN_MAX = 10 };
    uint32_t shown = 0;

    for (uint32_t i = 0; i < t->kinds[TELLING_FAILED].v.count && shown < SHOWN_MAX; i++) {
        const struct telling_task *one = &t->kinds[TELLING_FAILED].v.at[i];
        if (!telling_is_final(one))
            continue;
        if (shown++ == 0)
            str_add(to, "<h2>What failed</h2>\n<div id=\"failed\">\n");
        str_add(to, "<p class=\"failure\">");
        pack_escaped(one->text, to);
        str_add(to, "</p>\n");
    }
    if (shown)
        str_add(to, "</div>\n");
}

/* Why phases ended late: a card for each cause that there was. */
static void add_causes(const struct story_run *r, struct str *to)
{
    bool any = false;

    for (int i = 0; i < STORY_CAUSES; i++) {
        char what[96];
        if (r->held[i].phases == 0 || i == STORY_LATE) /* more tasks than slots are no trouble */
            continue;
        if (!any)
            str_add(to, "<h2>What held up the last task of a phase</h2>\n"
                        "<div class=\"cards\" id=\"causes\">\n");
        any = true;
        snprintf(what, sizeof what, "it %s, in %s", explain_cause_words((enum story_cause)i),
                 words_count(r->held[i].phases, "phase").text);
        html_time_card(r->held[i].us, what, to);
    }
    if (any)
        str_add(to, "</div>\n");
}

/* ---- tables ---- */

/* The longest first. */
static int by_length(const void *a, const void *b)
{
    const struct gather_job *x = *(struct gather_job *const *)a,
                            *y = *(struct gather_job *const *)b;
    int64_t p = x->ended_us - x->arrived_us, q = y->ended_us - y->arrived_us;
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
    const struct gather_job **order = mem_resize(NULL, g->jobs.count, sizeof *order);

    uint32_t count = 0;

    for (uint32_t i = 0; i < g->jobs.count; i++)
        if (g->jobs.at[i].measured)
            order[count++] = &g->jobs.at[i];
    if (count > 0)
        qsort(order, count, sizeof *order, by_length);
    str_add(to, "<h2>The slowest jobs</h2>\n");
    html_table("jobs", columns, to);
    for (uint32_t i = 0; i < count && i < ROWS_MAX; i++) {
        const struct gather_job *j = order[i];
        str_addf(to, "<tr data-job=\"%u\">", j->id.v);
        html_number(j->id.v, to);
        html_cell(j->name, to);
        html_number(j->tasks, to);
        html_number(j->clones, to);
        html_time(j->ended_us - j->arrived_us, to);
        html_time(j->began_us < 0 ? -1 : j->began_us - j->arrived_us, to);
        html_cell(end_of(j).text, to);
        str_add(to, "</tr>\n");
    }
    html_table_end(to);
    if (g->measured_count > ROWS_MAX)
        str_addf(to, "<p class=\"more\">%" PRIu64 " jobs in all.</p>\n", g->measured_count);
    mem_free(order);
}

static const char *verdict_words(uint16_t code)
{
    static const char *const words[WHY_CODE_END] = {
        [WHY_TOO_MANY_FAILURES] = "a task was given up: it had failed as often as it may",
        [WHY_TOO_MANY_LAUNCHES] = "a task was given up: it had been launched as often as it may",
        [WHY_OMEGA] = "how long readers wait for an output of their own was chosen anew",
        [WHY_SPECULATION_CAP] = "a task was slow, but the maximum number of backups was running",
        [WHY_OFFERED] = "clones were offered, for when nothing else can start",
        [WHY_NO_IDLE_CORE] = "the machine had no idle core for clones",
        [WHY_PRESSURE] = "the disk or the memory of a node was busy, so clones kept away from it",
        [WHY_PROTECTED] = "outputs of a phase were copied to other nodes as far as that paid",
    };

    if (story_job_is_cloned(code))
        return "clones were asked for";
    return words[code] ? words[code] : explain_cloning_refusal(code);
}

static void add_verdicts(const struct gather *g, struct str *to)
{
    static const char *const columns[] = {"verdict", "how often", "which means", NULL};
    bool any = false;

    for (uint16_t code = 0; code < WHY_CODE_END; code++) {
        if (g->verdicts[code] == 0)
            continue;
        if (!any) {
            str_add(to, "<h2>What was decided, and why</h2>\n");
            html_table("verdicts", columns, to);
        }
        any = true;
        str_add(to, "<tr>");
        html_cell(reason_name(code), to);
        html_number(g->verdicts[code], to);
        html_cell(verdict_words(code), to);
        str_add(to, "</tr>\n");
    }
    if (any)
        html_table_end(to);
}

static void add_nodes(const struct explain *x, struct str *to)
{
    static const char *const columns[] = {"node", "went down", "avoided", NULL};
    uint32_t shown = 0;

    for (uint32_t i = 0; i < x->run->nodes.count && shown < ROWS_MAX; i++) {
        const struct story_node *n = &x->run->nodes.at[i];
        if (n->downs == 0 && n->avoided == 0)
            continue;
        if (shown++ == 0) {
            str_add(to, "<h2>Nodes with trouble</h2>\n");
            html_table("nodes", columns, to);
        }
        str_add(to, "<tr>");
        html_cell(explain_node(x, (struct node_id){i}).text, to);
        html_number(n->downs, to);
        html_number(n->avoided, to);
        str_add(to, "</tr>\n");
    }
    if (shown)
        html_table_end(to);
}

/* ---- the page ---- */

/* What its user calls it: the folder of a run, or the file. */
static char *name_of_run(const char *path)
{
    char *copy = mem_strdup(path), *slash = strrchr(copy, '/');

    if (slash && slash != copy && strcmp(slash + 1, "journal") == 0)
        *slash = '\0';
    slash = strrchr(copy, '/');
    char *name = mem_strdup(slash && slash[1] ? slash + 1 : copy);
    mem_free(copy);
    return name;
}

static void add_origin(const struct explain *x, struct str *to)
{
    struct str text = {0};

    explain_origin(x, &text);
    str_add(to, "<p class=\"more\" id=\"origin\">");
    pack_escaped(text.text, to);
    str_add(to, "</p>\n");
    str_free(&text);
}

void page_write(struct read_run *r, struct str *to)
{
    const struct explain *x = &r->source.x;

    char *name = name_of_run(x->path);
    html_begin(name, &web_report, to);
    mem_free(name);
    add_origin(x, to);
    add_headline(x, to);
    add_cards(x->run, x->complete, to);
    add_sentences(x, to);
    add_failed(&r->telling, to);
    str_add(to, "<section id=\"view\" hidden></section>\n"
                "<noscript><p>The timeline needs JavaScript; the tables do not.</p></noscript>\n");
    add_causes(x->run, to);
    add_jobs(&r->gather, to);
    add_nodes(x, to);
    add_verdicts(&r->gather, to);
    html_run(r, 0, to);
    html_end(&web_report, to);
}
