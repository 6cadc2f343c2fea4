/* repro_print.c - rows of a reproduction as a table, as JSON and as CSV.
 *
 * The table is for eyes: three digits, because the intervals are worth no more. JSON and CSV hold
 * every digit. What is not measured is shown as "-", null or nothing, never as 0. */
#include "reproduce/repro_print.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "reproduce/repro_jq.h"
#include "ui/grid.h"
#include "ui/json_out.h"

/* ---- for people ---- */

/* Three digits are what the intervals are worth; no exponents. */
static void number_cell(struct grid *g, double value, const char *sign)
{
    if (isnan(value))
        grid_cell(g, "-");
    else if (fabs(value) >= 100 || value == 0)
        grid_cell(g, *sign ? "%+.0f" : "%.0f", value);
    else if (fabs(value) >= 10)
        grid_cell(g, *sign ? "%+.1f" : "%.1f", value);
    else
        grid_cell(g, *sign ? "%+.2f" : "%.2f", value);
}

static void interval_cell(struct grid *g, const struct repro_estimate *e)
{
    if (isnan(e->lo) || e->lo == e->hi)
        grid_cell(g, "-");
    else if (fabs(e->lo) >= 10 || fabs(e->hi) >= 10)
        grid_cell(g, "[%.1f, %.1f]", e->lo, e->hi);
    else
        grid_cell(g, "[%.2f, %.2f]", e->lo, e->hi);
}

static void head_row(struct grid *g, const char *const *names)
{
    for (; *names; names++)
        grid_cell(g, "%s", *names);
    grid_row(g);
}

