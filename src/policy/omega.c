/* omega.c - the model is in omega.h; this is its arithmetic.
 *
 * A hundred candidates are tried on the same two hundred groups of compute times: cheap (once an
 * hour), without assumptions about the shape of the curve, which has flat parts and steps, and the
 * same on every machine. Rejected: solving for the minimum, which needs a smooth P(omega) that
 * thirty gaps do not give. */
#include "policy/omega.h"

#include <math.h>

enum { DRAWS = 200 }; /* groups of compute times per candidate */

int64_t omega_of_bin(const struct omega *o, int bin, int64_t prior_us)
{
    const struct omega_bin *b = &o->bins[bin - 1];
    return b->known ? b->omega_us : prior_us;
}

void omega_saw_read(struct omega *o, int bin, int64_t took_us, bool alone)
{
    struct omega_bin *b = &o->bins[bin - 1];
    if (alone) {
        b->alone_us += (double)took_us;
        b->alone++;
    } else {
        b->shared_us += (double)took_us;
        b->shared++;
    }
}

void omega_saw_gap(struct omega *o, int bin, int64_t gap_us, bool finished)
{
    struct omega_bin *b = &o->bins[bin - 1];
    int64_t step = gap_us / OMEGA_STEP_US;
    if (step > OMEGA_STEPS)
        step = OMEGA_STEPS;
    if (finished)
        b->gap_ended[step]++;
    else
        b->gap_censored[step]++;
    b->gaps++;
}

void omega_saw_compute(struct omega *o, int bin, int64_t took_us)
{
    struct omega_bin *b = &o->bins[bin - 1];
    b->compute_us[b->computes++ % OMEGA_SAMPLES] = (float)took_us;
}

/* P(no other output within omega): product-limit, since those stopped at omega might have come
 * later. */
static double omega_missing(const struct omega_bin *b, int64_t omega_us)
{
    double at_risk = b->gaps, missing = 1;
    for (int i = 0; i < OMEGA_STEPS && (int64_t)i * OMEGA_STEP_US < omega_us && at_risk > 0; i++) {
        missing *= 1 - (double)b->gap_ended[i] / at_risk;
        at_risk -= (double)b->gap_ended[i] + (double)b->gap_censored[i];
    }
    return missing;
}

double omega_expected_us(const struct omega_bin *b, uint16_t copies, int64_t omega_us)
{
    double alone = b->alone_us / b->alone;
    double shared = b->shared ? fmax(b->shared_us / b->shared, alone) : 2 * alone;
    double w = (double)omega_us, miss = omega_missing(b, omega_us);
    double vain = w >= alone ? alone : w + (1 - w / alone) * shared;
    double first = miss * vain + (1 - miss) * alone;
    double other =
        miss * (w >= alone ? 2 * alone : vain + w) + (1 - miss) * (alone + fmin(alone, w));

    uint32_t kept = b->computes < OMEGA_SAMPLES ? b->computes : OMEGA_SAMPLES;
    double sum = 0;
    for (uint32_t d = 0; d < DRAWS; d++) {
        double least = INFINITY;
        for (uint32_t k = 0; k < copies; k++) {
            /* Which samples meet is fixed, so candidates are compared on the same draws. */
            uint64_t pick = ((uint64_t)d * copies + k) * 2654435761U >> 7;
            double compute = (double)b->compute_us[pick % kept];
            least = fmin(least, (k ? other : first) + compute);
        }
        sum += least;
    }
    return sum / DRAWS;
}

static void omega_choose(struct omega_bin *b, uint16_t copies)
{
    double best = INFINITY;
    for (int i = 0; i <= OMEGA_STEPS; i++) {
        double expected = omega_expected_us(b, copies, (int64_t)i * OMEGA_STEP_US);
        if (expected < best * (1 - 1e-9)) {
            best = expected;
            b->omega_us = (int64_t)i * OMEGA_STEP_US;
        }
    }
    b->known = true;
}

void omega_roll(struct omega *o, uint16_t copies, int64_t now_us, int64_t window_us)
{
    bool over = now_us - o->window_from_us >= window_us;
    for (int i = 0; i < OMEGA_BINS; i++) {
        struct omega_bin *b = &o->bins[i];
        bool enough = b->alone >= OMEGA_SEEN_MIN && b->gaps >= OMEGA_SEEN_MIN &&
                      b->computes >= OMEGA_SEEN_MIN;
        if (enough && (over || !b->known)) {
            omega_choose(b, copies);
            if (over) { /* the next window starts from nothing, but this choice stands until then */
                int64_t omega_us = b->omega_us;
                *b = (struct omega_bin){.omega_us = omega_us, .known = true};
            }
        }
    }
    if (over)
        o->window_from_us = now_us;
}
