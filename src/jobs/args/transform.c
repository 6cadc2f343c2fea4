/* transform.c - parts of arguments, and changes to them. */
#include "jobs/args/transform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/args/regex.h"

/* ---- reading ---- */

static const struct {
    const char *text;
    enum transform_kind kind;
    int32_t count; /* extensions */
    bool plus;
} plain[] = {
    {"", TRANSFORM_WHOLE, 0, false},
    {".", TRANSFORM_NO_EXTENSION, 1, false},
    {"/", TRANSFORM_BASE, 0, false},
    {"//", TRANSFORM_FOLDER, 0, false},
    {"/.", TRANSFORM_BASE_NO_EXTENSION, 1, false},
    {"..", TRANSFORM_NO_EXTENSION, 2, true},
    {"...", TRANSFORM_NO_EXTENSION, 3, true},
    {"/..", TRANSFORM_BASE_NO_EXTENSION, 2, true},
    {"/...", TRANSFORM_BASE_NO_EXTENSION, 3, true},
    {"+/", TRANSFORM_ONLY_FOLDER, 0, true},
    {"+.", TRANSFORM_EXTENSIONS, 1, true},
    {"+..", TRANSFORM_EXTENSIONS, 2, true},
    {"+...", TRANSFORM_EXTENSIONS, 3, true},
};

/* Those with an expression in them, longer ones first. */
static const struct {
    const char *head;
    enum transform_kind kind;
    enum transform_where where;
    bool longest, upper;
} marked[] = {
    {"##", TRANSFORM_STRIP, TRANSFORM_START, true, false},
    {"#", TRANSFORM_STRIP, TRANSFORM_START, false, false},
    {"%%", TRANSFORM_STRIP, TRANSFORM_END, true, false},
    {"%", TRANSFORM_STRIP, TRANSFORM_END, false, false},
    {"//", TRANSFORM_REPLACE, TRANSFORM_EACH, false, false},
    {"/#", TRANSFORM_REPLACE, TRANSFORM_START, false, false},
    {"/%", TRANSFORM_REPLACE, TRANSFORM_END, false, false},
    {"/", TRANSFORM_REPLACE, TRANSFORM_FIRST, false, false},
    {"^^", TRANSFORM_CASE, TRANSFORM_EACH, false, true},
    {"^", TRANSFORM_CASE, TRANSFORM_START, false, true},
    {",,", TRANSFORM_CASE, TRANSFORM_EACH, false, false},
    {",", TRANSFORM_CASE, TRANSFORM_START, false, false},
};

