/* inputs.c - sources and rows.
 *
 * Sources multiply: the last one changes fastest, as in nested loops. Sources linked to the one
 * before (:::+, ::::+) count with it as one; with --link all of them do. So a row number is a
 * number in a mixed base, one digit per group of sources.
 *
 * Mostly all values are read before the first task starts, because the number of tasks is part of
 * the job that policies see; a single source may come in pieces (inputs_feed). They take their own
 * bytes and four more each; columns are split only when the row is asked for. */
#include "jobs/args/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/vec.h"
#include "jobs/args/regex.h"

#define INPUTS_BLANKS " \t\n\r\f\v"

struct input_source {
    VEC(char) bytes;    /* each value with its NUL */
    VEC(uint32_t) from; /* where values begin */
    struct str begun;   /* of a value that goes on with the next one */
    uint32_t skip;      /* 1 when the first value is a header */
    bool linked, ended; /* --eof was met */
};

/* Values side by side, or the columns that they are split into. */
struct input_row {
    VEC(const char *) fields;
    VEC(char *) copies; /* of values that are split */
};

struct inputs {
    struct inputs_options options;
    struct regex *colsep; /* NULL: values are not split */
    bool fills;           /* some source has values */
    VEC(struct input_source) sources;
    uint64_t rows;
    struct input_row row;   /* that was asked for last */
    struct input_row names; /* of columns */
    VEC(char) begun;        /* a value whose end has not come */
};

/* ---- values and columns ---- */

/* Strips blanks off the value, in place at its end; where it begins. */
static char *trimmed(char *text, enum inputs_trim trim)
{
    if (trim == INPUTS_TRIM_LEFT || trim == INPUTS_TRIM_BOTH)
        text += strspn(text, INPUTS_BLANKS);
    if (trim == INPUTS_TRIM_RIGHT || trim == INPUTS_TRIM_BOTH)
        for (char *end = text + strlen(text); end > text && strchr(INPUTS_BLANKS, end[-1]); end--)
            end[-1] = 0;
    return text;
}

static void row_add(const struct inputs *in, struct input_row *r, const char *value)
{
    bool more = in->colsep != NULL;
    struct regex_span gap;

    if (!more) {
        vec_push(&r->fields, value);
        return;
    }
    char *text = mem_strdup(value);
    vec_push(&r->copies, text);
    while (more) {
        more = regex_find(in->colsep, text, strlen(text), 0, &gap, NULL) && gap.to > 0;
        if (more)
            text[gap.from] = 0;
        vec_push(&r->fields, trimmed(text, in->options.trim));
        text += more ? gap.to : 0;
    }
}

static void row_clear(struct input_row *r)
{
    vec_free_each(&r->copies);
    vec_clear(&r->fields);
}

static void row_fini(struct input_row *r)
{
    row_clear(r);
    vec_free(&r->fields);
}

/* ---- reading ---- */

struct inputs *inputs_create(const struct inputs_options *options, struct err *err)
{
    struct inputs *in = mem_zalloc(1, sizeof *in);

    in->options = *options;
    if (options->colsep)
        in->colsep = regex_compile(options->colsep, "--colsep", err);
    if (options->colsep && !in->colsep) {
        inputs_destroy(in);
        return NULL;
    }
    return in;
}

void inputs_destroy(struct inputs *in)
{
    if (!in)
        return;
    for (uint32_t i = 0; i < in->sources.count; i++) {
        vec_free(&in->sources.at[i].bytes);
        vec_free(&in->sources.at[i].from);
        str_free(&in->sources.at[i].begun);
    }
    regex_free(in->colsep);
    row_fini(&in->row);
    row_fini(&in->names);
    vec_free(&in->sources);
    vec_free(&in->begun);
    mem_free(in);
}

static int source_store(struct inputs *in, struct input_source *s, char *value, struct err *err)
{
    if (in->options.skip_empty && !value[strspn(value, INPUTS_BLANKS)])
        return 0;
    if (!in->colsep) /* else columns are, one by one */
        value = trimmed(value, in->options.trim);
    size_t length = strlen(value);
    if (s->bytes.count + length + 1 > UINT32_MAX / 2)
        return err_set(err, "the input is larger than 2 GiB");
    vec_push(&s->from, s->bytes.count);
    vec_append(&s->bytes, value, length + 1);
    return 0;
}

