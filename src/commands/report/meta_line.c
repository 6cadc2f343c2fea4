/* meta_line.c - parts with a dot between them, each there only if the journal records it.
 *
 * Its texts come from the journal: control characters are tamed, and nothing becomes markup. */
#include "commands/report/meta_line.h"

#include <inttypes.h>
#include <string.h>

#include "commands/report/html.h"
#include "core/policy/policy.h"
#include "inputs/cluster/about.h"
#include "ui/cli.h"
#include "ui/words.h"

/* A part with the sign between parts behind it. */
static void add_part(const char *before, const char *text, struct str *to)
{
    if (text && *text)
        html_tame(before, text, " · ", to);
}

static void add_tasks(const struct story_run *r, struct str *to)
{
    if (r->jobs > 1)
        str_addf(to, "%s with ", words_count(r->jobs, "job").text);
    str_addf(to, "%s, %" PRIu64 " done", words_count(r->tasks, "task").text, r->tasks_done);
    if (r->tasks_failed > 0)
        str_addf(to, ", %" PRIu64 " failed", r->tasks_failed);
    if (r->jobs == 1 && r->done == 1 && r->slowest_count == 1)
        str_addf(to, " in <span id=\"took\">%s</span>", words_time(r->slowest[0].took_us).text);
    str_add(to, " · ");
}

/* 2026-11-16T09:00:00Z, in words. */
static void add_began(const char *began, struct str *to)
{
    char text[24];

    if (!began || strlen(began) != 20 || began[10] != 'T')
        return;
    snprintf(text, sizeof text, "%.10s %.8s UTC", began, began + 11);
    add_part("", text, to);
}

void meta_line_policy(const struct explain *x, const char *before, struct str *to)
{
    struct str full = {0};

    policy_shorten(x->policy ? x->policy : "?", &full);
    html_text("<span title=\"", full.text, "\">", to);
    str_cut(&full, strcspn(full.text, ";,"));
    html_text(before, full.text, "</span>", to);
    str_free(&full);
}

/* The command line, without the folder of the program. */
static const char *typed_of(const char *typed)
{
    size_t word = strcspn(typed, " '\"");

    while (word > 0 && typed[word - 1] != '/')
        word--;
    return typed + word;
}

/* Where the jobs and machines come from. */
static void add_world(const struct explain *x, const struct about *about, struct str *to)
{
    if (explain_is_simulated(x))
        str_add(to, "simulated · ");
    add_part("workload ", about->workload, to);
    add_part("cluster ", about->cluster_name, to);
}

void meta_line(const struct explain *x, struct str *to)
{
    struct about_text a = explain_about(x);
    const struct about *about = &a.about; /* all NULL where nothing is said */

    str_add(to, "<p class=\"meta\" id=\"origin\">");
    if (about->typed && *about->typed)
        html_tame("<code>", typed_of(about->typed), "</code> · ", to);
    add_world(x, about, to);
    add_tasks(x->run, to);
    add_began(about->began, to);
    add_part("on ", about->host, to);
    add_part("chaos ", about->chaos, to);
    meta_line_policy(x, "policy ", to);
    str_addf(to, " · seed %" PRIu64, x->seed);
    if (about->program && *about->program)
        html_tame(" · ", about->program, "", to);
    str_add(to, "</p>\n");
    about_free(&a);
}

void meta_line_shared(const struct explain *x, const char *lead, struct str *to)
{
    struct about_text a = explain_about(x);

    str_add(to, "<p class=\"meta\" id=\"origin\">");
    add_part("", lead, to);
    add_world(x, &a.about, to);
    add_part("on ", a.about.host, to);
    str_addf(to, "seed %" PRIu64 " · dolly " DOLLY_VERSION "</p>\n", x->seed);
    about_free(&a);
}