static char *copy_of(const char *text, size_t length)
{
    char *copy = mem_zalloc(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

/* An expression as it must match: anywhere, or all of a text. */
static struct regex *expression(const char *text, size_t length, bool whole)
{
    struct str perl = {0};
    struct err err;

    str_addf(&perl, whole ? "\\A(?:%.*s)\\z" : "%.*s", (int)length, text);
    struct regex *regex = regex_compile(perl.text, "", &err);
    str_free(&perl);
    return regex;
}

static bool read_marked(const char *text, size_t length, struct transform *t)
{
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        size_t head = strlen(marked[i].head);
        if (length <= head || strncmp(text, marked[i].head, head) != 0)
            continue;
        const char *from = text + head;
        size_t most = length - head;
        *t = (struct transform){.kind = marked[i].kind,
                                .where = marked[i].where,
                                .longest = marked[i].longest,
                                .upper = marked[i].upper};
        if (t->kind == TRANSFORM_REPLACE) {
            const char *slash = memchr(from, '/', most);
            if (!slash || slash == from)
                continue;
            t->text = copy_of(slash + 1, most - (size_t)(slash + 1 - from));
            most = (size_t)(slash - from);
        }
        bool whole = t->where == TRANSFORM_START || t->where == TRANSFORM_END;
        t->regex = expression(from, most, whole);
        if (t->regex)
            return true;
        transform_fini(t);
        return false;
    }
    return false;
}

static bool read_colon(const char *text, size_t length, struct transform *t)
{
    char digits[32], *end;

    if (length > 2 && strncmp(text, ":-", 2) == 0) {
        *t = (struct transform){.kind = TRANSFORM_DEFAULT, .text = copy_of(text + 2, length - 2)};
        return true;
    }
    if (length < 2 || length >= sizeof digits || !isdigit((unsigned char)text[1]))
        return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    *t = (struct transform){.kind = TRANSFORM_CHARACTERS, .count = -1};
    t->from = (int32_t)strtol(digits + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        t->count = (int32_t)strtol(end + 1, &end, 10);
    return !*end && t->from >= 0;
}

bool transform_read(const char *text, size_t length, bool plus, struct transform *t)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((plus || !plain[i].plus) && strlen(plain[i].text) == length &&
            strncmp(plain[i].text, text, length) == 0) {
            *t = (struct transform){.kind = plain[i].kind, .count = plain[i].count};
            return true;
        }
    if (!plus || length == 0)
        return false;
    return *text == ':' ? read_colon(text, length, t) : read_marked(text, length, t);
}

void transform_fini(struct transform *t)
{
    mem_free(t->text);
    regex_free(t->regex);
    t->text = NULL;
    t->regex = NULL;
}

/* ---- paths ---- */

/* The folder of a path, as dirname(1) says it. */
static size_t folder_length(const char *value)
{
    size_t length = strlen(value);

    while (length > 1 && value[length - 1] == '/')
        length--;
    while (length > 0 && value[length - 1] != '/')
        length--;
    while (length > 1 && value[length - 1] == '/')
        length--;
    return length;
}

/* Where the last `count` extensions begin, at their dot; the end of the value if it has fewer. */
static const char *extensions(const char *value, int32_t count)
{
    const char *end = value + strlen(value), *at = end;

    for (; count > 0; count--) {
        while (at > value && at[-1] != '.' && at[-1] != '/')
            at--;
        if (at == value || at[-1] == '/')
            return end;
        at--;
    }
    return at;
}

static void add_path(const struct transform *t, const char *value, struct str *out)
{
    const char *slash = strrchr(value, '/');

    if (t->kind == TRANSFORM_FOLDER) {
        size_t length = folder_length(value);
        str_add_bytes(out, length ? value : ".", length ? length : 1);
    } else if (t->kind == TRANSFORM_ONLY_FOLDER) {
        str_add_bytes(out, value, slash ? (size_t)(slash - value) : 0);
    } else if (t->kind == TRANSFORM_EXTENSIONS) {
        const char *from = extensions(value, t->count);
        str_add(out, *from ? from + 1 : "");
    } else {
        if (slash && (t->kind == TRANSFORM_BASE || t->kind == TRANSFORM_BASE_NO_EXTENSION))
            value = slash + 1;
        str_add_bytes(out, value, (size_t)(extensions(value, t->count) - value));
    }
}

/* ---- expressions ---- */

/* Where the expression matches at the start or the end: the shortest or the longest there is. */
static bool find_edge(const struct transform *t, const char *value, size_t *from, size_t *to)
{
    size_t length = strlen(value);

    for (size_t i = 0; i <= length; i++) {
        size_t n = t->longest || t->kind != TRANSFORM_STRIP ? length - i : i;
        *from = t->where == TRANSFORM_START ? 0 : length - n;
        *to = *from + n;
        struct regex_span all;
        if (regex_find(t->regex, value + *from, n, 0, &all, NULL))
            return true;
    }
    return false;
}

static bool find(const struct transform *t, const char *value, size_t *from, size_t *to)
{
    struct regex_span all;

    if (t->where == TRANSFORM_START || t->where == TRANSFORM_END)
        return find_edge(t, value, from, to);
    if (!regex_find(t->regex, value, strlen(value), 0, &all, NULL))
        return false;
    *from = all.from;
    *to = all.to;
    return true;
}

static void add_changed(const struct transform *t, const char *value, struct str *out)
{
    size_t from, to;

    while (find(t, value, &from, &to)) {
        str_add_bytes(out, value, from);
        if (t->kind == TRANSFORM_REPLACE)
            str_add(out, t->text);
        for (size_t i = from; t->kind == TRANSFORM_CASE && i < to; i++)
            str_addf(out, "%c",
                     t->upper ? toupper((unsigned char)value[i])
                              : tolower((unsigned char)value[i]));
        value += to;
        if (t->where != TRANSFORM_EACH || !*value)
            break;
        if (to == from) /* nothing matched, so one character goes on as it is */
            str_addf(out, "%c", *value++);
    }
    str_add(out, value);
}

static void add_characters(const struct transform *t, const char *value, struct str *out)
{
    size_t length = strlen(value), from = (size_t)t->from;

    if (from >= length)
        return;
    length -= from;
    if (t->count >= 0 && (size_t)t->count < length)
        length = (size_t)t->count;
    str_add_bytes(out, value + from, length);
}

void transform_add(const struct transform *t, const char *value, struct str *out)
{
    switch (t->kind) {
    case TRANSFORM_WHOLE:
        str_add(out, value);
        return;
    case TRANSFORM_DEFAULT:
        str_add(out, *value ? value : t->text);
        return;
    case TRANSFORM_CHARACTERS:
        add_characters(t, value, out);
        return;
    case TRANSFORM_STRIP:
    case TRANSFORM_REPLACE:
    case TRANSFORM_CASE:
        add_changed(t, value, out);
        return;
    default:
        add_path(t, value, out);
    }
}
