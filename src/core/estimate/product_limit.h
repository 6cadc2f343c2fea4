/* product_limit.h - how many attempts take more than twice their phase's median time per byte.
 *
 * Attempts that were stopped (mostly the losers of a race) are not healthy ones: it is only known
 * that they had not finished yet. They are censored, and the share is the product-limit
 * (Kaplan-Meier) estimate of P(time > 2 x median). Counting them as healthy would give .11-.13
 * where the truth is .20; leaving them out is as wrong, because an attempt that was stopped early
 * had a rival that was faster. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"

enum { PRODUCT_LIMIT_BINS = 80 }; /* ratios 0..2 in steps of 1/40 */

/* Zeroed at the start. */
struct product_limit {
    uint32_t ended[PRODUCT_LIMIT_BINS];    /* finished at this ratio */
    uint32_t censored[PRODUCT_LIMIT_BINS]; /* stopped at this ratio, unfinished */
    uint64_t beyond; /* still running at twice the median, however they ended */
    uint64_t known;  /* those, and all that finished: uncensored attempts */
    uint64_t count;
};

/* Adds an attempt that ended at `ratio` times the median. */
void product_limit_add(struct product_limit *l, double ratio, bool finished);

/* The ratio of an attempt that ends now; its phase must have a median. */
double product_limit_ratio(const struct world *w, const struct attempt *a, bool finished);

/* The share of stragglers; 1 as long as no attempt has finished. */
double product_limit_estimate(const struct product_limit *l);
