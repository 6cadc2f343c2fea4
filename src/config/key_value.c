/* key_value.c - single values: read, checked against their range and stored, or refused.
 *
 * The range in a message is printed from the same numbers that the check uses, so they cannot
 * differ. Numbers are compared as doubles: every bound is below 2^53, so that is exact. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "config/key.h"

#define MIB (1024.0 * 1024.0)

bool key_name_ok(const char *text)
{
    size_t length = strlen(text);
    return length >= 1 && length <= KEY_NAME_BYTES_MAX && text[0] != '.' && text[0] != '-' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+@:-") ==
               length;
}

char *key_item(char **rest)
{
    char *item = *rest;
    if (!item)
        return NULL;
    char *comma = strchr(item, ',');
    if (comma)
        *comma++ = 0;
    *rest = comma;
    return item;
}

/* ---- ranges in words ---- */

/* Prints a number of base units in the largest unit that divides it. */
static void print_in_units(char *to, size_t room, double value, const double *units,
                           const char *const *names, int count)
{
    int i = count - 1;
    while (i > 0 && (value < units[i] || fmod(value, units[i]) != 0))
        i--;
    snprintf(to, room, "%.15g%s", value / units[i], names[i]);
}

static void print_time(char *to, size_t room, double us)
{
    static const double units[] = {1, 1e3, 1e6, 60e6, 3600e6, 86400e6};
    static const char *const names[] = {"us", "ms", "s", "m", "h", "d"};
    if (us == 0)
        snprintf(to, room, "0s");
    else
        print_in_units(to, room, us, units, names, 6);
}

static void print_bytes(char *to, size_t room, double bytes)
{
    static const double units[] = {1, 1024, MIB, 1024 * MIB, MIB * MIB};
    static const char *const names[] = {"", "K", "M", "G", "T"};
    print_in_units(to, room, bytes, units, names, 5);
}

/* What the value of a key should look like. */
static void print_want(char *to, size_t room, const struct key *k)
{
    char min[40], max[40];
    const char *zero = k->zero ? "0 or " : "";
    switch (k->type) {
    case KEY_TIME:
        print_time(min, sizeof min, k->min);
        print_time(max, sizeof max, k->max);
        snprintf(to, room, "%sa time from %s to %s, such as 250ms, 5s or 2h", zero, min, max);
        break;
    case KEY_BYTES:
        print_bytes(min, sizeof min, k->min);
        print_bytes(max, sizeof max, k->max);
        snprintf(to, room, "a size from %s to %s, such as 64M or 1G", min, max);
        break;
    case KEY_MIB_UP:
    case KEY_MIB_DOWN:
        print_bytes(max, sizeof max, k->max * MIB);
        snprintf(to, room, "0 or a size from 1M to %s, such as 512M or 24G", max);
        break;
    case KEY_COUNT:
        snprintf(to, room, "a whole number from %.0f to %.0f", k->min, k->max);
        break;
    case KEY_REAL:
    case KEY_MILLI:
        snprintf(to, room, "%sa number from %.15g to %.15g", zero, k->min, k->max);
        break;
    case KEY_PERCENT:
        snprintf(to, room, "a percentage from 0%% to 100%%");
        break;
    case KEY_NAME:
        snprintf(to, room, "a name of " KEY_NAME_WANT);
        break;
    case KEY_TEXT:
        snprintf(to, room, "at most %.0f bytes", k->max);
        break;
    case KEY_CHOICE:
        to[0] = 0;
        for (int i = 0; k->choices[i]; i++) {
            const char *comma = i == 0 ? "" : k->choices[i + 1] ? ", " : " or ";
            size_t used = strlen(to);
            snprintf(to + used, room - used, "%s%s", comma, k->choices[i]);
        }
        break;
    }
}

/* ---- values ---- */

static bool in_range(const struct key *k, double value)
{
    return (value >= k->min && value <= k->max) || (k->zero && value == 0);
}

static bool parse_int64(const struct key *k, const char *text, void *field)
{
    int64_t v;
    bool ok = k->type == KEY_TIME ? text_duration(text, &v) : text_bytes(text, &v);
    if (!ok || !in_range(k, (double)v))
        return false;
    memcpy(field, &v, sizeof v);
    return true;
}

static bool parse_count(const struct key *k, const char *text, void *field)
{
    int64_t v;
    if (!text_int(text, &v) || !in_range(k, (double)v))
        return false;
    uint32_t count = (uint32_t)v;
    memcpy(field, &count, sizeof count);
    return true;
}

static bool parse_real(const struct key *k, const char *text, void *field)
{
    double v;
    if (!text_real(text, &v) || !in_range(k, v))
        return false;
    int32_t milli = (int32_t)lround(k->type == KEY_MILLI ? v * 1000 : 0);
    if (k->type == KEY_MILLI)
        memcpy(field, &milli, sizeof milli);
    else
        memcpy(field, &v, sizeof v);
    return true;
}

/* A size below one MiB is refused: it is nearly always a forgotten unit, and would round to 0. */
static bool parse_mib(const struct key *k, const char *text, void *field)
{
    int64_t bytes;
    if (!text_bytes(text, &bytes) || bytes < 0 || (bytes > 0 && (double)bytes < MIB))
        return false;
    double mib = (double)bytes / MIB;
    mib = k->type == KEY_MIB_UP ? ceil(mib) : floor(mib);
    if (!in_range(k, mib))
        return false;
    int32_t v = (int32_t)mib;
    memcpy(field, &v, sizeof v);
    return true;
}

static bool parse_percent(char *text, void *field)
{
    size_t length = strlen(text);
    char digits[8];
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length + 1);
    if (digits[length - 1] == '%')
        digits[length - 1] = 0;
    int64_t v;
    if (!text_int(digits, &v) || v < 0 || v > 100)
        return false;
    *(uint8_t *)field = (uint8_t)v;
    return true;
}

static bool parse_choice(const struct key *k, const char *text, void *field)
{
    for (uint8_t i = 0; k->choices[i]; i++) {
        if (!strcmp(text, k->choices[i])) {
            *(uint8_t *)field = i;
            return true;
        }
    }
    return false;
}

static bool parse(const struct key *k, char *text, void *field)
{
    switch (k->type) {
    case KEY_TIME:
    case KEY_BYTES:
        return parse_int64(k, text, field);
    case KEY_COUNT:
        return parse_count(k, text, field);
    case KEY_REAL:
    case KEY_MILLI:
        return parse_real(k, text, field);
    case KEY_MIB_UP:
    case KEY_MIB_DOWN:
        return parse_mib(k, text, field);
    case KEY_PERCENT:
        return parse_percent(text, field);
    case KEY_CHOICE:
        return parse_choice(k, text, field);
    case KEY_NAME:
        if (!key_name_ok(text))
            return false;
        break;
    case KEY_TEXT:
        if ((double)strlen(text) > k->max)
            return false;
        break;
    }
    memcpy(field, &text, sizeof text);
    return true;
}

int key_value(const struct line_file *f, const struct line *line, const struct key *k,
              const char *as, char *text, void *field, struct err *err)
{
    if (!text[0])
        return line_error(f, line->number, err, "key '%s' of %s has no value; want %s=...", as,
                          line->word, as);
    if (parse(k, text, field))
        return 0;
    char want[200];
    print_want(want, sizeof want, k);
    return line_error(f, line->number, err, "%s=%s of %s is wrong; want %s", as,
                      line_quote(text).text, line->word, want);
}