/* Takes a value as it was written, which may be changed; s->ended says whether it was the end. */
static int source_add(struct inputs *in, struct input_source *s, char *value, struct err *err)
{
    const struct inputs_options *o = &in->options;
    size_t length = strlen(value);

    if (o->eof && strcmp(value, o->eof) == 0) {
        s->ended = true;
        return 0;
    }
    if (!o->continues)
        return source_store(in, s, value, err);
    str_add(&s->begun, value);
    if (length > 0 && strchr(INPUTS_BLANKS, value[length - 1]))
        return 0;
    int result = source_store(in, s, s->begun.text ? s->begun.text : value, err);
    str_free(&s->begun);
    return result;
}

/* No more values: one that should have gone on is one all the same. */
static int source_end(struct inputs *in, struct input_source *s, struct err *err)
{
    int result = s->begun.text ? source_store(in, s, s->begun.text, err) : 0;

    str_free(&s->begun);
    return result;
}

static struct input_source *source_new(struct inputs *in, bool linked)
{
    vec_push(&in->sources, ((struct input_source){.linked = linked && in->sources.count > 0}));
    return &in->sources.at[in->sources.count - 1];
}

/* A value from a file, without its delimiter, as source_add takes it. */
static int value_add(struct inputs *in, struct input_source *s, char *value, size_t length,
                     const char *file, struct err *err)
{
    if (in->options.delimiter && memchr(value, 0, length))
        return err_set(err, "%s: value %u has a NUL byte; use -0 if that separates values", file,
                       s->from.count + 1);
    return source_add(in, s, value, err);
}

/* Takes the values off the bytes that have come, 0 at the end; what is left is the beginning of the
 * next one. */
static int take_bytes(struct inputs *in, struct input_source *s, const char *bytes, size_t count,
                      const char *file, struct err *err)
{
    const char *head = in->options.delimiter_head ? in->options.delimiter_head : "";
    char delimiter[INPUTS_DELIMITER_MAX + 1], *stop;
    size_t width = strlen(head) + 1, from = 0;
    /* A delimiter may have begun with the bytes before. */
    size_t look = in->begun.count >= width ? in->begun.count - (width - 1) : 0;
    int result = 0;

    memcpy(delimiter, head, width - 1);
    delimiter[width - 1] = in->options.delimiter;
    vec_reserve(&in->begun, 1); /* also no bytes have an address */
    vec_append(&in->begun, bytes, count);
    while (result == 0 && !s->ended &&
           (stop = memmem(in->begun.at + look, in->begun.count - look, delimiter, width))) {
        *stop = 0;
        result =
            value_add(in, s, in->begun.at + from, (size_t)(stop - in->begun.at) - from, file, err);
        look = from = (size_t)(stop - in->begun.at) + width;
    }
    in->begun.count -= (uint32_t)from;
    if (from > 0)
        memmove(in->begun.at, in->begun.at + from, in->begun.count);
    if (count > 0 || result < 0)
        return result;
    vec_push(&in->begun, 0);
    if (in->begun.count > 1 && !s->ended)
        result = value_add(in, s, in->begun.at, in->begun.count - 1, file, err);
    vec_clear(&in->begun);
    return result < 0 ? -1 : source_end(in, s, err);
}

int inputs_add_words(struct inputs *in, const char *const *words, uint32_t count, bool linked,
                     struct err *err)
{
    struct input_source *s = source_new(in, linked);
    int result = 0;

    for (uint32_t i = 0; result == 0 && !s->ended && i < count; i++) {
        char *copy = mem_strdup(words[i]);
        if (!in->options.split_words || !*copy)
            result = source_add(in, s, copy, err);
        else if ((result = take_bytes(in, s, copy, strlen(copy), ":::", err)) == 0)
            result = take_bytes(in, s, "", 0, ":::", err);
        mem_free(copy);
    }
    return result < 0 ? -1 : source_end(in, s, err);
}

void inputs_add_feed(struct inputs *in)
{
    source_new(in, false);
}

int inputs_feed(struct inputs *in, const char *bytes, size_t count, struct err *err)
{
    struct input_source *s = &in->sources.at[0];
    int result = take_bytes(in, s, bytes, count, "standard input", err);

    in->rows = s->from.count;
    return result;
}

const char *inputs_values(const struct inputs *in, uint32_t source, uint32_t from, size_t *bytes)
{
    const struct input_source *s = &in->sources.at[source];
    uint32_t at = from < s->from.count ? s->from.at[from] : s->bytes.count;

    *bytes = s->bytes.count - at;
    return *bytes ? s->bytes.at + at : NULL;
}

