/* repro_file.c - reads experiment files.
 *
 * The problem: a reproduction is a long list of small facts (this published number, that run, this
 * formula). As code it would hide what is compared with what; as data any doubter can read it.
 *
 * The method: one statement per line, fields between bars, values of `let` put in as text. All of
 * a file is read and all its names are known before anything runs. The language has no loops: a
 * sweep is written out, so that every run that will happen can be found with grep. Lines are kept
 * in memory as they are cut up; texts of rows and runs point into them.
 *
 * Rejected: YAML (quoting rules for policies such as `a,b;c=d`), and formulas over shell variables
 * (the rows could then not be listed without running them). */
#include "commands/reproduce/repro_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum {
    FIELDS_MAX = 8,
    INCLUDES_MAX = 100, /* files in files: they may include each other, or two that include two */
    LET_BYTES_MAX = 64 * 1024, /* of a text with its values: the same of values */
};

struct repro_reader {
    struct repro_file *f;
    const char *path;
    int line;
    int *included; /* files so far */
    bool inner;    /* this is one of them */
    bool quick;
    bool in_row, in_figure; /* what an indented line belongs to */
    struct err *err;
};

__attribute__((format(printf, 2, 3))) static int fail(const struct repro_reader *r,
                                                      const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(r->err, "%s:%d: %s", r->path, r->line, text);
}