/* What shows why rows differ. */
static void print_asides(const struct repro_numbers *n)
{
    static const char *const names[] = {"aside", "ours", "95 % interval", "unit", "explains",
                                        "what",  NULL};
    struct grid g = {0};
    bool any = false;

    head_row(&g, names);
    for (uint32_t i = 0; i < n->f->rows.count; i++) {
        const struct repro_row *r = &n->f->rows.at[i];
        if (!r->explains || !r->ours)
            continue;
        any = true;
        grid_cell(&g, "%s", r->id);
        number_cell(&g, n->ours[i].mean, "");
        interval_cell(&g, &n->ours[i]);
        grid_cell(&g, "%s", r->unit);
        grid_cell(&g, "%s", r->explains);
        grid_cell(&g, "%s", r->what);
        grid_row(&g);
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
    head_row(&g, names);
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
        number_cell(&g, n->ours[i].mean, "");
        interval_cell(&g, &n->ours[i]);
        number_cell(&g, repro_paper_difference(&r->paper, n->ours[i].mean), "+");
        number_cell(&g, n->tuned[i].mean, "");
        grid_cell(&g, "%s", r->unit);
        grid_cell(&g, "%s", r->basis);
        grid_cell(&g, "%s", r->what);
        grid_row(&g);
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

static void set_text(json_t *object, const char *key, const char *text)
{
    json_out_set(object, key, text ? json_string(text) : json_null());
}

static void set_number(json_t *object, const char *key, double number)
{
    json_out_set(object, key, json_out_number(number, false));
}

static void set_ours(json_t *object, const struct repro_estimate *e)
{
    set_number(object, "ours", e->mean);
    set_number(object, "lo", e->lo);
    set_number(object, "hi", e->hi);
}

static json_t *row_json(const struct repro_numbers *n, uint32_t i)
{
    const struct repro_row *r = &n->f->rows.at[i];
    json_t *row = json_object();

    set_text(row, "id", r->id);
    set_text(row, "experiment", n->f->experiments.at[r->experiment].id);
    set_text(row, "what", r->what);
    set_text(row, "unit", r->unit);
    if (r->explains) {
        set_text(row, "explains", r->explains);
        set_ours(row, &n->ours[i]);
        return row;
    }
    set_number(row, "paper", repro_paper_number(&r->paper));
    set_text(row, "paper_text", r->paper.text);
    set_ours(row, &n->ours[i]);
    set_number(row, "difference", repro_paper_difference(&r->paper, n->ours[i].mean));
    set_number(row, "tuned", n->tuned[i].mean);
    set_number(row, "tuned_lo", n->tuned[i].lo);
    set_number(row, "tuned_hi", n->tuned[i].hi);
    set_text(row, "basis", r->basis);
    set_text(row, "source", r->source);
    set_text(row, "note", r->note);
    return row;
}

json_t *repro_print_json(const struct repro_numbers *n)
{
    json_t *object = json_object(), *rows = json_array(), *asides = json_array();

    for (uint32_t i = 0; i < n->f->rows.count; i++)
        json_array_append_new(n->f->rows.at[i].explains ? asides : rows, row_json(n, i));
    set_text(object, "paper", n->f->paper);
    set_text(object, "title", n->f->title);
    json_out_set(object, "seeds", json_integer(n->f->seeds));
    json_out_set(object, "experiments", rows);
    json_out_set(object, "asides", asides);
    return object;
}

/* ---- files: jq makes their content (experiments/files.jq) ---- */

static json_t *figure_json(const struct repro_numbers *n, uint32_t figure)
{
    const struct repro_figure *g = &n->f->figures.at[figure];
    json_t *object = json_object(), *points = json_array();

    set_text(object, "id", g->id);
    set_text(object, "kind", g->kind);
    set_text(object, "title", g->title);
    set_text(object, "x_label", g->x_label);
    set_text(object, "y_label", g->y_label);
    json_out_set(object, "points", points);
    for (uint32_t i = 0; i < n->f->points.count; i++) {
        const struct repro_point *p = &n->f->points.at[i];
        if (p->figure != figure)
            continue;
        json_t *point = json_object();
        set_text(point, "series", p->series);
        set_text(point, "x", p->x);
        set_number(point, "paper",
                   repro_paper_number(p->row ? &repro_file_row(n->f, p->row)->paper : &p->paper));
        set_ours(point, &n->point[i]);
        json_array_append_new(points, point);
    }
    return object;
}

static int write_text(const char *path, const char *text, struct err *err)
{
    FILE *out = fopen(path, "w");
    bool lost = !out || fputs(text, out) == EOF;

    if (out && fclose(out) != 0)
        lost = true;
    return lost ? err_system(err, "cannot write %s: %s", path, strerror(errno)) : 0;
}

static int draw(const char *path, const char *program, struct err *err)
{
    FILE *out = popen("gnuplot", "w");

    if (!out)
        return err_system(err, "cannot start gnuplot: %s", strerror(errno));
    fputs(program, out);
    if (pclose(out) != 0)
        return err_system(err, "gnuplot could not draw %s; is it installed (Debian: gnuplot-nox)?",
                          path);
    return 0;
}

/* Makes the folder, and what the jq program says: {name: content} of files in it. */
static int make_files(const struct repro_numbers *n, const char *folder, const char *program,
                      int (*make)(const char *path, const char *content, struct err *err),
                      struct err *err)
{
    json_t *input = json_object(), *rows = json_array(), *figures = json_array(), *content;
    struct str library = {0}, scripts = {0}, path = {0};
    const char *name;
    int result = 0;

    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        result = err_system(err, "cannot make the folder %s: %s", folder, strerror(errno));
    set_text(input, "paper", n->f->paper);
    json_out_set(input, "rows", rows);
    json_out_set(input, "figures", figures);
    for (uint32_t i = 0; i < n->f->rows.count; i++)
        json_array_append_new(rows, row_json(n, i));
    for (uint32_t i = 0; i < n->f->figures.count; i++)
        json_array_append_new(figures, figure_json(n, i));
    str_addf(&library, "%s/..", n->f->folder);
    str_addf(&scripts, "%s/plots", library.text);
    char *args[] = {"--arg", "folder", (char *)folder, "--arg", "scripts", scripts.text};
    json_t *files =
        result == 0 ? repro_jq_run(library.text, program, args, 6, input, err) : json_object();
    if (!files)
        result = -1;
    json_object_foreach(files, name, content)
    {
        str_cut(&path, 0);
        str_addf(&path, "%s/%s", folder, name);
        if (result == 0)
            result = make(path.text, json_string_value(content), err);
    }
    json_decref(files);
    json_decref(input);
    str_free(&library);
    str_free(&scripts);
    str_free(&path);
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
