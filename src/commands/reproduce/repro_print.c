/* repro_print.c - rows of a reproduction as a table, as JSON and as CSV.
 *
 * The table is for eyes: three digits, because the intervals are worth no more. JSON and CSV hold
 * every digit. What is not measured is shown as "-", null or nothing, never as 0. */
#include "commands/reproduce/repro_print.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "commands/reproduce/repro_jq.h"
#include "ui/grid.h"
#include "ui/json_out.h"

/* ---- for people ---- */

/* Three digits are what the intervals are worth; no exponents. */
static void number_cell(struct grid *g, double value, bool sign)
{
    int digits = fabs(value) >= 100 || value == 0 ? 0 : fabs(value) >= 10 ? 1 : 2;

    grid_number(g, value, sign ? "%+.*f" : "%.*f", digits, value);
}

static void ours_cells(struct grid *g, const struct repro_estimate *e)
{
    int digits = fabs(e->lo) >= 10 || fabs(e->hi) >= 10 ? 1 : 2;

    number_cell(g, e->mean, false);
    double range = e->lo == e->hi ? (double)NAN : e->hi - e->lo;
    grid_number(g, range, "[%.*f, %.*f]", digits, e->lo, digits, e->hi);
}

/* What shows why rows differ. */
static void print_asides(const struct repro_numbers *n)
{
    static const char *const names[] = {"aside", "ours", "95 % interval", "unit", "explains",
                                        "what",  NULL};
    struct grid g = {0};
    bool any = false;

    grid_texts(&g, names);
    for (uint32_t i = 0; i < n->f->rows.count; i++) {
        const struct repro_row *r = &n->f->rows.at[i];
        if (!r->explains || !r->ours)
            continue;
        any = true;
        grid_cell(&g, "%s", r->id);
        ours_cells(&g, &n->ours[i]);
        grid_texts(&g, (const char *const[]){r->unit, r->explains, r->what, NULL});
    }
    if (any) {
        grid_print(&g);
        puts("");
    }
    grid_fini(&g);
}

void repro_print_table(const struct repro_numbers *n)
{
    static const char *const names[] = {"id",    "paper", "ours",  "95 % interval", "difference",
                                        "tuned", "unit",  "basis", "what",          NULL};
    struct grid g = {0};
    uint32_t above = UINT32_MAX;

    printf("%s: %s; %u seeds\n\n", n->f->paper, n->f->title, n->f->seeds);
    grid_texts(&g, names);
    for (uint32_t i = 0; i < n->f->rows.count; i++) {
        const struct repro_row *r = &n->f->rows.at[i];
        if (r->explains)
            continue;
        if (r->experiment != above) {
            grid_row(&g);
            grid_cell(&g, "%s", n->f->experiments.at[r->experiment].title);
            grid_row(&g);
        }
        above = r->experiment;
        grid_cell(&g, "%s", r->id);
        grid_cell(&g, "%s", r->paper.text);
        ours_cells(&g, &n->ours[i]);
        number_cell(&g, repro_paper_difference(&r->paper, n->ours[i].mean), true);
        number_cell(&g, n->tuned[i].mean, false);
        grid_texts(&g, (const char *const[]){r->unit, r->basis, r->what, NULL});
    }
    grid_print(&g);
    grid_fini(&g);
    puts("");
    print_asides(n);
}

void repro_print_list(const struct repro_file *f)
{
    for (uint32_t i = 0; i < f->rows.count; i++)
        printf("%s/%s\n", f->paper, f->rows.at[i].id);
}

/* ---- for programs ---- */

static json_t *number(double value)
{
    return json_out_number(value, false);
}

static json_t *row_json(const struct repro_numbers *n, uint32_t i)
{
    const struct repro_row *r = &n->f->rows.at[i];
    const struct repro_estimate *o = &n->ours[i], *t = &n->tuned[i];
    const char *experiment = n->f->experiments.at[r->experiment].id;

    if (r->explains)
        return json_pack("{ss ss ss ss ss so so so}", "id", r->id, "experiment", experiment, "what",
                         r->what, "unit", r->unit, "explains", r->explains, "ours", number(o->mean),
                         "lo", number(o->lo), "hi", number(o->hi));
    return json_pack("{ss ss ss ss so ss so so so so so so so ss ss ss?}", "id", r->id,
                     "experiment", experiment, "what", r->what, "unit", r->unit, "paper",
                     number(repro_paper_number(&r->paper)), "paper_text", r->paper.text, "ours",
                     number(o->mean), "lo", number(o->lo), "hi", number(o->hi), "difference",
                     number(repro_paper_difference(&r->paper, o->mean)), "tuned", number(t->mean),
                     "tuned_lo", number(t->lo), "tuned_hi", number(t->hi), "basis", r->basis,
                     "source", r->citation, "note", r->note);
}

