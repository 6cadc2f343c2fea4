/* number.c - millions of short decimals.
 *
 * Nearly all fields are a few digits, perhaps with a fraction: those are read by a loop, which is
 * many times as fast as strtod and exact. Other forms are left to base/text.h. */
#include "inputs/trace/number.h"

#include <math.h>

#include "base/text.h"

enum { DIGITS = 18, REAL_MAX = 64 };

/* sign x (whole + fraction / 10^decimals); false unless it is that simple. */
struct number_parts {
    bool negative;
    int64_t whole, fraction;
    int decimals;
};

static bool split_number(struct row_text t, struct number_parts *p)
{
    const char *at = t.at, *end = t.at + t.length;
    *p = (struct number_parts){.negative = at < end && *at == '-'};
    at += p->negative;
    const char *from = at;
    for (; at < end && *at >= '0' && *at <= '9' && at - from < DIGITS; at++)
        p->whole = p->whole * 10 + (*at - '0');
    if (at == from)
        return false;
    if (at < end && *at == '.') {
        for (at++; at < end && *at >= '0' && *at <= '9' && p->decimals < DIGITS;
             at++, p->decimals++)
            p->fraction = p->fraction * 10 + (*at - '0');
        if (p->decimals == 0)
            return false;
    }
    return at == end;
}

bool number_int(struct row_text t, int64_t *value)
{
    struct number_parts p;
    if (!split_number(t, &p) || p.fraction)
        return false;
    *value = p.negative ? -p.whole : p.whole;
    return true;
}

/* A quotient of two numbers that a double holds exactly is rounded once, as strtod rounds. */
static bool real_of(const struct number_parts *p, double *value)
{
    static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    enum { DECIMALS = sizeof tens / sizeof tens[0] };
    if (p->decimals >= DECIMALS || p->whole > 1000000)
        return false;
    *value = ((double)p->whole * tens[p->decimals] + (double)p->fraction) / tens[p->decimals];
    *value = p->negative ? -*value : *value;
    return true;
}

bool number_real(struct row_text t, double *value)
{
    char text[REAL_MAX];
    struct number_parts p;
    if (split_number(t, &p) && real_of(&p, value))
        return true;
    if (t.length == 0 || t.length >= sizeof text || memchr(t.at, 0, t.length))
        return false;
    memcpy(text, t.at, t.length);
    text[t.length] = '\0';
    return text_real(text, value);
}

bool number_time(struct row_text t, int64_t unit_us, int64_t *us)
{
    static const int64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    struct number_parts p;
    double real;
    if (split_number(t, &p) && p.decimals <= 6 && p.whole <= NUMBER_US_MAX / unit_us) {
        int64_t rest = (p.fraction * unit_us + tens[p.decimals] / 2) / tens[p.decimals];
        *us = p.whole * unit_us + rest;
        *us = p.negative ? -*us : *us;
        return *us <= NUMBER_US_MAX && *us >= -NUMBER_US_MAX;
    }
    if (!number_real(t, &real) || fabs(real) * (double)unit_us > (double)NUMBER_US_MAX)
        return false;
    *us = (int64_t)llround(real * (double)unit_us);
    return true;
}
