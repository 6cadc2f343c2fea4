/* series.c - see series.h. Areas, not means, are kept: they add up when two spans become one. */
#include "commands/report/series.h"

#include <string.h>

#include "base/check.h"

void series_init(struct series *s, uint32_t count)
{
    check(count <= SERIES_MAX);
    memset(s, 0, sizeof *s);
    s->count = count;
    s->span_us = 1000;
}

static void halve(struct series *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        struct series_point *p = s->points[k];
        for (uint32_t i = 0; i < SERIES_POINTS / 2; i++) {
            double a = p[2 * i].most, b = p[2 * i + 1].most;
            p[i] = (struct series_point){p[2 * i].area + p[2 * i + 1].area, a > b ? a : b};
        }
        memset(p + SERIES_POINTS / 2, 0, SERIES_POINTS / 2 * sizeof *p);
    }
    s->span_us *= 2;
}

void series_reach(struct series *s, int64_t now_us)
{
    while (now_us / s->span_us >= SERIES_POINTS)
        halve(s);
    while (s->now_us < now_us) {
        int64_t span = s->now_us / s->span_us, end_us = (span + 1) * s->span_us;
        if (end_us > now_us)
            end_us = now_us;
        for (uint32_t k = 0; k < s->count; k++) {
            struct series_point *p = &s->points[k][span];
            p->area += s->value[k] * (double)(end_us - s->now_us);
            if (s->value[k] > p->most)
                p->most = s->value[k];
        }
        s->now_us = end_us;
    }
}

void series_set(struct series *s, uint32_t which, double value)
{
    s->value[which] = value;
}

void series_spread(struct series *s, uint32_t which, int64_t from_us, int64_t to_us, double area)
{
    if (from_us < 0 || to_us > s->now_us || to_us <= from_us)
        return;
    double value = area / (double)(to_us - from_us);
    while (from_us < to_us) {
        int64_t span = from_us / s->span_us, end_us = (span + 1) * s->span_us;
        if (end_us > to_us)
            end_us = to_us;
        s->points[which][span].area += value * (double)(end_us - from_us);
        from_us = end_us;
    }
}

void series_clear(struct series *s, uint32_t which)
{
    s->value[which] = 0;
    memset(s->points[which], 0, sizeof s->points[which]);
}

uint32_t series_spans(const struct series *s)
{
    return s->now_us == 0 ? 1 : (uint32_t)((s->now_us - 1) / s->span_us) + 1;
}

double series_mean_of(const struct series *s, uint32_t which, uint32_t from, uint32_t to)
{
    double area = 0;
    int64_t end_us = (int64_t)to * s->span_us;

    for (uint32_t i = from; i < to; i++)
        area += s->points[which][i].area;
    int64_t length_us = (end_us < s->now_us ? end_us : s->now_us) - (int64_t)from * s->span_us;
    return length_us > 0 ? area / (double)length_us : s->value[which];
}

double series_mean(const struct series *s, uint32_t which, uint32_t span)
{
    return series_mean_of(s, which, span, span + 1);
}

double series_most(const struct series *s, uint32_t which, uint32_t span)
{
    double mean = series_mean(s, which, span), most = s->points[which][span].most;
    return mean > most ? mean : most;
}

double series_peak(const struct series *s, uint32_t which)
{
    double peak = 0;

    for (uint32_t i = 0; i < series_spans(s); i++)
        peak = series_most(s, which, i) > peak ? series_most(s, which, i) : peak;
    return peak;
}
