/* The problem: the formulas as printed subtract numbers close to 1 (1 - (1-eps)^(1/n) for a million
 * tasks is all rounding error), and a ceil of a quotient of logarithms goes wrong exactly where the
 * quotient is whole: log(.01)/log(.1) must be 2, not 2.0000000000000004 rounded up to 3.
 *
 * The method: powers of numbers close to 1 go through log1p and expm1, so a small probability keeps
 * all its digits; sums are arranged so that every term is positive; and whole() forgives a quotient
 * that is above a whole number by less than rounding can explain.
 *
 * Two formulas are not as printed in the paper. CAC is summed over Psi(d) - Psi(d+1), the
 * probability that the weakest group upstream has exactly d good copies; the paper prints d-1,
 * which is negative. And CC needs no Psi: Psi(n,c,1) is (1-p^c)^n, so two phases with cc straggle
 * like one phase of 2n tasks.
 *
 * Rejected: lgamma for the binomial terms, because it writes a global variable (signgam). */
#include "core/estimate/clone_math.h"

#include <math.h>

#include "base/check.h"

static double clamp_unit(double p)
{
    check(!isnan(p));
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* 1 - (1-x)^n without loss for small x. */
static double any_of(double n, double x)
{
    if (n <= 0 || x <= 0)
        return 0;
    return x >= 1 ? 1 : -expm1(n * log1p(-x));
}

/* The least whole number >= x, taking x as whole when it is so within rounding; 1..MAX. */
static uint32_t whole(double x)
{
    double c = ceil(x - 1e-9 * fmax(1, fabs(x)));

    if (c >= CLONE_MATH_COPIES_MAX) /* infinity too */
        return CLONE_MATH_COPIES_MAX;
    return c > 1 ? (uint32_t)c : 1;
}

/* The least c with x^c <= limit, for x and limit strictly between 0 and 1. */
static uint32_t least_power(double x, double limit)
{
    return whole(log(limit) / log(x));
}

uint32_t clone_math_copies(uint64_t n, double p, double eps)
{
    check(!isnan(eps));
    p = clamp_unit(p);
    if (p <= 0 || n == 0 || eps >= 1)
        return 1;
    if (p >= 1 || eps <= 0)
        return CLONE_MATH_COPIES_MAX;
    /* What one task may contribute: 1 - (1-eps)^(1/n). */
    return least_power(p, any_of(1 / (double)n, eps));
}

uint32_t clone_math_job_copies(uint64_t n, double p, double eps)
{
    check(!isnan(eps));
    double job = any_of((double)n, clamp_unit(p));
    if (job <= 0 || eps >= 1)
        return 1;
    if (job >= 1 || eps <= 0)
        return CLONE_MATH_COPIES_MAX;
    return least_power(job, eps);
}

double clone_math_job_level(uint64_t n, double p, uint32_t c)
{
    check(c > 0);
    return pow(any_of((double)n, clamp_unit(p)), c);
}

double clone_math_task_level(uint64_t n, double p, uint32_t c)
{
    check(c > 0);
    return any_of((double)n, pow(clamp_unit(p), c));
}

/* Walks d = 1, 2, ..., c+1 and keeps the probability that a group has fewer than d good copies,
 * that is, more than c-d stragglers. Terms are built from the one of c stragglers downwards, as
 * logarithms, since p^c may be too small for a double while later terms are not. */
struct shortage {
    uint32_t c, d;
    double log_odds; /* log((1-p)/p) */
    double log_term; /* of c-d+1 stragglers */
    double sum;      /* P(good copies < d) */
};

static struct shortage shortage_of_one(double p, uint32_t c)
{
    struct shortage s = {c, 1, log1p(-p) - log(p), c * log(p), pow(p, c)};
    return s;
}

static void shortage_next(struct shortage *s)
{
    uint32_t stragglers = s->c - s->d + 1;

    /* C(c, k-1) / C(c, k) = k / (c-k+1) */
    s->log_term += log((double)stragglers / s->d) + s->log_odds;
    s->sum = s->d == s->c ? 1 : fmin(1, s->sum + exp(s->log_term));
    s->d++;
}

double clone_math_cac(uint64_t n, double p, uint32_t c)
{
    check(c > 0);
    p = clamp_unit(p);
    if (n == 0 || p <= 0)
        return 0;
    if (p >= 1)
        return 1;

    /* Psi(d) is the probability that each group upstream has at least d good copies. What we want,
     * 1 - sum D(d) (1-p^d)^n, where the D(d) = Psi(d) - Psi(d+1) sum up to Psi(1), is
     * (1 - Psi(1)) + sum D(d) (1 - (1-p^d)^n): nothing but small positive numbers. */
    struct shortage s = shortage_of_one(p, c);
    double lacking = any_of((double)n, s.sum); /* 1 - Psi(d) */
    double level = lacking;
    for (uint32_t d = 1; d <= c; d++) {
        shortage_next(&s);
        double lacking_next = any_of((double)n, s.sum);
        level += (lacking_next - lacking) * any_of((double)n, pow(p, d));
        lacking = lacking_next;
    }
    return fmin(1, level);
}

double clone_math_cc(uint64_t n, double p, uint32_t c)
{
    check(c > 0);
    return any_of(2 * (double)n, pow(clamp_unit(p), c));
}
