/* text.c - reading text that people wrote.
 *
 * The C library's parsers are too friendly for input that must be right: they skip blanks, accept
 * "0x10", "inf" and "nan", stop at the first odd character and wrap or saturate silently. Here the
 * whole string is the number or it is refused. Times and sizes are computed in integers, so that
 * "0.1s" is 100000 us exactly and a large count of microseconds loses nothing to a double. */
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

enum { DIGITS_SAFE = 18 }; /* as many always fit into an int64_t */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool text_int(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    if (negative)
        text++;
    if (!is_digit(*text))
        return false;
    int64_t sum = 0; /* of negative digits, because that side reaches further */
    for (; is_digit(*text); text++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *text - '0', &sum))
            return false;
    if (*text || (!negative && sum == INT64_MIN))
        return false;
    *value = negative ? sum : -sum;
    return true;
}

bool text_real(const char *text, double *value)
{
    /* Only what a decimal number is made of: no blanks, no hexadecimal, no words, no leading +. */
    if (!*text || *text == '+' || text[strspn(text, "0123456789.eE+-")])
        return false;
    char *end;
    double read = strtod(text, &end);
    if (*end || !isfinite(read))
        return false;
    *value = read;
    return true;
}

/* A decimal number without sign or exponent at the start of *text; leaves *text behind it. The
 * value is (whole + fraction / parts). */
struct decimal {
    int64_t whole;
    uint64_t fraction, parts;
};

static bool decimal_read(const char **text, struct decimal *d)
{
    const char *at = *text;
    int64_t whole = 0;
    if (!is_digit(at[*at == '.']))
        return false;
    for (const char *safe = at + DIGITS_SAFE; at < safe && is_digit(*at); at++)
        whole = whole * 10 + (*at - '0');
    for (; is_digit(*at); at++)
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, *at - '0', &whole))
            return false;
    *d = (struct decimal){.whole = whole, .parts = 1};
    if (*at == '.') {
        at++;
        if (!is_digit(*at))
            return false;
        for (; is_digit(*at); at++) {
            if (d->parts == UINT64_C(1000000000000000000))
                continue; /* digits too small to matter */
            d->fraction = d->fraction * 10 + (uint64_t)(*at - '0');
            d->parts *= 10;
        }
    }
    *text = at;
    return true;
}

/* The number times `unit`, rounded to the nearest integer (halves up). */
static bool decimal_scale(const struct decimal *d, int64_t unit, int64_t *value)
{
    int64_t sum, part = 0;
    if (d->fraction) { /* a wide division is slow */
        uint64_t high, low = wide_product(d->fraction, (uint64_t)unit, &high);
        high += __builtin_add_overflow(low, d->parts / 2, &low);
        part = (int64_t)wide_quotient(high, low, d->parts);
    }
    if (__builtin_mul_overflow(d->whole, unit, &sum) || __builtin_add_overflow(sum, part, &sum))
        return false;
    *value = sum;
    return true;
}

bool text_percent(const char *text, double *value, bool *percent)
{
    char digits[32];
    size_t length = strlen(text);

    *percent = length > 0 && text[length - 1] == '%';
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length + 1);
    if (*percent)
        digits[length - 1] = 0;
    return text_real(digits, value);
}

bool text_duration(const char *text, int64_t *us)
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {
        {"", 1000000},   {"us", 1},         {"ms", 1000},       {"s", 1000000},
        {"m", 60000000}, {"h", 3600000000}, {"d", 86400000000},
    };
    struct decimal d;
    if (!decimal_read(&text, &d))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(text, units[i].name))
            return decimal_scale(&d, units[i].us, us);
    return false;
}

bool text_bytes(const char *text, int64_t *bytes)
{
    static const char prefixes[] = "KMGT";
    struct decimal d;
    if (!decimal_read(&text, &d))
        return false;
    int64_t unit = 1;
    const char *prefix = *text ? strchr(prefixes, *text) : NULL;
    if (prefix) {
        unit = INT64_C(1) << (10 * (prefix - prefixes + 1));
        text++;
    }
    if (*text && strcmp(text, "B") && !(prefix && !strcmp(text, "iB")))
        return false;
    return decimal_scale(&d, unit, bytes);
}

enum { NAME_MAX_LENGTH = 64 }; /* longer names get no suggestion */

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters to insert, delete, replace or swap with their neighbour to make b from a (no
 * letter twice). Both are at most NAME_MAX_LENGTH long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = min_of(best, above[j] + 1);
            best = min_of(best, row[j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = min_of(best, before[j - 2] + 1);
            row[j] = best;
        }
    }
    return row[b_length];
}

static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

const char *text_nearest(const char *name, const char *const *candidates, size_t count)
{
    size_t length = strlen(name);
    if (length > NAME_MAX_LENGTH)
        return NULL;
    /* About a third of the letters may be wrong; beyond three it is a guess, not a slip. */
    size_t allowed = length < 6 ? 1 : min_of(length / 3, 3);
    const char *nearest = NULL;
    size_t best = allowed + 1, best_alike = 0;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other > NAME_MAX_LENGTH)
            continue;
        size_t distance = edit_distance(name, length, candidates[i], other);
        size_t alike = common_prefix(name, candidates[i]); /* people seldom begin with a slip */
        bool nearer = distance < best || (nearest && distance == best && alike > best_alike);
        /* Where every letter is wrong, the names have nothing in common. */
        if (nearer && distance < (length > other ? length : other)) {
            best = distance;
            best_alike = alike;
            nearest = candidates[i];
        }
    }
    return nearest;
}

/* Is this one of the characters that turn the direction of all that follows, U+202A to U+202E and
 * U+2066 to U+2069? */
static bool turns(const unsigned char *c)
{
    return c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
                            (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

char *text_tame(char *text)
{
    enum { ABOVE = 0xc2 }; /* in UTF-8 the control characters 0x80 to 0x9f come behind this byte */

    for (unsigned char *c = (unsigned char *)text; c && *c; c++) {
        if (*c < ' ' || *c == 127)
            *c = '?';
        else if (*c == ABOVE && c[1] >= 0x80 && c[1] <= 0x9f)
            *c = c[1] = '?';
        else if (turns(c))
            c[0] = c[1] = c[2] = '?';
    }
    return text;
}
