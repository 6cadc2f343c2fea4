/* field.c - values of tables: found by name, read, checked against their range, or refused.
 *
 * The range in a message is printed from the same numbers that the check uses, so they cannot
 * differ. Numbers are compared as doubles: limits are below 2^53 or short decimals, and a count of
 * microseconds over a million is rounded as such a decimal is, so that is exact. */
#include "base/field.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

#define MIB (1024.0 * 1024.0)
#define US_PER_S 1e6

bool field_name_ok(const char *text)
{
    size_t length = strlen(text);
    return length >= 1 && length <= FIELD_NAME_BYTES_MAX && text[0] != '.' && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+@:-") ==
               length;
}

/* ---- names ---- */

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && *at; at += *at == ' ') {
        size_t n = strcspn(at, " ");
        if (n == length && !memcmp(at, word, n))
            return true;
        at += n;
    }
    return false;
}

const struct field *field_find(const struct field *table, const char *name)
{
    for (const struct field *f = table; f && f->name; f++)
        if (!strcmp(f->name, name) || has_word(f->alias, name))
            return f;
    return NULL;
}

const char *field_nearest(const struct field *table, const char *name)
{
    VEC(const char *) names = {0};
    for (const struct field *f = table; f->name; f++)
        if (f->help && f->name[1])
            vec_push(&names, f->name);
    const char *nearest = text_nearest(name, names.at, names.count);
    vec_free(&names);
    return nearest;
}

/* ---- what a right value looks like ---- */

static bool is_open(const struct field *f)
{
    return f->max == 0 || f->max > DBL_MAX;
}

/* In the largest unit that divides it. */
static void add_time(struct str *out, double s)
{
    static const double units[] = {1, 1e3, 1e6, 60e6, 3600e6, 86400e6};
    static const char *const names[] = {"us", "ms", "s", "m", "h", "d"};
    double us = round(s * US_PER_S);
    int i = us > 0 ? 5 : 2; /* 0s */

    while (us > 0 && (us < units[i] || fmod(us, units[i]) != 0))
        i--;
    str_addf(out, "%.15g%s", us / units[i], names[i]);
}

static void add_bytes(struct str *out, double bytes)
{
    str_add_size(out, (int64_t)bytes);
}

/* " from 1s to 1d" in the words of `add`. */
static void add_range(struct str *out, const struct field *f, void (*add)(struct str *, double))
{
    str_add(out, " from ");
    add(out, f->min);
    str_add(out, " to ");
    add(out, f->max);
}

static void add_number(struct str *out, double value)
{
    str_addf(out, "%.15g", value);
}

static void add_whole(struct str *out, double value)
{
    str_addf(out, "%.0f", value);
}

/* "a|b|c" as "a, b or c". */
static void add_choices(struct str *out, const char *choices)
{
    for (const char *from = choices;;) {
        int length = (int)strcspn(from, "|");
        str_addf(out, "%.*s", length, from);
        if (!from[length])
            return;
        from += length + 1;
        str_add(out, strchr(from, '|') ? ", " : " or ");
    }
}

void field_want(const struct field *f, struct str *out)
{
    bool open = is_open(f), whole = f->type == FIELD_INT || f->type == FIELD_COUNT;
    if (f->want) {
        str_add(out, f->want);
        return;
    }
    str_add(out, f->zero ? "0 or " : "");
    switch (f->type) {
    case FIELD_TIME:
    case FIELD_WAIT:
        str_add(out, "a time");
        if (!open)
            add_range(out, f, add_time);
        str_add(out, open ? " such as 5, 250ms or 1m" : ", such as 250ms, 5s or 2h");
        break;
    case FIELD_BYTES:
        str_add(out, "a size");
        if (!open)
            add_range(out, f, add_bytes);
        str_add(out, open ? " such as 64K or 10M" : ", such as 64M or 1G");
        break;
    case FIELD_MIB_UP:
    case FIELD_MIB_DOWN:
        str_add(out, "0 or a size from 1M to ");
        add_bytes(out, f->max * MIB);
        str_add(out, ", such as 512M or 24G");
        break;
    case FIELD_INT:
    case FIELD_COUNT:
    case FIELD_REAL:
    case FIELD_MILLI:
        str_add(out, whole ? "a whole number" : "a number");
        if (open)
            str_addf(out, ", %.15g or more", f->min);
        else
            add_range(out, f, whole ? add_whole : add_number);
        break;
    case FIELD_PERCENT:
        str_add(out, "a percentage from 0% to 100%");
        break;
    case FIELD_CHOICE:
        add_choices(out, f->choices);
        break;
    case FIELD_NAME:
        str_add(out, "a name of " FIELD_NAME_WANT);
        break;
    case FIELD_TEXT:
        if (open)
            str_add(out, "a text that is not empty");
        else
            str_addf(out, "at most %.0f byte%s", f->max, f->max == 1 ? "" : "s");
        break;
    case FIELD_LIST:
    case FIELD_FLAG:
    case FIELD_OWN:
        break;
    }
}

