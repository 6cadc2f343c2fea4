/* clone_math.h - the closed forms of cloning: how many copies, and what they buy.
 *
 * Symbols, as in the paper (Dolly, NSDI'13, sections 3 and 4):
 *     p    probability that one copy straggles      n  tasks of the phase
 *     c    copies of a task, the first one included eps accepted probability that the job straggles
 * A "level" below is always the probability that the job straggles. Every function takes any p:
 * below 0 counts as 0, above 1 as 1. A phase of no tasks never straggles. NaN is a programmer
 * error. */
#ifndef CORE_ESTIMATE_CLONE_MATH_H
#define CORE_ESTIMATE_CLONE_MATH_H

#include <stdint.h>

/* The answer where no number of copies is enough (p >= 1, eps <= 0), and the largest one given: it
 * fits the ordinal of an attempt, and no budget ever admits it for a real phase. */
enum { CLONE_MATH_COPIES_MAX = 10000 };

/* Copies of each task such that task_level(n, p, c) <= eps: the least such
 * c, 1..CLONE_MATH_COPIES_MAX. 1 when p <= 0, n = 0 or eps >= 1. At equality the smaller number is
 * enough. */
uint32_t clone_math_copies(uint64_t n, double p, double eps);

/* The same for copies of the whole job: the least c with job_level(n, p, c) <= eps. */
uint32_t clone_math_job_copies(uint64_t n, double p, double eps);

/* Cloning whole jobs: every copy of the job has a straggler. c >= 1 here and below. */
double clone_math_job_level(uint64_t n, double p, uint32_t c);

/* Cloning tasks: some task has only stragglers. */
double clone_math_task_level(uint64_t n, double p, uint32_t c);

/* Two phases of n tasks, c copies each. cac: a copy upstream feeds one copy of each group
 * downstream, so slow copies upstream make copies downstream useless. cc: the first one upstream
 * feeds them all. */
double clone_math_cac(uint64_t n, double p, uint32_t c);
double clone_math_cc(uint64_t n, double p, uint32_t c);

#endif
