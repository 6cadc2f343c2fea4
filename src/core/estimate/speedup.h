/* speedup.h - the gain of copies of a task that start together: DollyMP's speedup function.
 *
 * Symbols, as in the paper (DollyMP, sections 3 and 4.1):
 *
 *     theta, sigma  mean and deviation of a task's time    r  copies, the first one included
 *     alpha         of the Pareto distribution with them   h  theta over the mean time of the
 *                                                             first of r copies to end
 *
 * A fitted alpha is 2 or more, so that no number of copies makes a task twice as fast. Every
 * function takes any alpha above 1; infinity means that all tasks take the same time. */
#pragma once

#include <stdint.h>

/* The alpha of a mean and a deviation: 1 + sqrt(1 + theta^2 / sigma^2). Infinity for deviation 0,
 * however small the mean is. */
double speedup_alpha(double mean, double dev);

/* The speedup of r >= 1 copies: h(r) = 1 + (1 - 1/r) / (alpha - 1). Infinitely many copies give
 * h(infinity). */
double speedup_of(double alpha, double copies);

/* The least r in 1..copies_max for which a task of this expected time ends within the limit,
 * limit * h(r) >= time, or 0 (Corollary 4.1). */
uint32_t speedup_copies(double alpha, double time, double limit, uint32_t copies_max);

/* The example of section 4.1: N jobs of one task each arrive at once. Job j needs 1/2^j of the
 * cluster and takes one unit of time. Sums of the times at which they are expected to end: */
struct speedup_flows {
    double together;   /* flow1: all start at once, and the free resources clone the last one */
    double one_by_one; /* flow2: the smallest first, with all copies that fit */
    double two_each;   /* flow3, at most: two copies of each, the largest job after the others */
};

/* Computes the example for this number of jobs. */
struct speedup_flows speedup_flows(double alpha, uint64_t jobs);
