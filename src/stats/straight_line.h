/* straight_line.h - the line through points with the least squares. */
#ifndef STATS_STRAIGHT_LINE_H
#define STATS_STRAIGHT_LINE_H

#include <stdint.h>

struct straight_line {
    double base, slope; /* y = base + slope x */
};

/* n > 0. Where all x are equal the slope is 0 and the base the mean. */
struct straight_line straight_line_fit(const double *x, const double *y, uint32_t n);

#endif