/* ---- values ---- */

/* A share may also be written as "5%". */
static bool parse_real(const struct field *f, const char *text, double *value)
{
    size_t length = strlen(text);
    char digits[32];

    if (f->min < 0 || f->max > 1 || length == 0 || length > sizeof digits ||
        text[length - 1] != '%')
        return text_real(text, value);
    memcpy(digits, text, length - 1);
    digits[length - 1] = '\0';
    bool fine = text_real(digits, value);
    *value /= 100;
    return fine;
}

/* The number that the text stands for, in the unit of the range; false on junk. */
static bool parse(const struct field *f, const char *text, int64_t *whole, double *value)
{
    char digits[8];
    size_t length;

    switch (f->type) {
    case FIELD_REAL:
        return parse_real(f, text, value);
    case FIELD_MILLI:
        return text_real(text, value);
    case FIELD_TIME:
    case FIELD_WAIT:
        if (!text_duration(text, whole))
            return false;
        *value = (double)*whole / US_PER_S;
        return true;
    case FIELD_MIB_UP:
    case FIELD_MIB_DOWN:
        /* Below one MiB it is nearly always a forgotten unit, and would round to 0. */
        if (!text_bytes(text, whole) || *whole < 0 || (*whole > 0 && (double)*whole < MIB))
            return false;
        *value = (double)*whole / MIB;
        *value = f->type == FIELD_MIB_UP ? ceil(*value) : floor(*value);
        return true;
    case FIELD_PERCENT:
        length = strlen(text);
        if (length == 0 || length >= sizeof digits)
            return false;
        memcpy(digits, text, length + 1);
        if (digits[length - 1] == '%')
            digits[length - 1] = 0;
        *value = 0;
        return text_int(digits, whole) && *whole >= 0 && *whole <= 100;
    default:
        if (!(f->type == FIELD_BYTES ? text_bytes : text_int)(text, whole))
            return false;
        *value = (double)*whole;
        return f->type != FIELD_COUNT || *whole <= UINT32_MAX;
    }
}

static bool in_range(const struct field *f, double value)
{
    return (value >= f->min && (is_open(f) || value <= f->max)) || (f->zero && value == 0);
}

static enum field_fault read_number(const struct field *f, const char *text, void *member)
{
    int64_t whole = 0;
    double value = 0;

    if (!parse(f, text, &whole, &value))
        return FIELD_MALFORMED;
    if (!in_range(f, value))
        return FIELD_OUTSIDE;
    if (f->type == FIELD_REAL)
        memcpy(member, &value, sizeof value);
    else if (f->type == FIELD_COUNT)
        memcpy(member, &(uint32_t){(uint32_t)whole}, sizeof(uint32_t));
    else if (f->type == FIELD_PERCENT)
        *(uint8_t *)member = (uint8_t)whole;
    else if (f->type == FIELD_MILLI || f->type == FIELD_MIB_UP || f->type == FIELD_MIB_DOWN)
        memcpy(member, &(int32_t){(int32_t)lround(f->type == FIELD_MILLI ? value * 1000 : value)},
               sizeof(int32_t));
    else
        memcpy(member, &whole, sizeof whole);
    return FIELD_FINE;
}