int inputs_add_file(struct inputs *in, const char *path, bool linked, struct err *err)
{
    struct input_source *s = source_new(in, linked);
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char bytes[1 << 16];
    ssize_t n = 1;
    int result = 0;

    if (fd < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    while (result == 0 && n > 0) {
        n = s->ended ? 0 : read(fd, bytes, sizeof bytes);
        if (n < 0)
            result = err_system(err, "%s: %s", path, strerror(errno));
        else
            result = take_bytes(in, s, bytes, (size_t)n, standard ? "standard input" : path, err);
    }
    if (!standard)
        close(fd);
    return result;
}

int inputs_add_saved(struct inputs *in, const char *path, bool linked, struct err *err)
{
    struct inputs_options options = in->options;

    in->options = (struct inputs_options){.delimiter = 0}; /* all else was done to them */
    int result = inputs_add_file(in, path, linked, err);
    in->options = options;
    return result;
}

bool inputs_cut(struct inputs *in, uint64_t values)
{
    struct input_source *s = &in->sources.at[0];

    if (values > s->from.count)
        return false;
    s->from.count = (uint32_t)values;
    return true;
}

/* Beside sources that have values, one that has none counts as one empty value, as in GNU
 * parallel. */
static uint64_t source_count(const struct inputs *in, const struct input_source *s)
{
    uint64_t count = s->from.count - s->skip;
    return count == 0 && in->fills ? 1 : count;
}

static const char *source_value(const struct input_source *s, uint64_t i)
{
    return i + s->skip < s->from.count ? s->bytes.at + s->from.at[i + s->skip] : "";
}

/* The first value of each source names its columns. */
static void take_headers(struct inputs *in)
{
    for (uint32_t i = 0; i < in->sources.count; i++) {
        struct input_source *s = &in->sources.at[i];
        row_add(in, &in->names, s->from.count ? source_value(s, 0) : "");
        s->skip = s->from.count > 0;
    }
}

/* ---- rows ---- */

/* Values of the group of sources that begins at i; *end is where the next group begins. */
static uint64_t group_count(const struct inputs *in, uint32_t i, uint32_t *end)
{
    uint64_t n = source_count(in, &in->sources.at[i]);

    for (*end = i + 1; *end < in->sources.count; ++*end) {
        const struct input_source *s = &in->sources.at[*end];
        uint64_t more = source_count(in, s);
        if (in->options.link && !s->linked)
            n = more > n ? more : n;
        else if (s->linked)
            n = more < n ? more : n;
        else
            break;
    }
    return n;
}

int inputs_close(struct inputs *in, struct err *err)
{
    uint32_t end;

    if (in->options.header)
        take_headers(in);
    for (uint32_t i = 0; i < in->sources.count && !in->options.link; i++)
        in->fills |= source_count(in, &in->sources.at[i]) > 0;
    in->rows = in->sources.count > 0;
    for (uint32_t i = 0; i < in->sources.count; i = end) {
        uint64_t n = group_count(in, i, &end);
        if (in->options.link) /* an empty source has nothing to begin again with */
            for (uint32_t k = i; k < end; k++)
                n = source_count(in, &in->sources.at[k]) ? n : 0;
        if (n && in->rows > UINT32_MAX / n)
            return err_set(err, "the arguments make more than %u combinations", UINT32_MAX);
        in->rows *= n;
    }
    return 0;
}

uint64_t inputs_rows(const struct inputs *in)
{
    return in->rows;
}

uint32_t inputs_sources(const struct inputs *in)
{
    return in->sources.count;
}

struct fields inputs_names(const struct inputs *in)
{
    return (struct fields){in->names.fields.at, in->names.fields.count};
}

struct fields inputs_row(struct inputs *in, uint64_t row)
{
    uint64_t below = in->rows;
    uint32_t end;

    check(row < in->rows);
    row_clear(&in->row);
    for (uint32_t i = 0; i < in->sources.count; i = end) {
        uint64_t n = group_count(in, i, &end);
        below /= n; /* rows for one value of this group */
        uint64_t at = row / below % n;
        for (const struct input_source *s = &in->sources.at[i]; s < &in->sources.at[end]; s++)
            row_add(in, &in->row, source_value(s, at % source_count(in, s)));
    }
    return (struct fields){in->row.fields.at, in->row.fields.count};
}
