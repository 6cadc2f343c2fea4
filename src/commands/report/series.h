/* series.h - values over time in bounded memory: what a run of any length had, and at most how
 * much, in up to SERIES_POINTS equal spans. When the run outgrows them, two spans become one. */
#ifndef COMMANDS_REPORT_SERIES_H
#define COMMANDS_REPORT_SERIES_H

#include <stdint.h>

enum { SERIES_POINTS = 2048, SERIES_MAX = 16 };

struct series_point {
    double area; /* value x time in the span */
    double most;
};

struct series {
    uint32_t count;  /* of series, up to SERIES_MAX */
    int64_t span_us; /* length of a span */
    int64_t now_us;  /* known until then */
    double value[SERIES_MAX];
    struct series_point points[SERIES_MAX][SERIES_POINTS];
};

/* All values are 0 at time 0. */
void series_init(struct series *s, uint32_t count);

/* The time goes on to now_us, with the values as they are. */
void series_reach(struct series *s, int64_t now_us);

/* A value is another one from now on. */
void series_set(struct series *s, uint32_t which, double value);

/* So much of it, value x time, was there from one time to another, neither of them to come. Nobody
 * knows how large the value was at most: it counts as its mean. */
void series_spread(struct series *s, uint32_t which, int64_t from_us, int64_t to_us, double area);

/* It was 0 all the time. */
void series_clear(struct series *s, uint32_t which);

/* How many spans have begun, at least 1. */
uint32_t series_spans(const struct series *s);

/* The mean of a span, as far as it is known. */
double series_mean(const struct series *s, uint32_t which, uint32_t span);

/* The largest value of a span: of what was spread, its mean. */
double series_most(const struct series *s, uint32_t which, uint32_t span);

/* And of all spans. */
double series_peak(const struct series *s, uint32_t which);

#endif
