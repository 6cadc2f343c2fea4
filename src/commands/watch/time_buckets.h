/* time_buckets.h - how long tasks took, from their first launch to their commit, in buckets. */
#pragma once

#include <stdint.h>

#include "record/story/story_job.h"

enum { TIME_BUCKETS_BOUNDS = 11 };

/* The upper bounds of the buckets, in seconds; one more has all that is longer. */
extern const double time_buckets_bound_s[TIME_BUCKETS_BOUNDS];

/* Zero-initialise. */
struct time_buckets {
    uint64_t count[TIME_BUCKETS_BOUNDS + 1]; /* of each bucket by itself */
    double sum_s;
};

/* Adds a time. */
void time_buckets_add(struct time_buckets *t, double seconds);

/* Adds the tasks of a phase that were committed. */
void time_buckets_phase(struct time_buckets *t, const struct story_phase *p);

/* Adds all times of another. */
void time_buckets_join(struct time_buckets *t, const struct time_buckets *other);
