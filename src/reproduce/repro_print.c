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

static void head(struct grid *g)
{
    static const char *const names[] = {"id",    "paper", "ours",  "95 % interval", "difference",
                                        "tuned", "unit",  "basis", "what"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        grid_cell(g, "%s", names[i]);
    grid_row(g);
}

/* What shows why rows differ. */
static void print_asides(const struct repro_numbers *n)
{
    static const char *const names[] = {"aside", "ours",     "95 % interval",
                                        "unit",  "explains", "what"};
    struct grid g = {0};
    bool any = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        grid_cell(&g, "%s", names[i]);
    grid_row(&g);
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
    if (any)
        grid_print(&g);
    grid_fini(&g);
    if (any)
        puts("");
}

void repro_print_table(const struct repro_numbers *n)
{
    struct grid g = {0};

    uint32_t above = UINT32_MAX;

    printf("%s: %s; %u seeds\n\n", n->f->paper, n->f->title, n->f->seeds);
    head(&g);
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

static json_t *row_json(const struct repro_numbers *n, uint32_t i)
{
    const struct repro_row *r = &n->f->rows.at[i];
    const struct repro_estimate *o = &n->ours[i], *t = &n->tuned[i];
    json_t *row = json_object();

    json_out_set(row, "id", json_string(r->id));
    json_out_set(row, "experiment", json_string(n->f->experiments.at[r->experiment].id));
    json_out_set(row, "what", json_string(r->what));
    json_out_set(row, "unit", json_string(r->unit));
    if (r->explains)
        json_out_set(row, "explains", json_string(r->explains));
    if (!r->explains) {
        json_out_set(row, "paper", json_out_number(repro_paper_number(&r->paper), false));
        json_out_set(row, "paper_text", json_string(r->paper.text));
    }
    json_out_set(row, "ours", json_out_number(o->mean, false));
    json_out_set(row, "lo", json_out_number(o->lo, false));
    json_out_set(row, "hi", json_out_number(o->hi, false));
    if (r->explains)
        return row;
    json_out_set(row, "difference",
                 json_out_number(repro_paper_difference(&r->paper, o->mean), false));
    json_out_set(row, "tuned", json_out_number(t->mean, false));
    json_out_set(row, "tuned_lo", json_out_number(t->lo, false));
    json_out_set(row, "tuned_hi", json_out_number(t->hi, false));
    json_out_set(row, "basis", json_string(r->basis));
    json_out_set(row, "source", json_string(r->source));
    json_out_set(row, "note", r->note ? json_string(r->note) : json_null());
    return row;
}

json_t *repro_print_json(const struct repro_numbers *n)
{
    json_t *object = json_object(), *rows = json_array(), *asides = json_array();

    for (uint32_t i = 0; i < n->f->rows.count; i++)
        json_array_append_new(n->f->rows.at[i].explains ? asides : rows, row_json(n, i));
    json_out_set(object, "paper", json_string(n->f->paper));
    json_out_set(object, "title", json_string(n->f->title));
    json_out_set(object, "seeds", json_integer(n->f->seeds));
    json_out_set(object, "experiments", rows);
    json_out_set(object, "asides", asides);
    return object;
}

static void csv_text(FILE *out, const char *text, const char *end)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fprintf(out, "\"%s", end);
}

static void csv_number(FILE *out, double value, const char *end)
{
    if (isnan(value))
        fputs(end, out);
    else
        fprintf(out, "%.15g%s", value, end);
}

static void csv_estimate(FILE *out, const struct repro_estimate *e, const char *end)
{
    csv_number(out, e->mean, ",");
    csv_number(out, e->lo, ",");
    csv_number(out, e->hi, end);
}

static void csv_rows(FILE *out, const struct repro_numbers *n)
{
    fputs("experiment,id,what,unit,paper,paper_text,ours,lo,hi,difference,tuned,tuned_lo,tuned_hi,"
          "basis,source\n",
          out);
    for (uint32_t i = 0; i < n->f->rows.count; i++) {
        const struct repro_row *r = &n->f->rows.at[i];
        csv_text(out, n->f->experiments.at[r->experiment].id, ",");
        csv_text(out, r->id, ",");
        csv_text(out, r->what, ",");
        csv_text(out, r->unit, ",");
        csv_number(out, repro_paper_number(&r->paper), ",");
        csv_text(out, r->paper.text ? r->paper.text : "", ",");
        csv_estimate(out, &n->ours[i], ",");
        csv_number(out, repro_paper_difference(&r->paper, n->ours[i].mean), ",");
        csv_estimate(out, &n->tuned[i], ",");
        csv_text(out, r->basis, ",");
        csv_text(out, r->explains ? r->explains : r->source, "\n");
    }
}

static void csv_points(FILE *out, const struct repro_numbers *n, uint32_t figure)
{
    fputs("series,x,paper,ours,lo,hi\n", out);
    for (uint32_t i = 0; i < n->f->points.count; i++) {
        const struct repro_point *p = &n->f->points.at[i];
        if (p->figure != figure)
            continue;
        const struct repro_paper *paper = p->row ? &repro_file_row(n->f, p->row)->paper : &p->paper;
        csv_text(out, p->series, ",");
        csv_text(out, p->x, ",");
        csv_number(out, repro_paper_number(paper), ",");
        csv_estimate(out, &n->point[i], "\n");
    }
}

/* Opens FOLDER/PAPER[-FIGURE].csv and writes it. */
static int csv_file(const struct repro_numbers *n, const char *folder, int figure, struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/%s%s%s.csv", folder, n->f->paper, figure < 0 ? "" : "-",
             figure < 0 ? "" : n->f->figures.at[figure].id);
    FILE *out = fopen(path.text, "w");
    if (out && figure < 0)
        csv_rows(out, n);
    else if (out)
        csv_points(out, n, (uint32_t)figure);
    bool lost = !out || ferror(out);
    if (out && fclose(out) != 0)
        lost = true;
    int result = lost ? err_system(err, "cannot write %s: %s", path.text, strerror(errno)) : 0;
    str_free(&path);
    return result;
}

int repro_print_csv(const struct repro_numbers *n, const char *folder, struct err *err)
{
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return err_system(err, "cannot make the folder %s: %s", folder, strerror(errno));
    for (int i = -1; i < (int)n->f->figures.count; i++)
        if (csv_file(n, folder, i, err) < 0)
            return -1;
    return 0;
}
