/* series.h - values over time in bounded memory: what a run of any length had, and at most how
 * much, in up to SERIES_POINTS equal spans. When the run outgrows them, two spans become one. */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

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

/* How many spans have begun, at least 1. */
uint32_t series_spans(const struct series *s);

/* The mean of a span, as far as it is known. */
double series_mean(const struct series *s, uint32_t which, uint32_t span);

#endif
