/* aggregate.c - Hadoop's `-reducer aggregate`. See aggregate.h.
 *
 * Sums and bounds are updated line by line. For functions of the number of different values, or of
 * their frequencies, all values are kept, and sorted at the end of the key. */
#include "data/aggregate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"

enum aggregate_type {
    LONG_SUM,
    DOUBLE_SUM,
    LONG_MAX_OF, /* LONG_MAX is C's */
    LONG_MIN_OF,
    STRING_MAX,
    STRING_MIN,
    UNIQUE,
    HISTOGRAM,
    TYPES,
};

static const char *const names[TYPES] = {
    [LONG_SUM] = "LongValueSum",     [DOUBLE_SUM] = "DoubleValueSum",
    [LONG_MAX_OF] = "LongValueMax",  [LONG_MIN_OF] = "LongValueMin",
    [STRING_MAX] = "StringValueMax", [STRING_MIN] = "StringValueMin",
    [UNIQUE] = "UniqValueCount",     [HISTOGRAM] = "ValueHistogram"};

/* A value, and how often it came. */
struct seen {
    char *text;
    int64_t times;
};

struct aggregating {
    FILE *out;
    bool again;
    char *key; /* of which lines are read; NULL: none yet */
    enum aggregate_type type;
    int64_t number; /* sum or bound */
    double real;
    VEC(struct seen) values; /* or the one text that is the bound */
    struct err *err;
};

/* ---- values ---- */

static void forget(struct aggregating *a)
{
    for (uint32_t i = 0; i < a->values.count; i++)
        mem_free(a->values.at[i].text);
    vec_clear(&a->values);
}

static int bad_value(struct aggregating *a, const char *value)
{
    return err_set(a->err, "%.80s: '%.80s' is not a value that this aggregate takes", a->key,
                   value);
}

static int take_long(struct aggregating *a, const char *value, bool first)
{
    int64_t n;

    if (!text_int(value, &n))
        return bad_value(a, value);
    if (first)
        a->number = n;
    else if (a->type == LONG_SUM)
        return __builtin_add_overflow(a->number, n, &a->number)
                   ? err_set(a->err, "%.80s: the sum has more than 64 bits", a->key)
                   : 0;
    else if (a->type == LONG_MAX_OF ? n > a->number : n < a->number)
        a->number = n;
    return 0;
}

static int take_double(struct aggregating *a, const char *value, bool first)
{
    char *end;
    double d = strtod(value, &end);

    if (end == value || *end)
        return bad_value(a, value);
    a->real = first ? d : a->real + d;
    return 0;
}

static void take_bound(struct aggregating *a, const char *value, bool first)
{
    if (first)
        vec_push(&a->values, ((struct seen){mem_strdup(value), 1}));
    else if (a->type == STRING_MAX ? strcmp(value, a->values.at[0].text) > 0
                                   : strcmp(value, a->values.at[0].text) < 0)
        mem_replace(&a->values.at[0].text, value);
}

/* VALUE, or of a histogram VALUE TAB TIMES. */
static int take_seen(struct aggregating *a, char *value)
{
    char *tab = a->type == HISTOGRAM ? strrchr(value, '\t') : NULL;
    int64_t times = 1;

    if (tab && (!text_int(tab + 1, &times) || times < 1))
        return bad_value(a, value);
    if (tab)
        *tab = 0;
    vec_push(&a->values, ((struct seen){mem_strdup(value), times}));
    return 0;
}

static int take_value(struct aggregating *a, char *value, bool first)
{
    switch (a->type) {
    case DOUBLE_SUM:
        return take_double(a, value, first);
    case STRING_MAX:
    case STRING_MIN:
        take_bound(a, value, first);
        return 0;
    case UNIQUE:
    case HISTOGRAM:
        return take_seen(a, value);
    default:
        return take_long(a, value, first);
    }
}

/* ---- results ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->text, ((const struct seen *)b)->text);
}

static int by_times(const void *a, const void *b)
{
    int64_t x = ((const struct seen *)a)->times, y = ((const struct seen *)b)->times;

    return (x > y) - (x < y);
}

/* Each value once. */
static void merge_values(struct aggregating *a)
{
    uint32_t left = 0;

    qsort(a->values.at, a->values.count, sizeof *a->values.at, by_text);
    for (uint32_t i = 0; i < a->values.count; i++) {
        struct seen *s = &a->values.at[i];
        if (left > 0 && strcmp(a->values.at[left - 1].text, s->text) == 0) {
            a->values.at[left - 1].times += s->times;
            mem_free(s->text);
        } else {
            a->values.at[left++] = *s;
        }
    }
    a->values.count = left;
}

/* The shortest text that is read as the same number, as Java prints it: with a point, and with an
 * exponent below a thousandth and from ten millions on. */
