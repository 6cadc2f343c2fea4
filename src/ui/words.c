/* words.c - a number that is not exact is cut to what people can use, and one that is exact
 * is said in full without zeros that mean nothing. */
#include "ui/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Cuts zeros behind the point, and the point. */
static void trim(char *text)
{
    size_t n = strlen(text);
    if (!strchr(text, '.') || strchr(text, 'e'))
        return;
    while (text[n - 1] == '0')
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[n - 1] = '\0';
}

static struct words with_unit(double value, int decimals, const char *unit)
{
    struct words w;
    char number[32];
    snprintf(number, sizeof number, "%.*f", decimals, value);
    trim(number);
    snprintf(w.text, sizeof w.text, "%s %s", strcmp(number, "-0") == 0 ? "0" : number, unit);
    return w;
}

struct words words_seconds(double s)
{
    if (!isfinite(s) || fabs(s) >= 1e15)
        return (struct words){"an unknown time"};
    if (fabs(s) >= 0.00005 && fabs(s) < 0.0005)
        return with_unit(s * 1000, 1, "ms");
    return with_unit(s, fabs(s) < 100 ? 3 : 1, "s");
}

struct words words_brief(int64_t us)
{
    struct words w;

    if (us >= INT64_C(600000000))
        return words_span(us);
    snprintf(w.text, sizeof w.text, "%.40s s", words_number((double)us / 1e6, 3).text);
    return w;
}

struct words words_time(int64_t us)
{
    return words_seconds((double)us / 1e6);
}

struct words words_span(int64_t us)
{
    struct words w;
    int64_t minutes = us / 60000000;
    if (minutes < 10)
        return words_time(us);
    if (minutes < 60)
        snprintf(w.text, sizeof w.text, "%" PRId64 " min", minutes);
    else
        snprintf(w.text, sizeof w.text, "%" PRId64 " h %" PRId64 " min", minutes / 60,
                 minutes % 60);
    return w;
}

struct words words_count(uint64_t n, const char *noun)
{
    struct words w;
    snprintf(w.text, sizeof w.text, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
    return w;
}

static struct words with_verb(uint64_t n, const char *noun, const char *verb)
{
    struct words w;
    snprintf(w.text, sizeof w.text, "%" PRIu64 " %s%s %s", n, noun, n == 1 ? "" : "s", verb);
    return w;
}

struct words words_counted(double n, const char *noun)
{
    struct words w;

    if (n >= 0 && n < 1e18)
        return words_count((uint64_t)n, noun);
    snprintf(w.text, sizeof w.text, "%.3g %ss", n, noun);
    return w;
}

struct words words_were(uint64_t n, const char *noun)
{
    return with_verb(n, noun, n == 1 ? "was" : "were");
}

struct words words_are(uint64_t n, const char *noun)
{
    return with_verb(n, noun, n == 1 ? "is" : "are");
}

struct words words_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; unit < 4 && fabs(bytes) >= 1024; unit++)
        bytes /= 1024;
    return with_unit(bytes, fabs(bytes) < 10 ? 1 : 0, units[unit]);
}

struct words words_share(double share)
{
    return with_unit(share * 100, share < 0.1 ? 1 : 0, "%");
}

struct words words_number(double value, int digits)
{
    struct words w;
    if (fabs(value) < 1e6 && value == floor(value))
        digits = 7; /* whole numbers are said in full */
    if (fabs(value) >= pow(10, digits) && fabs(value) < 1e15)
        value = round(value), digits = 16; /* and no number in powers of ten */
    snprintf(w.text, sizeof w.text, "%.*g", digits, value);
    return w;
}

struct words words_guess(int64_t us, int64_t range_us)
{
    enum { SPELT_US = 600 * 1000000 }; /* in hours and minutes */
    int digits = 3, least = us < 100000 ? 3 : us < 1000000 ? 2 : us < 10000000 ? 1 : 0;
    if (us >= SPELT_US || range_us <= 0)
        return words_span(us);
    for (int64_t step_us = 10000; digits > least && range_us >= step_us; step_us *= 10)
        digits--;
    struct words w;
    snprintf(w.text, sizeof w.text, "%.*f s", digits, (double)us / 1e6);
    return w;
}

struct words_saved words_saved(const struct story_difference *d, bool unsure)
{
    enum { LEAST_US = 1000 }; /* what is less may come from the order of two answers */
    int64_t range_us = d->high_saved_us - d->low_saved_us;
    struct words_saved w = {.is_known = (unsure ? d->low_saved_us : d->pace_saved_us) >= LEAST_US};
    if (unsure)
        snprintf(w.text, sizeof w.text, "at least %s", words_guess(d->low_saved_us, range_us).text);
    else if (range_us <= 0)
        snprintf(w.text, sizeof w.text, "%s", words_span(d->pace_saved_us).text);
    else
        snprintf(w.text, sizeof w.text, "about %s (%s to %s)",
                 words_guess(d->pace_saved_us, range_us).text,
                 words_guess(d->low_saved_us, range_us).text,
                 words_guess(d->high_saved_us, range_us).text);
    return w;
}

double words_reason_number(const struct reason *r, const char *name)
{
    for (uint8_t i = 0; i < r->count; i++)
        if (strcmp(reason_number_name(r->code, i), name) == 0)
            return r->num[i];
    return NAN;
}
