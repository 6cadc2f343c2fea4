/* repro_file.c - reads experiment files.
 *
 * The problem: a reproduction is a long list of small facts (this published number, that run, this
 * formula). As code it would hide what is compared with what; as data it can be read by whoever
 * doubts it.
 *
 * The method: one statement per line, fields between bars, values of `let` put in as text. All of
 * a file is read and all its names are known before anything runs. The language has no loops: a
 * sweep is written out, so that every run that will happen can be found with grep.
 *
 * Rejected: YAML (quoting rules for policies such as `a,b;c=d`), and expressions over shell
 * variables (nobody could then list the rows without running them). */
#include "reproduce/repro_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum {
    FIELDS_MAX = 8,
    DEPTH_MAX = 8,      /* of files in files */
    INCLUDES_MAX = 100, /* of all of them: a file may not bring in two that bring in two ... */
    LET_BYTES_MAX = 64 * 1024, /* of a text with its values: the same of values */
};

struct reader {
    struct repro_file *f;
    const char *path;
    int line, depth;
    int *included; /* files so far */
    bool quick;
    bool in_row, in_figure; /* what an indented line belongs to */
    struct err *err;
};

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

#define fail(r, ...) fail_at((r), __VA_ARGS__)
__attribute__((format(printf, 2, 3))) static int fail_at(const struct reader *r, const char *format,
                                                         ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(r->err, "%s:%d: %s", r->path, r->line, text);
}

/* ---- values of let ---- */

static const char *let_value(const struct repro_file *f, const char *name, size_t length)
{
    for (uint32_t i = f->lets.count; i-- > 0;)
        if (strlen(f->lets.at[i].name) == length && strncmp(f->lets.at[i].name, name, length) == 0)
            return f->lets.at[i].value;
    return NULL;
}

/* Puts the values of let in; $seed stays. The result is the caller's; NULL with *err. */
static char *expand(struct reader *r, const char *text)
{
    struct str out = {0};

    str_add(&out, "");
    for (const char *c = text; *c;) {
        if (*c != '$') {
            str_addf(&out, "%c", *c++);
            continue;
        }
        bool braced = c[1] == '{';
        const char *name = c + (braced ? 2 : 1);
        size_t length = 0;
        while (isalnum((unsigned char)name[length]) || name[length] == '_')
            length++;
        const char *value = let_value(r->f, name, length);
        if (length == 4 && strncmp(name, "seed", 4) == 0) {
            str_add(&out, "$seed");
        } else if (!value || (braced && name[length] != '}')) {
            fail(r, "no value for $%.*s; want a `let` above this line", (int)length, name);
            str_free(&out);
            return NULL;
        } else {
            str_add(&out, value);
        }
        if (out.length > LET_BYTES_MAX) {
            fail(r, "the text is longer than %d bytes", LET_BYTES_MAX);
            str_free(&out);
            return NULL;
        }
        c = name + length + (braced ? 1 : 0);
    }
    return out.text;
}

/* ---- published values ---- */

static bool paper_parse(char *text, struct repro_paper *p)
{
    const char *number = text;
    char *second;

    p->text = mem_strdup(text);
    bool below = *text == '<', above = *text == '>';
    number += strspn(text, "<>=~ ");
    char *copy = mem_strdup(number);
    second = strstr(copy, " to ");
    if (second) {
        *second = '\0';
        second += strlen(" to ");
    }
    bool fine = text_real(trim(copy), &p->low);
    p->high = p->low;
    if (fine && second)
        fine = text_real(trim(second), &p->high) && p->high >= p->low && !below && !above;
    mem_free(copy);
    if (below)
        p->low = -INFINITY;
    if (above)
        p->high = INFINITY;
    return fine;
}

double repro_paper_difference(const struct repro_paper *p, double ours)
{
    if (!p->text || isnan(ours))
        return NAN;
    return ours < p->low ? ours - p->low : ours > p->high ? ours - p->high : 0;
}

double repro_paper_number(const struct repro_paper *p)
{
    if (!p->text)
        return NAN;
    if (isinf(p->low))
        return p->high;
    return isinf(p->high) ? p->low : (p->low + p->high) / 2;
}

/* ---- statements ---- */

/* Splits at bars; returns the number of fields, at most FIELDS_MAX. */
static int split(char *text, char *fields[FIELDS_MAX])
{
    int n = 0;

    while (n < FIELDS_MAX) {
        char *bar = strchr(text, '|');
        if (bar)
            *bar = '\0';
        fields[n++] = trim(text);
        if (!bar)
            break;
        text = bar + 1;
    }
    return n;
}