static void print_double(FILE *out, double value)
{
    char text[40];
    int digits = 0;

    if (value == 0)
        value = 0; /* sums begin at 0, to which -0 adds nothing */
    if (isnan(value) || isinf(value)) {
        fputs(isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity", out);
        return;
    }
    do
        snprintf(text, sizeof text, "%.*e", digits, value);
    while (strtod(text, NULL) != value && digits++ < 16);
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    bool is_plain = value == 0 || (fabs(value) >= 1e-3 && fabs(value) < 1e7);
    if (is_plain) {
        fprintf(out, "%.*f", digits - exponent > 1 ? digits - exponent : 1, value);
        return;
    }
    *e = 0;
    fprintf(out, "%s%sE%d", text, digits == 0 ? ".0" : "", exponent);
}

/* How many values there are; how often the rarest, the middle and the commonest came; the mean of
 * that and its deviation. */
static void print_histogram(struct aggregating *a)
{
    uint32_t n = a->values.count;
    double sum = 0, squares = 0;

    qsort(a->values.at, n, sizeof *a->values.at, by_times);
    for (uint32_t i = 0; i < n; i++)
        sum += (double)a->values.at[i].times;
    for (uint32_t i = 0; i < n; i++) {
        double off = (double)a->values.at[i].times - sum / n;
        squares += off * off;
    }
    fprintf(a->out, "%" PRIu32 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t", n,
            a->values.at[0].times, a->values.at[n / 2].times, a->values.at[n - 1].times);
    print_double(a->out, sum / n);
    fputc('\t', a->out);
    print_double(a->out, sqrt(squares / n));
}

/* To be read by another: each value on a line of its own. */
static void print_values(const struct aggregating *a)
{
    for (uint32_t i = 0; i < a->values.count; i++) {
        fprintf(a->out, "%s\t%s", a->key, a->values.at[i].text);
        if (a->type == HISTOGRAM)
            fprintf(a->out, "\t%" PRId64, a->values.at[i].times);
        fputc('\n', a->out);
    }
}

static void print_result(struct aggregating *a)
{
    if (a->type == UNIQUE || a->type == HISTOGRAM)
        merge_values(a);
    if (a->again && (a->type == UNIQUE || a->type == HISTOGRAM)) {
        print_values(a);
        return;
    }
    fprintf(a->out, "%s\t", a->again ? a->key : strchr(a->key, ':') + 1);
    if (a->type == DOUBLE_SUM)
        print_double(a->out, a->real);
    else if (a->type == HISTOGRAM)
        print_histogram(a);
    else if (a->type == UNIQUE)
        fprintf(a->out, "%" PRIu32, a->values.count);
    else if (a->type == STRING_MAX || a->type == STRING_MIN)
        fputs(a->values.at[0].text, a->out);
    else
        fprintf(a->out, "%" PRId64, a->number);
    fputc('\n', a->out);
}

/* ---- lines ---- */

static int begin_key(struct aggregating *a, const char *key)
{
    const char *colon = strchr(key, ':');

    mem_replace(&a->key, key);
    for (int i = 0; colon && i < TYPES; i++)
        if (strlen(names[i]) == (size_t)(colon - key) &&
            strncmp(key, names[i], (size_t)(colon - key)) == 0) {
            a->type = (enum aggregate_type)i;
            return 0;
        }
    return err_set(a->err, "'%.80s' does not begin with LongValueSum: or another aggregation", key);
}

/* A failure is reported at once: what is written later would hide it, and so would its errno. */
static int end_key(struct aggregating *a)
{
    if (!a->key)
        return 0;
    print_result(a);
    return ferror(a->out) ? err_system(a->err, "standard output: %s", strerror(errno)) : 0;
}

static int take_line(struct aggregating *a, char *line)
{
    char *value = line + strcspn(line, "\t");

    if (*value)
        *value++ = 0;
    bool first = !a->key || strcmp(a->key, line) != 0;
    if (first) {
        if (end_key(a) < 0)
            return -1;
        forget(a);
        if (begin_key(a, line) < 0)
            return -1;
    }
    return take_value(a, value, first);
}

int aggregate_run(FILE *in, FILE *out, bool again, struct err *err)
{
    struct aggregating a = {.out = out, .again = again, .err = err};
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int result = 0;

    while (result == 0 && (n = getline(&line, &cap, in)) >= 0) {
        line[n - (n > 0 && line[n - 1] == '\n')] = 0;
        result = take_line(&a, line);
    }
    if (result == 0 && ferror(in))
        result = err_system(err, "standard input: %s", strerror(errno));
    if (result == 0)
        result = end_key(&a);
    if (result == 0 && fflush(out) != 0)
        result = err_system(err, "standard output: %s", strerror(errno));
    free(line);
    forget(&a);
    vec_free(&a.values);
    mem_free(a.key);
    return result;
}
