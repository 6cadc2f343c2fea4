/* chance.h - how likely an attempt of a phase is to straggle.
 *
 * Attempts of all phases have a part in it; earlier runs of the phase and its own attempts have the
 * rest. */
#pragma once

#include "core/brain/world.h"
#include "core/estimate/slowness.h"
#include "core/shepherd/bid.h"

enum { CHANCE_CURVE_PART = 20 }; /* attempts of a phase that others outweigh */
enum { CHANCE_PRIOR_WORTH = 5 }; /* attempts that the prior is worth */

/* Returns the chance where no attempt of any phase is known. */
struct bid_chance chance_prior(const struct phase *p);

/* Returns the chance by the curve and by `seen` attempts of the phase, of which `slow` straggled.
 */
struct bid_chance chance_by_curve(struct slowness *s, const struct phase *p, double healthy_s,
                                  double seen, double slow);