static int take_paper(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];

    if (r->depth > 1)
        return 0; /* of an included file: the first one speaks */
    if (split(rest, field) != 2)
        return fail(r, "want `paper NAME | TITLE`");
    if (r->f->paper)
        return fail(r, "there is a paper already");
    r->f->paper = mem_strdup(field[0]);
    r->f->title = mem_strdup(field[1]);
    return 0;
}

/* "quick=A full=B": the one that is wanted, or NULL. */
static char *by_mode(struct reader *r, char *rest)
{
    char *full = strstr(rest, "full=");

    if (strncmp(rest, "quick=", 6) != 0 || !full)
        return NULL;
    if (!r->quick)
        return trim(full + 5);
    *full = '\0';
    return trim(rest + 6);
}

static int take_seeds(struct reader *r, char *rest)
{
    char *value = by_mode(r, rest);
    int64_t n;

    if (!value || !text_int(value, &n) || n < 1 || n > 1000)
        return fail(r, "want `seeds quick=N full=N`");
    r->f->seeds = (uint32_t)n;
    return 0;
}

static int take_let(struct reader *r, char *rest)
{
    size_t length = strcspn(rest, " \t=");
    char *after = rest + length + strspn(rest + length, " \t");
    char *value = *after == '=' ? trim(after + 1) : by_mode(r, after);

    if (length == 0 || !value)
        return fail(r, "want `let NAME = TEXT` or `let NAME quick=TEXT full=TEXT`");
    char *text = expand(r, value);
    if (!text)
        return -1;
    rest[length] = '\0';
    vec_push(&r->f->lets, ((struct repro_let){mem_strdup(rest), text}));
    return 0;
}

static int take_run(struct reader *r, char *rest)
{
    char *equal = strchr(rest, '=');

    if (!equal)
        return fail(r, "want `run NAME = COMMAND ARGUMENTS`");
    *equal = '\0';
    char *name = trim(rest), *command = expand(r, trim(equal + 1));
    if (!command)
        return -1;
    for (uint32_t i = 0; i < r->f->runs.count; i++)
        if (strcmp(r->f->runs.at[i].name, name) == 0) {
            mem_free(command);
            return fail(r, "there is a run %s already, in line %d", name, r->f->runs.at[i].line);
        }
    vec_push(&r->f->runs, ((struct repro_run){mem_strdup(name), command,
                                              strstr(command, "$seed") != NULL, r->line}));
    return 0;
}

static int take_experiment(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];

    if (split(rest, field) != 2)
        return fail(r, "want `experiment ID | TITLE`");
    vec_push(&r->f->experiments,
             ((struct repro_experiment){mem_strdup(field[0]), mem_strdup(field[1])}));
    return 0;
}

static int take_row(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];

    if (split(rest, field) != 6)
        return fail(r, "want `row ID | WHAT | UNIT | PAPER | fitted or predicted | SOURCE`");
    if (r->f->experiments.count == 0)
        return fail(r, "a row belongs to an experiment; want an `experiment` line above it");
    if (strcmp(field[4], "fitted") != 0 && strcmp(field[4], "predicted") != 0)
        return fail(r, "the basis is fitted or predicted, not '%s'", field[4]);
    if (repro_file_row(r->f, field[0]))
        return fail(r, "there is a row %s already", field[0]);
    struct repro_row row = {.experiment = r->f->experiments.count - 1, .line = r->line};
    if (!paper_parse(field[3], &row.paper)) {
        mem_free(row.paper.text);
        return fail(r, "'%s' is no published value; want for example 46, ~50, 6 to 8, <= 27 or > 0",
                    field[3]);
    }
    row.id = mem_strdup(field[0]);
    row.what = mem_strdup(field[1]);
    row.unit = mem_strdup(field[2]);
    row.basis = mem_strdup(field[4]);
    row.source = mem_strdup(field[5]);
    vec_push(&r->f->rows, row);
    r->in_row = true;
    return 0;
}

/* aside ID | WHAT | UNIT | ROW */
static int take_aside(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];

    if (split(rest, field) != 4)
        return fail(r, "want `aside ID | WHAT | UNIT | the ROW that it explains`");
    if (repro_file_row(r->f, field[0]))
        return fail(r, "there is a row %s already", field[0]);
    const struct repro_row *of = repro_file_row(r->f, field[3]);
    if (!of || of->explains)
        return fail(r, "there is no row %s above to explain", field[3]);
    struct repro_row row = {.experiment = of->experiment, .line = r->line};
    row.id = mem_strdup(field[0]);
    row.what = mem_strdup(field[1]);
    row.unit = mem_strdup(field[2]);
    row.basis = mem_strdup("aside");
    row.source = mem_strdup("");
    row.explains = mem_strdup(field[3]);
    vec_push(&r->f->rows, row);
    r->in_row = true;
    return 0;
}

