/* repro_plot.c - hands the points of each figure to gnuplot.
 *
 * gnuplot reads a small program from us: the title, the labels, the points as named data blocks,
 * and then `load` of bars.gp or lines.gp, which hold all taste. Points come in the order of the
 * file; a series is a block, and blocks are numbered, so that the scripts can loop over them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/text.h"
#include "reproduce/repro_print.h"

/* A text in gnuplot's single quotes. */
static void quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void assign(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = ", name);
    quoted(out, text);
    fputc('\n', out);
}

static void number(FILE *out, double value)
{
    if (isnan(value))
        fputs(" NaN", out);
    else
        fprintf(out, " %.10g", value);
}

/* Whether an earlier point of the figure has the same series (or x). */
static uint32_t index_among(const struct repro_numbers *n, uint32_t point, bool by_x)
{
    const struct repro_point *at = n->f->points.at;
    uint32_t distinct = 0;

    for (uint32_t i = 0; i <= point; i++) {
        if (at[i].figure != at[point].figure)
            continue;
        const char *mine = by_x ? at[i].x : at[i].series;
        bool seen = false;
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = at[k].figure == at[i].figure && strcmp(by_x ? at[k].x : at[k].series, mine) == 0;
        if (strcmp(mine, by_x ? at[point].x : at[point].series) == 0)
            return distinct;
        distinct += !seen;
    }
    return distinct;
}

/* The block of a series: group "x" ours lo hi paper. */
static uint32_t write_blocks(FILE *out, const struct repro_numbers *n, uint32_t figure)
{
    const struct repro_file *f = n->f;
    uint32_t series = 0;

    for (uint32_t i = 0; i < f->points.count; i++) {
        if (f->points.at[i].figure != figure || index_among(n, i, false) != series)
            continue;
        fprintf(out, "name_%u = ", series + 1);
        quoted(out, f->points.at[i].series);
        fprintf(out, "\n$S%u << EOD\n", series + 1);
        for (uint32_t k = i; k < f->points.count; k++) {
            const struct repro_point *p = &f->points.at[k];
            if (p->figure != figure || strcmp(p->series, f->points.at[i].series) != 0)
                continue;
            const struct repro_paper *paper =
                p->row ? &repro_file_row(f, p->row)->paper : &p->paper;
            fprintf(out, "%u \"%s\"", index_among(n, k, true), p->x);
            number(out, n->point[k].mean);
            number(out, n->point[k].lo);
            number(out, n->point[k].hi);
            number(out, repro_paper_number(paper));
            fputc('\n', out);
        }
        fputs("EOD\n", out);
        series++;
    }
    return series;
}

static int plot_one(const struct repro_numbers *n, uint32_t figure, const char *folder,
                    const char *scripts, struct err *err)
{
    const struct repro_figure *g = &n->f->figures.at[figure];
    struct str path = {0};

    str_addf(&path, "%s/%s-%s.svg", folder, n->f->paper, g->id);
    FILE *out = popen("gnuplot", "w");
    if (!out)
        return err_system(err, "cannot start gnuplot: %s", strerror(errno));
    assign(out, "picture", path.text);
    assign(out, "title", g->title);
    assign(out, "x_label", g->x_label);
    assign(out, "y_label", g->y_label);
    fprintf(out, "series = %u\n", write_blocks(out, n, figure));
    fprintf(out, "load '%s/%s.gp'\n", scripts, g->kind);
    int status = pclose(out), result = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        result = err_system(
            err, "gnuplot could not draw %s; is it installed (Debian: gnuplot-nox)?", path.text);
    str_free(&path);
    return result;
}

int repro_plot(const struct repro_numbers *n, const char *folder, const char *scripts,
               struct err *err)
{
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return err_system(err, "cannot make the folder %s: %s", folder, strerror(errno));
    for (uint32_t i = 0; i < n->f->figures.count; i++)
        if (plot_one(n, i, folder, scripts, err) < 0)
            return -1;
    return 0;
}