/* Hands the text to the file. */
static char *keep(struct repro_file *f, char *text)
{
    vec_push(&f->texts, text);
    return text;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

/* ---- values of let ---- */

static const char *let_value(const struct repro_file *f, const char *name, size_t length)
{
    for (uint32_t i = f->lets.count; i-- > 0;)
        if (strlen(f->lets.at[i].name) == length && strncmp(f->lets.at[i].name, name, length) == 0)
            return f->lets.at[i].value;
    return NULL;
}

/* Puts the values of let in; $seed stays. Kept by the file; NULL with *err. */
static const char *expand(struct repro_reader *r, const char *text)
{
    struct str out = {0};
    bool fine = true;

    str_add(&out, "");
    while (fine && *text) {
        size_t plain = strcspn(text, "$");
        str_add_bytes(&out, text, plain);
        text += plain;
        if (*text == '\0')
            break;
        bool braced = text[1] == '{';
        const char *name = text + (braced ? 2 : 1);
        size_t length = 0;
        while (isalnum((unsigned char)name[length]) || name[length] == '_')
            length++;
        const char *value =
            length == 4 && strncmp(name, "seed", 4) == 0 ? "$seed" : let_value(r->f, name, length);
        fine = value && (!braced || name[length] == '}');
        if (!fine)
            fail(r, "no value for $%.*s; expected a `let` above this line", (int)length, name);
        else
            str_add(&out, value);
        if (fine && out.length > LET_BYTES_MAX) {
            fine = false;
            fail(r, "the text is longer than %d bytes", LET_BYTES_MAX);
        }
        text = name + length + (braced ? 1 : 0);
    }
    keep(r->f, out.text);
    return fine ? out.text : NULL;
}

/* ---- statements ---- */

static int take_paper(struct repro_reader *r, char **field)
{
    if (r->inner)
        return 0; /* the outer file speaks */
    if (r->f->paper)
        return fail(r, "there is a paper already");
    r->f->paper = field[0];
    r->f->title = field[1];
    return 0;
}

/* "quick=A full=B": the one that is wanted, or NULL. */
static char *by_mode(const struct repro_reader *r, char *rest)
{
    char *full = strstr(rest, "full=");

    if (strncmp(rest, "quick=", 6) != 0 || !full)
        return NULL;
    if (!r->quick)
        return trim(full + 5);
    *full = '\0';
    return trim(rest + 6);
}

static int take_seeds(struct repro_reader *r, char **field)
{
    char *value = by_mode(r, field[0]);
    int64_t n;

    if (!value || !text_int(value, &n) || n < 1 || n > 1000)
        return fail(r, "expected `seeds quick=N full=N`");
    r->f->seeds = (uint32_t)n;
    return 0;
}

static int take_let(struct repro_reader *r, char **field)
{
    char *rest = field[0];
    size_t length = strcspn(rest, " \t=");
    char *after = rest + length + strspn(rest + length, " \t");
    char *value = *after == '=' ? trim(after + 1) : by_mode(r, after);

    if (length == 0 || !value)
        return fail(r, "expected `let NAME = TEXT` or `let NAME quick=TEXT full=TEXT`");
    const char *text = expand(r, value);
    if (!text)
        return -1;
    rest[length] = '\0';
    vec_push(&r->f->lets, ((struct repro_let){rest, text}));
    return 0;
}

static int take_run(struct repro_reader *r, char **field)
{
    char *equal = strchr(field[0], '=');

    if (!equal)
        return fail(r, "expected `run NAME = COMMAND ARGUMENTS`");
    *equal = '\0';
    const char *name = trim(field[0]), *command = expand(r, trim(equal + 1));
    if (!command)
        return -1;
    if (!isalpha((unsigned char)*name) || name[strspn(name, REPRO_FILE_NAME)])
        return fail(r, "a run's name is made of letters, digits, _ and dots, not '%s'", name);
    for (uint32_t i = 0; i < r->f->runs.count; i++)
        if (strcmp(r->f->runs.at[i].name, name) == 0)
            return fail(r, "there is a run %s already, in line %d", name, r->f->runs.at[i].line);
    vec_push(&r->f->runs, ((struct repro_run){name, command, r->line}));
    return 0;
}

static int take_experiment(struct repro_reader *r, char **field)
{
    vec_push(&r->f->experiments, ((struct repro_experiment){field[0], field[1]}));
    return 0;
}

/* Adds a row or an aside, which the lines below it belong to. */
static int add_row(struct repro_reader *r, struct repro_row row, char **field)
{
    row.id = field[0];
    row.what = field[1];
    row.unit = field[2];
    row.line = r->line;
    if (repro_file_row(r->f, row.id))
        return fail(r, "there is a row %s already", row.id);
    vec_push(&r->f->rows, row);
    r->in_row = true;
    return 0;
}

static int take_row(struct repro_reader *r, char **field)
{
    struct repro_row row = {
        .experiment = r->f->experiments.count - 1, .basis = field[4], .citation = field[5]};

    if (r->f->experiments.count == 0)
        return fail(r, "a row belongs to an experiment; expected an `experiment` line above it");
    if (strcmp(row.basis, "fitted") != 0 && strcmp(row.basis, "predicted") != 0)
        return fail(r, "the basis is fitted or predicted, not '%s'", row.basis);
    if (!repro_paper_parse(field[3], &row.paper))
        return fail(
            r, "'%s' is not a published value; expected for example 46, ~50, 6 to 8, <= 27 or > 0",
            field[3]);
    return add_row(r, row, field);
}

static int take_aside(struct repro_reader *r, char **field)
{
    const struct repro_row *of = repro_file_row(r->f, field[3]);

    if (!of || of->explains)
        return fail(r, "row %s does not exist above this line", field[3]);
    struct repro_row row = {
        .experiment = of->experiment, .basis = "aside", .citation = "", .explains = field[3]};
    return add_row(r, row, field);
}

static int take_figure(struct repro_reader *r, char **field)
{
    if (strcmp(field[1], "bars") != 0 && strcmp(field[1], "lines") != 0)
        return fail(r, "a figure has bars or lines, not '%s'", field[1]);
    vec_push(&r->f->figures,
             ((struct repro_figure){field[0], field[1], field[2], field[3], field[4]}));
    r->in_figure = true;
    return 0;
}

static int take_include(struct repro_reader *r, char **field);

static const struct {
    const char *word;
    int fields; /* between bars; 1: all that follows the word */
    int (*take)(struct repro_reader *r, char **field);
    const char *usage; /* of those with several fields */
} statements[] = {
    {"paper", 2, take_paper, "paper NAME | TITLE"},
    {"seeds", 1, take_seeds, NULL},
    {"let", 1, take_let, NULL},
    {"run", 1, take_run, NULL},
    {"experiment", 2, take_experiment, "experiment ID | TITLE"},
    {"row", 6, take_row, "row ID | WHAT | UNIT | PAPER | fitted or predicted | SOURCE"},
    {"aside", 4, take_aside, "aside ID | WHAT | UNIT | the ROW that it explains"},
    {"figure", 5, take_figure, "figure ID | bars or lines | TITLE | X LABEL | Y LABEL"},
    {"include", 1, take_include, NULL},
};

/* ---- indented lines ---- */

/* Splits at bars; the last of `most` fields has all that is left. Returns the number of fields. */
static int split(char *text, char **fields, int most)
{
    int n = 0;

    for (; text && n < most; n++)
        fields[n] = trim(n + 1 < most ? strsep(&text, "|") : text);
    return n;
}

/* point SERIES | X | @ROW, or point SERIES | X | PAPER or - | FORMULA */
static int take_point(struct repro_reader *r, char *rest)
{
    char *field[4];
    int n = split(rest, field, 4);
    struct repro_point p = {.figure = r->f->figures.count - 1, .line = r->line};

    if (n < 3 || (n == 3) != (field[2][0] == '@'))
        return fail(r, "expected `point SERIES | X | @ROW` or `point SERIES | X | PAPER or - | "
                       "FORMULA`");
    if (n == 3)
        p.row = field[2] + 1;
    else if (strcmp(field[2], "-") != 0 && !repro_paper_parse(field[2], &p.paper))
        return fail(r, "'%s' is not a published value", field[2]);
    p.ours = n == 4 ? field[3] : NULL;
    p.series = field[0];
    p.x = field[1];
    vec_push(&r->f->points, p);
    return 0;
}

static int take_formula(struct repro_reader *r, const char *word, char *rest)
{
    struct repro_row *row = &r->f->rows.at[r->f->rows.count - 1];
    const char **to = strcmp(word, "ours") == 0    ? &row->ours
                      : strcmp(word, "tuned") == 0 ? &row->tuned
                      : strcmp(word, "note") == 0  ? &row->note
                                                   : NULL;

    if (!to || *rest != '=' || *to)
        return fail(r, "expected `ours = FORMULA`, `tuned = FORMULA` or `note = TEXT`, once each");
    if (row->explains && r->quick && to != &row->note) { /* what explains can wait for a full run */
        if (!row->note)
            row->note = "not measured in a quick run";
        return 0;
    }
    *to = trim(rest + 1);
    return 0;
}

/* ---- files ---- */

static int take_line(struct repro_reader *r, char *line)
{
    bool indented = *line == ' ' || *line == '\t';
    char *word = trim(line), *field[FIELDS_MAX];
    size_t length = strcspn(word, " \t");
    char *rest = word + length + strspn(word + length, " \t");

    if (*word == '\0' || *word == '#')
        return 0;
    word[length] = '\0';
    if (indented && r->in_figure && strcmp(word, "point") == 0)
        return take_point(r, rest);
    if (indented && r->in_row)
        return take_formula(r, word, rest);
    if (indented)
        return fail(r, "an indented line belongs to a row or a figure, and there is none above it");
    r->in_row = r->in_figure = false;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (strcmp(statements[i].word, word) != 0)
            continue;
        int most = statements[i].fields == 1 ? 1 : FIELDS_MAX;
        if (split(rest, field, most) != statements[i].fields)
            return fail(r, "expected `%s`", statements[i].usage);
        return statements[i].take(r, field);
    }
    return fail(r,
                "unknown statement '%s'; expected paper, seeds, let, run, experiment, row, aside, "
                "figure or include",
                word);
}