static int take_figure(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];

    if (split(rest, field) != 5 ||
        (strcmp(field[1], "bars") != 0 && strcmp(field[1], "lines") != 0))
        return fail(r, "want `figure ID | bars or lines | TITLE | X LABEL | Y LABEL`");
    vec_push(&r->f->figures, ((struct repro_figure){mem_strdup(field[0]), mem_strdup(field[1]),
                                                    mem_strdup(field[2]), mem_strdup(field[3]),
                                                    mem_strdup(field[4])}));
    r->in_figure = true;
    return 0;
}

/* point SERIES | X | @ROW, or point SERIES | X | PAPER or - | EXPRESSION */
static int take_point(struct reader *r, char *rest)
{
    char *field[FIELDS_MAX];
    int n = split(rest, field);
    struct repro_point p = {.figure = r->f->figures.count - 1, .line = r->line};

    if (n == 3 && field[2][0] == '@')
        p.row = mem_strdup(field[2] + 1);
    else if (n != 4)
        return fail(r, "want `point SERIES | X | @ROW` or `point SERIES | X | PAPER or - | "
                       "EXPRESSION`");
    else if (strcmp(field[2], "-") != 0 && !paper_parse(field[2], &p.paper)) {
        mem_free(p.paper.text);
        return fail(r, "'%s' is no published value", field[2]);
    }
    if (n == 4)
        p.ours = mem_strdup(field[3]);
    p.series = mem_strdup(field[0]);
    p.x = mem_strdup(field[1]);
    vec_push(&r->f->points, p);
    return 0;
}

static int take_formula(struct reader *r, char *word, char *rest)
{
    struct repro_row *row = &r->f->rows.at[r->f->rows.count - 1];
    char **to = strcmp(word, "ours") == 0    ? &row->ours
                : strcmp(word, "tuned") == 0 ? &row->tuned
                : strcmp(word, "note") == 0  ? &row->note
                                             : NULL;

    if (!to || *rest != '=' || *to)
        return fail(r,
                    "want `ours = EXPRESSION`, `tuned = EXPRESSION` or `note = TEXT`, once each");
    if (row->explains && r->quick && to != &row->note) { /* what explains can wait for a full run */
        if (!row->note)
            row->note = mem_strdup("not measured in a quick run");
        return 0;
    }
    *to = mem_strdup(trim(rest + 1));
    return 0;
}

static int read_lines(struct reader *r);

static int take_include(struct reader *r, const char *name)
{
    struct str path = {0};
    const char *slash = strrchr(r->path, '/');
    struct reader inner = *r;

    if (r->depth == DEPTH_MAX)
        return fail(r, "files include each other");
    if (++*r->included > INCLUDES_MAX)
        return fail(r, "more than %d files are included", INCLUDES_MAX);
    str_addf(&path, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path, name);
    inner.path = path.text;
    int result = read_lines(&inner);
    str_free(&path);
    return result;
}

static int take_indented(struct reader *r, char *word, char *rest)
{
    if (r->in_figure && strcmp(word, "point") == 0)
        return take_point(r, rest);
    if (r->in_row)
        return take_formula(r, word, rest);
    return fail(r, "an indented line belongs to a row or a figure, and there is none above it");
}

static int take_line(struct reader *r, char *line)
{
    static const struct {
        const char *word;
        int (*take)(struct reader *r, char *rest);
    } statements[] = {
        {"paper", take_paper},   {"seeds", take_seeds}, {"let", take_let},
        {"run", take_run},       {"row", take_row},     {"experiment", take_experiment},
        {"figure", take_figure}, {"aside", take_aside},
    };
    bool indented = *line == ' ' || *line == '\t';
    char *word = trim(line);
    size_t length = strcspn(word, " \t");
    char *rest = word + length + strspn(word + length, " \t");

    if (*word == '\0' || *word == '#')
        return 0;
    word[length] = '\0';
    if (indented)
        return take_indented(r, word, rest);
    r->in_row = r->in_figure = false;
    if (strcmp(word, "include") == 0)
        return take_include(r, rest);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (strcmp(statements[i].word, word) == 0)
            return statements[i].take(r, rest);
    return fail(r,
                "unknown statement '%s'; want paper, seeds, let, run, experiment, row, aside, "
                "figure or include",
                word);
}

