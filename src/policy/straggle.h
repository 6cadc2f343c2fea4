/* straggle.h - how likely an attempt is to straggle, estimated from what was observed.
 *
 * A straggler takes more than twice its phase's median time per byte. Attempts that were killed
 * (the losers of a race, mostly) are not healthy ones: all we know is that they had not finished
 * yet. They are censored, and p is the product-limit (Kaplan-Meier) estimate of P(time > 2 x
 * median). Counting them as healthy would give .11-.13 where the truth is .20, and fewer clones
 * than needed. */
#ifndef POLICY_STRAGGLE_H
#define POLICY_STRAGGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "brain/world.h"

enum {
    STRAGGLE_BINS = 80,         /* ratios 0..2 in steps of 1/40 */
    STRAGGLE_SAMPLES_MIN = 100, /* before that, the prior */
};

/* Zeroed at the start. */
struct straggle {
    uint32_t ended[STRAGGLE_BINS];    /* finished at this ratio */
    uint32_t censored[STRAGGLE_BINS]; /* stopped at this ratio, unfinished */
    uint32_t beyond;                  /* still running at twice the median, however they ended */
    uint64_t count;
    uint64_t next_count; /* of samples, for the next estimate of the first window */
    int64_t window_from_us;
    bool settled; /* a whole window has been seen */
    bool known;
    double p;
};

/* Takes in the samples of a phase that was just measured. */
void straggle_phase(struct straggle *s, const struct phase *p, double prior, int64_t now_us,
                    int64_t window_us);

/* Takes in an attempt that ended after its phase had been measured. */
void straggle_late(struct straggle *s, const struct attempt *a, bool finished, double prior,
                   int64_t now_us, int64_t window_us);

/* The prior for a phase that has a past: it counts as much as STRAGGLE_SAMPLES_MIN attempts, those
 * of earlier runs count as what they are. */
double straggle_prior(const struct phase *p, double prior);

/* The estimate, or `prior` while there are too few samples. Within [0.001, 0.9]. */
double straggle_p(const struct straggle *s, double prior);

#endif
