/* figures_page.c - for each paper its figures, which the script draws from the same points that
 * stand below them as a table, and then all its rows. */
#include "commands/report/figures_page.h"

#include <math.h>
#include <string.h>

#include "commands/report/html.h"

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static struct words real_of(const json_t *o, const char *key, int digits)
{
    const json_t *value = json_object_get(o, key);
    return html_real(json_is_number(value) ? json_number_value(value) : (double)NAN, digits);
}

static void add_points(const json_t *points, struct str *to)
{
    static const char *const columns[] = {"series", "at", "published", "ours", "low", "high", NULL};
    size_t i;
    json_t *p;

    str_add(to, "<details><summary>numbers</summary>\n");
    html_table(NULL, columns, to);
    json_array_foreach(points, i, p)
    {
        html_row(to, text_of(p, "series"), text_of(p, "x"), real_of(p, "paper", 4),
                 real_of(p, "ours", 4), real_of(p, "lo", 4), real_of(p, "hi", 4));
    }
    html_table_end(to);
    str_add(to, "</details>\n");
}

static void add_figures(const char *paper, const json_t *figures, struct str *to)
{
    size_t i;
    json_t *f;

    json_array_foreach(figures, i, f)
    {
        html_text("<section class=\"figure\" data-paper=\"", paper, "\"", to);
        html_text(" data-figure=\"", text_of(f, "id"), "\">\n", to);
        html_heading("h3", text_of(f, "title"), to);
        add_points(json_object_get(f, "points"), to);
        str_add(to, "</section>\n");
    }
}

static void add_rows(const json_t *rows, struct str *to)
{
    static const char *const columns[] = {"id",   "what",  "published",  "ours",
                                          "low",  "high",  "difference", "tuned",
                                          "unit", "basis", NULL};
    size_t i;
    json_t *r;

    html_table(NULL, columns, to);
    json_array_foreach(rows, i, r)
    {
        html_row(to, text_of(r, "id"), text_of(r, "what"), text_of(r, "paper_text"),
                 real_of(r, "ours", 3), real_of(r, "lo", 3), real_of(r, "hi", 3),
                 real_of(r, "difference", 3), real_of(r, "tuned", 3), text_of(r, "unit"),
                 text_of(r, "basis"));
    }
    html_table_end(to);
}

int figures_page(json_t *papers, const char *output, struct err *err)
{
    struct str page = {0};
    size_t i;
    json_t *p;

    html_begin("published numbers, and ours", &web_figures, &page);
    html_heading("h1", "published numbers, and ours", &page);
    str_add(&page,
            "<p>Bars and lines are ours, with their 95&nbsp;% intervals; a diamond is what "
            "the paper has.</p>\n"
            "<noscript><p>The pictures need JavaScript; the tables do not.</p></noscript>\n");
    json_array_foreach(papers, i, p)
    {
        struct str title = {0};
        str_addf(&title, "%s: %s", text_of(p, "paper"), text_of(p, "title"));
        html_heading("h2", title.text, &page);
        str_free(&title);
        str_add(&page, "<div class=\"figures\">\n");
        add_figures(text_of(p, "paper"), json_object_get(p, "figures"), &page);
        str_add(&page, "</div>\n");
        add_rows(json_object_get(p, "rows"), &page);
    }
    html_json("papers", json_incref(papers), &page);
    html_end(&web_figures, &page);
    int rc = html_save(output, &page, err);
    str_free(&page);
    return rc;
}