static int read_lines(struct repro_reader *r)
{
    FILE *in = fopen(r->path, "r");
    char *line = NULL;
    size_t cap = 0;
    int result = 0;

    if (!in)
        return err_set(r->err, "cannot read %s: %s", r->path, strerror(errno));
    r->line = 0;
    while (result == 0 && getline(&line, &cap, in) >= 0) {
        r->line++;
        result = take_line(r, keep(r->f, mem_strdup(line)));
    }
    fclose(in);
    free(line);
    return result;
}

static int take_include(struct repro_reader *r, char **field)
{
    struct str path = {0};
    const char *slash = strrchr(r->path, '/');
    struct repro_reader inner = *r;

    inner.inner = true;
    if (++*r->included > INCLUDES_MAX)
        return fail(r, "more than %d files are included", INCLUDES_MAX);
    str_addf(&path, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path, field[0]);
    inner.path = keep(r->f, path.text);
    return read_lines(&inner);
}

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
                           "%s:%d: row %s has neither `ours = FORMULA` nor a `note = TEXT` with "
                           "the reason",
                           f->path, f->rows.at[i].line, f->rows.at[i].id);
    for (uint32_t i = 0; i < f->points.count; i++)
        if (f->points.at[i].row && !repro_file_row(f, f->points.at[i].row))
            return err_set(err, "%s:%d: row %s does not exist", f->path, f->points.at[i].line,
                           f->points.at[i].row);
    return 0;
}

int repro_file_read(struct repro_file *f, const char *path, bool quick, struct err *err)
{
    const char *slash = strrchr(path, '/');
    int included = 0;
    struct str folder = {0}, library = {0};

    *f = (struct repro_file){0};
    f->path = keep(f, mem_strdup(path));
    str_addf(&folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    f->folder = keep(f, folder.text);
    str_addf(&library, "%s/..", f->folder);
    f->library = keep(f, library.text);
    struct repro_reader r = {
        .f = f, .path = f->path, .included = &included, .quick = quick, .err = err};
    return read_lines(&r) < 0 || check_whole(f, err) < 0 ? -1 : 0;
}

const struct repro_run *repro_file_run(const struct repro_file *f, const char *name)
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
    vec_free(&f->lets);
    vec_free(&f->runs);
    vec_free(&f->experiments);
    vec_free(&f->rows);
    vec_free(&f->figures);
    vec_free(&f->points);
    vec_free_each(&f->texts);
}