static int read_lines(struct reader *r)
{
    FILE *in = fopen(r->path, "r");
    char *line = NULL;
    size_t cap = 0;
    int result = 0;

    if (!in)
        return err_set(r->err, "cannot read %s: %s", r->path, strerror(errno));
    r->line = 0;
    r->depth++;
    while (result == 0 && getline(&line, &cap, in) >= 0) {
        r->line++;
        result = take_line(r, line);
    }
    fclose(in);
    free(line);
    return result;
}

/* ---- the whole ---- */

static int check_whole(struct repro_file *f, struct err *err)
{
    if (!f->paper || f->seeds == 0 || f->rows.count == 0)
        return err_set(err, "%s: no `%s` line", f->path,
                       !f->paper       ? "paper"
                       : f->seeds == 0 ? "seeds"
                                       : "row");
    for (uint32_t i = 0; i < f->rows.count; i++)
        if (!f->rows.at[i].ours && !f->rows.at[i].note)
            return err_set(err,
                           "%s:%d: row %s has neither `ours = EXPRESSION` nor a `note = TEXT` that "
                           "says why not",
                           f->path, f->rows.at[i].line, f->rows.at[i].id);
    for (uint32_t i = 0; i < f->points.count; i++)
        if (f->points.at[i].row && !repro_file_row(f, f->points.at[i].row))
            return err_set(err, "%s:%d: there is no row %s", f->path, f->points.at[i].line,
                           f->points.at[i].row);
    return 0;
}

int repro_file_read(struct repro_file *f, const char *path, bool quick, struct err *err)
{
    const char *slash = strrchr(path, '/');
    int included = 0;
    struct reader r = {.f = f, .path = path, .included = &included, .quick = quick, .err = err};
    struct str folder = {0};

    *f = (struct repro_file){.path = mem_strdup(path)};
    str_addf(&folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    f->folder = folder.text;
    return read_lines(&r) < 0 || check_whole(f, err) < 0 ? -1 : 0;
}

const struct repro_run *repro_file_run(const struct repro_file *f, const char *name,
                                       const char **rest)
{
    const struct repro_run *best = NULL;
    size_t longest = 0;

    for (uint32_t i = 0; i < f->runs.count; i++) {
        size_t n = strlen(f->runs.at[i].name);
        if (strncmp(f->runs.at[i].name, name, n) == 0 && (name[n] == '\0' || name[n] == '.') &&
            n > longest) {
            best = &f->runs.at[i];
            longest = n;
        }
    }
    if (best)
        *rest = name + longest + (name[longest] == '.');
    return best;
}

const struct repro_row *repro_file_row(const struct repro_file *f, const char *id)
{
    for (uint32_t i = 0; i < f->rows.count; i++)
        if (strcmp(f->rows.at[i].id, id) == 0)
            return &f->rows.at[i];
    return NULL;
}

void repro_file_fini(struct repro_file *f)
{
    for (uint32_t i = 0; i < f->lets.count; i++) {
        mem_free(f->lets.at[i].name);
        mem_free(f->lets.at[i].value);
    }
    for (uint32_t i = 0; i < f->runs.count; i++) {
        mem_free(f->runs.at[i].name);
        mem_free(f->runs.at[i].command);
    }
    for (uint32_t i = 0; i < f->experiments.count; i++) {
        mem_free(f->experiments.at[i].id);
        mem_free(f->experiments.at[i].title);
    }
    for (uint32_t i = 0; i < f->rows.count; i++) {
        struct repro_row *r = &f->rows.at[i];
        char *texts[] = {r->id,         r->what, r->unit,  r->basis, r->source,
                         r->paper.text, r->ours, r->tuned, r->note,  r->explains};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            mem_free(texts[k]);
    }
    for (uint32_t i = 0; i < f->figures.count; i++) {
        struct repro_figure *g = &f->figures.at[i];
        char *texts[] = {g->id, g->kind, g->title, g->x_label, g->y_label};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            mem_free(texts[k]);
    }
    for (uint32_t i = 0; i < f->points.count; i++) {
        struct repro_point *p = &f->points.at[i];
        char *texts[] = {p->series, p->x, p->row, p->paper.text, p->ours};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            mem_free(texts[k]);
    }
    vec_free(&f->lets);
    vec_free(&f->runs);
    vec_free(&f->experiments);
    vec_free(&f->rows);
    vec_free(&f->figures);
    vec_free(&f->points);
    mem_free(f->path);
    mem_free(f->folder);
    mem_free(f->paper);
    mem_free(f->title);
}
