/* moments.h - running mean and standard deviation of times.
 *
 * The first MOMENTS_MEMORY times count alike. From then on a new one has the weight of one among
 * MOMENTS_MEMORY, and old ones fade: slow changes are followed. */
#pragma once

#include <math.h>
#include <stdint.h>

enum { MOMENTS_MEMORY = 1000 };

struct moments {
    double mean, variance; /* variance: the mean of squared distances from the mean */
    uint32_t count;        /* up to MOMENTS_MEMORY */
};

/* Adds a time. */
static inline void moments_add(struct moments *m, double x)
{
    if (m->count < MOMENTS_MEMORY)
        m->count++;
    double weight = 1.0 / m->count, off = x - m->mean;
    m->mean += weight * off;
    m->variance = (1 - weight) * (m->variance + weight * off * off);
}

/* Adds all times of another one. */
static inline void moments_merge(struct moments *m, const struct moments *more)
{
    uint32_t count = m->count + more->count;
    if (count == 0)
        return;
    double weight = (double)more->count / count, off = more->mean - m->mean;
    m->mean += weight * off;
    m->variance =
        (1 - weight) * m->variance + weight * more->variance + weight * (1 - weight) * off * off;
    m->count = count < MOMENTS_MEMORY ? count : MOMENTS_MEMORY;
}

/* The estimated standard deviation of the population; 0 for fewer than two times. */
static inline double moments_deviation(const struct moments *m)
{
    return m->count > 1 ? sqrt(m->variance * m->count / (m->count - 1)) : 0;
}
