/* part.c - parts of arguments. */
#include "args/part.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "args/regex.h"
#include "base/mem.h"

/* ---- reading ---- */

static const struct {
    const char *text;
    enum part_kind kind;
    int32_t count; /* extensions */
    bool plus;
} plain[] = {
    {"", PART_WHOLE, 0, false},
    {".", PART_NO_EXTENSION, 1, false},
    {"/", PART_BASE, 0, false},
    {"//", PART_FOLDER, 0, false},
    {"/.", PART_BASE_NO_EXTENSION, 1, false},
    {"..", PART_NO_EXTENSION, 2, true},
    {"...", PART_NO_EXTENSION, 3, true},
    {"/..", PART_BASE_NO_EXTENSION, 2, true},
    {"/...", PART_BASE_NO_EXTENSION, 3, true},
    {"+/", PART_ONLY_FOLDER, 0, true},
    {"+.", PART_EXTENSIONS, 1, true},
    {"+..", PART_EXTENSIONS, 2, true},
    {"+...", PART_EXTENSIONS, 3, true},
};

/* Those with an expression in them, longer ones first. */
static const struct {
    const char *head;
    enum part_kind kind;
    enum part_where where;
    bool longest, upper;
} marked[] = {
    {"##", PART_STRIP, PART_START, true, false},   {"#", PART_STRIP, PART_START, false, false},
    {"%%", PART_STRIP, PART_END, true, false},     {"%", PART_STRIP, PART_END, false, false},
    {"//", PART_REPLACE, PART_EACH, false, false}, {"/#", PART_REPLACE, PART_START, false, false},
    {"/%", PART_REPLACE, PART_END, false, false},  {"/", PART_REPLACE, PART_FIRST, false, false},
    {"^^", PART_CASE, PART_EACH, false, true},     {"^", PART_CASE, PART_START, false, true},
    {",,", PART_CASE, PART_EACH, false, false},    {",", PART_CASE, PART_START, false, false},
};

