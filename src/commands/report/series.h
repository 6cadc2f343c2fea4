/* series.h - values over time in bounded memory: mean and maximum of a run of any length, in up to
 * SERIES_POINTS equal spans. When the run outgrows them, two spans become one. */
#pragma once

#include <stdint.h>

enum { SERIES_POINTS = 2048, SERIES_MAX = 16 };

struct series_point {
    double area; /* value x time in the span */
    double most;
};

struct series {
    uint32_t count;  /* number of series, up to SERIES_MAX */
    int64_t span_us; /* length of a span */
    int64_t now_us;  /* known until then */
    double value[SERIES_MAX];
    struct series_point points[SERIES_MAX][SERIES_POINTS];
};

/* Begins `count` series whose values are 0 at time 0. */
void series_init(struct series *s, uint32_t count);

/* Advances the time to now_us, with unchanged values. */
void series_reach(struct series *s, int64_t now_us);

/* Changes a value from now on. */
void series_set(struct series *s, uint32_t which, double value);

/* Adds an area (value x time) evenly between two times, both in the past. The maximum of the value
 * is not known: it counts as its mean. */
void series_spread(struct series *s, uint32_t which, int64_t from_us, int64_t to_us, double area);

/* Sets a series to 0 for all times. */
void series_clear(struct series *s, uint32_t which);

/* Returns the number of spans that have begun, at least 1. */
uint32_t series_spans(const struct series *s);

/* Return the mean of a span, as far as it is known, and of all spans from one to before another. */
double series_mean(const struct series *s, uint32_t which, uint32_t span);
double series_mean_of(const struct series *s, uint32_t which, uint32_t from, uint32_t to);

/* Returns the largest value of a span; of an area that was spread, its mean. */
double series_most(const struct series *s, uint32_t which, uint32_t span);

/* Returns the largest value of all spans. */
double series_peak(const struct series *s, uint32_t which);
