/* slowness.h - how much longer attempts take than healthy ones: censored curves of time over
 * healthy time.
 *
 * A stall of 42 s is eight times the healthy time of a short task and a tenth of that of a long
 * one. So there is a curve for each factor of four in healthy time, and one of all attempts for the
 * scales of which little was seen. Attempts that were stopped are censored at their age: product
 * limit (Kaplan-Meier). Old attempts fade. */
#pragma once

#include <stdbool.h>

enum { SLOWNESS_PER_OCTAVE = 8, SLOWNESS_OCTAVES = 10, SLOWNESS_SCALES = 24 };
enum { SLOWNESS_BINS = SLOWNESS_PER_OCTAVE * SLOWNESS_OCTAVES }; /* ratios 1/8 .. 128 */

/* Attempts that ended before a curve is believed, and at which it fades by half. */
enum { SLOWNESS_KNOWN_MIN = 30, SLOWNESS_KNOWN_MAX = 4000 };

#define SLOWNESS_PRIOR 0.1 /* the chance to straggle until it is known */

struct slowness_curve {
    float ended[SLOWNESS_BINS], censored[SLOWNESS_BINS];
    float count;                      /* of all of them ... */
    float known;                      /* ... and of those that ended */
    bool fresh;                       /* the two below follow from the above */
    float survive[SLOWNESS_BINS + 1]; /* P(ratio > the bin's lower end) */
    float beyond[SLOWNESS_BINS + 1];  /* its integral from there on */
};

/* Zeroed at the start. */
struct slowness {
    struct slowness_curve at[SLOWNESS_SCALES + 1]; /* the last one: of all scales */
};

/* Adds an attempt whose healthy time is `healthy_s` and that ended at `ratio` times that or, if it
 * has not finished, was stopped then. */
void slowness_add(struct slowness *s, double healthy_s, double ratio, bool finished);

/* Returns the number of attempts that ended, of the curve for that time. */
double slowness_known(const struct slowness *s, double healthy_s);

/* Returns P(ratio > x), mixed with the prior while little is known. */
double slowness_chance(struct slowness *s, double healthy_s, double x);

/* Returns the expected rest, as a ratio, of an attempt that has reached x. While little is known,
 * and beyond the last ratio at which any attempt ended: as long again as it has run. */
double slowness_rest(struct slowness *s, double healthy_s, double x);