static char *copy_of(const char *text, size_t length)
{
    char *copy = mem_zalloc(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

/* An expression as it must match: anywhere, or all of a text. */
static regex_t *expression(const char *text, size_t length, bool whole)
{
    struct str perl = {0};
    struct err err;
    regex_t *regex = mem_zalloc(1, sizeof *regex);

    str_addf(&perl, whole ? "^(%.*s)$" : "%.*s", (int)length, text);
    int result = regex_compile(regex, perl.text, "", &err);
    str_free(&perl);
    if (result == 0)
        return regex;
    mem_free(regex);
    return NULL;
}

static bool read_marked(const char *text, size_t length, struct part *part)
{
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        size_t head = strlen(marked[i].head);
        if (length <= head || strncmp(text, marked[i].head, head) != 0)
            continue;
        const char *from = text + head;
        size_t most = length - head;
        *part = (struct part){.kind = marked[i].kind,
                              .where = marked[i].where,
                              .longest = marked[i].longest,
                              .upper = marked[i].upper};
        if (part->kind == PART_REPLACE) {
            const char *slash = memchr(from, '/', most);
            if (!slash || slash == from)
                continue;
            part->text = copy_of(slash + 1, most - (size_t)(slash + 1 - from));
            most = (size_t)(slash - from);
        }
        bool whole = part->where == PART_START || part->where == PART_END;
        part->regex = expression(from, most, whole);
        if (part->regex)
            return true;
        part_fini(part);
        return false;
    }
    return false;
}

static bool read_colon(const char *text, size_t length, struct part *part)
{
    char digits[32], *end;

    if (length > 2 && strncmp(text, ":-", 2) == 0) {
        *part = (struct part){.kind = PART_DEFAULT, .text = copy_of(text + 2, length - 2)};
        return true;
    }
    if (length < 2 || length >= sizeof digits || !isdigit((unsigned char)text[1]))
        return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    *part = (struct part){.kind = PART_CHARACTERS, .count = -1};
    part->from = (int32_t)strtol(digits + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        part->count = (int32_t)strtol(end + 1, &end, 10);
    return !*end && part->from >= 0;
}

bool part_read(const char *text, size_t length, bool plus, struct part *part)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((plus || !plain[i].plus) && strlen(plain[i].text) == length &&
            strncmp(plain[i].text, text, length) == 0) {
            *part = (struct part){.kind = plain[i].kind, .count = plain[i].count};
            return true;
        }
    if (!plus || length == 0)
        return false;
    return *text == ':' ? read_colon(text, length, part) : read_marked(text, length, part);
}

void part_fini(struct part *part)
{
    mem_free(part->text);
    if (part->regex)
        regfree(part->regex);
    mem_free(part->regex);
    part->text = NULL;
    part->regex = NULL;
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

static void add_path(const struct part *p, const char *value, struct str *out)
{
    const char *slash = strrchr(value, '/');

    if (p->kind == PART_FOLDER) {
        size_t length = folder_length(value);
        str_add_bytes(out, length ? value : ".", length ? length : 1);
    } else if (p->kind == PART_ONLY_FOLDER) {
        str_add_bytes(out, value, slash ? (size_t)(slash - value) : 0);
    } else if (p->kind == PART_EXTENSIONS) {
        const char *from = extensions(value, p->count);
        str_add(out, *from ? from + 1 : "");
    } else {
        if (slash && (p->kind == PART_BASE || p->kind == PART_BASE_NO_EXTENSION))
            value = slash + 1;
        str_add_bytes(out, value, (size_t)(extensions(value, p->count) - value));
    }
}

/* ---- expressions ---- */

/* Where the expression matches at the start or the end: the shortest or the longest there is. */
static bool find_edge(const struct part *p, const char *value, size_t *from, size_t *to)
{
    size_t length = strlen(value);

    for (size_t i = 0; i <= length; i++) {
        size_t n = p->longest || p->kind != PART_STRIP ? length - i : i;
        *from = p->where == PART_START ? 0 : length - n;
        *to = *from + n;
        regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)n};
        if (regexec(p->regex, value + *from, 1, &match, REG_STARTEND) == 0)
            return true;
    }
    return false;
}

static bool find(const struct part *p, const char *value, size_t *from, size_t *to)
{
    regmatch_t match;

    if (p->where == PART_START || p->where == PART_END)
        return find_edge(p, value, from, to);
    if (regexec(p->regex, value, 1, &match, 0) != 0)
        return false;
    *from = (size_t)match.rm_so;
    *to = (size_t)match.rm_eo;
    return true;
}

static void add_changed(const struct part *p, const char *value, struct str *out)
{
    size_t from, to;

    while (find(p, value, &from, &to)) {
        str_add_bytes(out, value, from);
        if (p->kind == PART_REPLACE)
            str_add(out, p->text);
        for (size_t i = from; p->kind == PART_CASE && i < to; i++)
            str_addf(out, "%c",
                     p->upper ? toupper((unsigned char)value[i])
                              : tolower((unsigned char)value[i]));
        value += to;
        if (p->where != PART_EACH || !*value)
            break;
        if (to == from) /* nothing matched, so one character goes on as it is */
            str_addf(out, "%c", *value++);
    }
    str_add(out, value);
}

static void add_characters(const struct part *p, const char *value, struct str *out)
{
    size_t length = strlen(value), from = (size_t)p->from;

    if (from >= length)
        return;
    length -= from;
    if (p->count >= 0 && (size_t)p->count < length)
        length = (size_t)p->count;
    str_add_bytes(out, value + from, length);
}

void part_add(const struct part *p, const char *value, struct str *out)
{
    switch (p->kind) {
    case PART_WHOLE:
        str_add(out, value);
        return;
    case PART_DEFAULT:
        str_add(out, *value ? value : p->text);
        return;
    case PART_CHARACTERS:
        add_characters(p, value, out);
        return;
    case PART_STRIP:
    case PART_REPLACE:
    case PART_CASE:
        add_changed(p, value, out);
        return;
    default:
        add_path(p, value, out);
    }
}
