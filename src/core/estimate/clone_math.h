/* clone_math.h - the closed forms of cloning: the number of copies, and their gain.
 *
 * Symbols, as in the paper (Dolly, NSDI'13, sections 3 and 4):
 *
 *     p    probability that one copy straggles      n  tasks of the phase
 *     c    copies of a task, the first one included eps accepted probability that the job straggles
 *
 * A "level" below is always the probability that the job straggles. Every function takes any p:
 * below 0 counts as 0, above 1 as 1. A phase of no tasks never straggles. NaN is a programmer
 * error. */
#pragma once

#include <stdint.h>

/* The result if no number of copies is enough (p >= 1, eps <= 0), and the largest result: it fits
 * the ordinal of an attempt, and no budget ever admits it for a real phase. */
enum { CLONE_MATH_COPIES_MAX = 10000 };

/* The least number of copies c of each task, 1..CLONE_MATH_COPIES_MAX, with task_level(n, p, c) <=
 * eps. 1 when p <= 0, n = 0 or eps >= 1. At equality the smaller number is enough. */
uint32_t clone_math_copies(uint64_t n, double p, double eps);

/* The least number of copies c of the whole job with job_level(n, p, c) <= eps. */
uint32_t clone_math_job_copies(uint64_t n, double p, double eps);

/* The level if whole jobs are cloned: every copy of the job has a straggler. c >= 1 here and
 * below. */
double clone_math_job_level(uint64_t n, double p, uint32_t c);

/* The level if tasks are cloned: for some task, all copies straggle. */
double clone_math_task_level(uint64_t n, double p, uint32_t c);

/* The level of two phases of n tasks, c copies each, with contention avoidance: a copy upstream
 * feeds one copy of each group downstream, so slow copies upstream make copies downstream
 * useless. */
double clone_math_cac(uint64_t n, double p, uint32_t c);
/* The level of the same phases with contention cloning: the first copy upstream feeds all copies
 * downstream. */
double clone_math_cc(uint64_t n, double p, uint32_t c);