static enum field_fault read_time(const struct field *f, const char *text, void *member)
{
    int64_t us;

    if (!text_duration(text, &us))
        return FIELD_MALFORMED;
    if (!in_range(f, (double)us / US_PER_S))
        return FIELD_OUTSIDE;
    memcpy(member, &us, sizeof us);
    return FIELD_FINE;
}

static enum field_fault read_choice(const struct field *f, const char *text, void *member)
{
    size_t wanted = strlen(text);
    int index = 0;
    for (const char *from = f->choices;; index++) {
        size_t length = strcspn(from, "|");
        if (length == wanted && !memcmp(from, text, length)) {
            memcpy(member, &index, sizeof index);
            return FIELD_FINE;
        }
        if (!from[length])
            return FIELD_MALFORMED;
        from += length + 1;
    }
}

static enum field_fault read_wait(const struct field *f, const char *text, void *member)
{
    bool is_auto = !strcmp(text, "auto");
    int64_t value = is_auto ? FIELD_AUTO : FIELD_FOREVER;
    if (!is_auto && strcmp(text, "inf") != 0)
        return read_number(f, text, member);
    memcpy(member, &value, sizeof value);
    return FIELD_FINE;
}

enum field_fault field_read(const struct field *f, const char *text, void *member)
{
    check(f->type != FIELD_FLAG && f->type != FIELD_OWN);
    switch (f->type) {
    case FIELD_WAIT:
        return read_wait(f, text, member);
    case FIELD_CHOICE:
        return read_choice(f, text, member);
    case FIELD_LIST:
        vec_push(&((struct field_list *)member)->texts, text);
        return FIELD_FINE;
    case FIELD_NAME:
    case FIELD_TEXT:
        if (f->type == FIELD_NAME ? !field_name_ok(text) : !in_range(f, (double)strlen(text)))
            return FIELD_MALFORMED;
        memcpy(member, &text, sizeof text);
        return FIELD_FINE;
    case FIELD_TIME: /* lists of sizes have one for every task */
        return read_time(f, text, member);
    default:
        return read_number(f, text, member);
    }
}

void field_text(const struct field *f, const void *values, struct str *out)
{
    const void *at = (const char *)values + f->offset;
    if (f->type == FIELD_REAL) {
        double value;
        memcpy(&value, at, sizeof value);
        str_addf(out, "%.17g", value);
    } else if (f->type == FIELD_CHOICE) {
        int index;
        memcpy(&index, at, sizeof index);
        const char *from = f->choices;
        for (; index > 0; index--)
            from = strchr(from, '|') + 1;
        str_addf(out, "%.*s", (int)strcspn(from, "|"), from);
    } else if (f->type == FIELD_OWN) {
        f->show(at, out);
    } else if (f->type == FIELD_NAME || f->type == FIELD_TEXT) {
        const char *text;
        memcpy(&text, at, sizeof text);
        str_add(out, text);
    } else if (f->type == FIELD_COUNT) {
        uint32_t count;
        memcpy(&count, at, sizeof count);
        str_addf(out, "%u", count);
    } else if (f->type == FIELD_PERCENT) {
        str_addf(out, "%u%%", *(const uint8_t *)at);
    } else if (f->type == FIELD_MILLI || f->type == FIELD_MIB_UP || f->type == FIELD_MIB_DOWN) {
        int32_t value;
        memcpy(&value, at, sizeof value);
        if (f->type == FIELD_MILLI)
            str_add_real(out, value / 1000.0);
        else
            str_addf(out, "%dM", value);
    } else {
        int64_t value;
        memcpy(&value, at, sizeof value);
        if (f->type == FIELD_WAIT && (value == FIELD_AUTO || value == FIELD_FOREVER))
            str_add(out, value == FIELD_AUTO ? "auto" : "inf");
        else
            str_addf(out, "%lld%s", (long long)value,
                     f->type == FIELD_TIME || f->type == FIELD_WAIT ? "us" : "");
    }
}