json_t *repro_print_json(const struct repro_numbers *n)
{
    json_t *rows = json_array(), *asides = json_array();

    for (uint32_t i = 0; i < n->f->rows.count; i++)
        json_array_append_new(n->f->rows.at[i].explains ? asides : rows, row_json(n, i));
    return json_pack("{ss ss si so so}", "paper", n->f->paper, "title", n->f->title, "seeds",
                     (int)n->f->seeds, "experiments", rows, "asides", asides);
}

/* ---- files: jq makes their content (experiments/files.jq) ---- */

static json_t *figure_json(const struct repro_numbers *n, uint32_t figure)
{
    const struct repro_figure *g = &n->f->figures.at[figure];
    json_t *points = json_array();

    for (uint32_t i = 0; i < n->f->points.count; i++) {
        const struct repro_point *p = &n->f->points.at[i];
        const struct repro_estimate *o = &n->point[i];
        const struct repro_paper *paper = p->row ? &repro_file_row(n->f, p->row)->paper : &p->paper;
        if (p->figure == figure)
            json_array_append_new(
                points, json_pack("{ss ss so so so so}", "series", p->series, "x", p->x, "paper",
                                  number(repro_paper_number(paper)), "ours", number(o->mean), "lo",
                                  number(o->lo), "hi", number(o->hi)));
    }
    return json_pack("{ss ss ss ss ss so}", "id", g->id, "kind", g->kind, "title", g->title,
                     "x_label", g->x_label, "y_label", g->y_label, "points", points);
}

json_t *repro_print_figures(const struct repro_numbers *n)
{
    json_t *rows = json_array(), *figures = json_array();

    for (uint32_t i = 0; i < n->f->rows.count; i++)
        json_array_append_new(rows, row_json(n, i));
    for (uint32_t i = 0; i < n->f->figures.count; i++)
        json_array_append_new(figures, figure_json(n, i));
    return json_pack("{ss ss si so so}", "paper", n->f->paper, "title", n->f->title, "seeds",
                     (int)n->f->seeds, "rows", rows, "figures", figures);
}

static int write_text(const char *path, const char *text, struct err *err)
{
    if (fresh_file_write(path, 0666, text, strlen(text)) == 0)
        return 0;
    return err_system(err, "cannot write %s: %s", path, strerror(errno));
}

static int draw(const char *path, const char *program, struct err *err)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* it may end before it has read everything */
    FILE *out = popen("gnuplot", "w");

    if (out)
        fputs(program, out);
    bool drawn = out && pclose(out) == 0;
    signal(SIGPIPE, before);
    return drawn ? 0
                 : err_system(err,
                              "gnuplot could not draw %s; is it installed (Debian: gnuplot-nox)?",
                              path);
}

/* Makes the folder, and what the jq program says: {name: content} of files in it. */
static int make_files(const struct repro_numbers *n, const char *folder, const char *program,
                      int (*make)(const char *path, const char *content, struct err *err),
                      struct err *err)
{
    struct path scripts = path_of("%s/plots", n->f->library);
    const char *name;
    json_t *content;

    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return err_system(err, "cannot make the folder %s: %s", folder, strerror(errno));
    json_t *input = repro_print_figures(n);
    char *args[] = {"--arg", "folder", (char *)folder, "--arg", "scripts", scripts.text};
    json_t *files = repro_jq_run(n->f->library, program, args, 6, input, err);
    int result = files ? 0 : -1;
    json_object_foreach(files, name, content)
    {
        if (result == 0)
            result = make(path_of("%s/%s", folder, name).text, json_string_value(content), err);
    }
    json_decref(files);
    json_decref(input);
    return result;
}

int repro_print_csv(const struct repro_numbers *n, const char *folder, struct err *err)
{
    return make_files(n, folder, "include \"files\"; $input[0] | csv", write_text, err);
}

int repro_print_plots(const struct repro_numbers *n, const char *folder, struct err *err)
{
    return make_files(n, folder, "include \"files\"; $input[0] | plots($folder; $scripts)", draw,
                      err);
}
