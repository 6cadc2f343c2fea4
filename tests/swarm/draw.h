/* draw.h - small helpers for drawing random scenarios.
 *
 * One draw per statement: C does not say in which order the arguments of a call or the parts of an
 * initialiser are worked out, and compilers differ. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

/* What the streams of a seed are for: part a of the key behind RNG_TEST. Append only. */
enum draw_part {
    DRAW_CLUSTER = 1,
    DRAW_LUCK,
    DRAW_FAULTS,
    DRAW_POLICY,
    DRAW_JOBS,
    DRAW_MEDDLER,
    DRAW_NETWORK,
    DRAW_UNITS,
    DRAW_EXPECT,
    DRAW_QUEUES,
    DRAW_OUTAGES,
    DRAW_DISKS,
    DRAW_KEEP,
    DRAW_LEAST,
    DRAW_PARTS,
    DRAW_DOUBT,
    DRAW_CAREFUL,
    DRAW_BEATS,
    DRAW_WORLD /* tests/worlds */,
    DRAW_SHEPHERD
};

static inline struct rng draw_stream(uint64_t seed, enum draw_part part, uint64_t index)
{
    return rng_stream(seed, RNG_TEST, part, index, 0, 0);
}

static inline bool draw_chance(struct rng *r, double p)
{
    return rng_unit(r) < p;
}

/* Uniform in low..high, both included. */
static inline uint32_t draw_between(struct rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)rng_below(r, (uint64_t)(high - low) + 1);
}

static inline double draw_real(struct rng *r, double low, double high)
{
    return low + (high - low) * rng_unit(r);
}

/* Every order of magnitude between low and high is equally likely; both > 0. */
static inline double draw_log(struct rng *r, double low, double high)
{
    return low * pow(high / low, rng_unit(r));
}

/* One of the texts of a table. */
#define draw_of(r, table) ((table)[rng_below((r), sizeof(table) / sizeof *(table))])
