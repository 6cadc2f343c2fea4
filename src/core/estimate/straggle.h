/* straggle.h - the probability that an attempt straggles, estimated from observed attempts.
 *
 * A straggler takes more than twice its phase's median time per byte. Attempts that were killed are
 * censored (product_limit.h). Those that were killed because they were slow are not stopped at
 * random: they count with the time that they would have taken at their pace, or that they were
 * expected to take (attempt_shown_us). Backups do not count (attempt_is_fair). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"
#include "core/estimate/product_limit.h"

enum {
    STRAGGLE_SAMPLES_MIN = 100, /* below this number, the prior is used */
};

/* Zeroed at the start. */
struct straggle {
    struct product_limit seen; /* in this window */
    uint64_t next_count;       /* number of samples for the next estimate of the first window */
    int64_t window_from_us;
    bool settled; /* a whole window has been seen */
    bool known;
    double p;
};

/* Adds the samples of a phase that was just measured. */
void straggle_phase(struct straggle *s, const struct phase *p, double prior, int64_t now_us,
                    int64_t window_us);

/* Adds an attempt that ended after its phase had been measured. */
void straggle_late(struct straggle *s, const struct world *w, const struct attempt *a,
                   bool finished, double prior, int64_t window_us);

/* The prior for a phase with earlier runs: `prior` counts as much as STRAGGLE_SAMPLES_MIN attempts,
 * the attempts of earlier runs count one each. */
double straggle_prior(const struct phase *p, double prior);

/* The estimate, or `prior` while there are too few samples. Within [0.001, 0.9]. */
double straggle_p(const struct straggle *s, double prior);
