#include "base/rng.h"

#include <math.h>

#include "base/check.h"
#include "base/wide.h"

uint64_t rng_trunk(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b)
{
    uint64_t key = rng_mix(seed + RNG_GOLDEN);
    key = rng_fold(key, 2, purpose);
    key = rng_fold(key, 3, a);
    return rng_fold(key, 4, b);
}

struct rng rng_stream(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b, uint64_t c,
                      uint64_t d)
{
    return rng_branch(rng_trunk(seed, purpose, a, b), c, d);
}

/* The high half of bits * n is uniform but for the lowest 2^64 mod n values of the low half, which
 * are drawn again. That division is only paid when the low half is small. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    check(n > 0);
    uint64_t high, low = wide_product(rng_u64(r), n, &high);
    if (low < n) {
        uint64_t unfair = (0 - n) % n;
        while (low < unfair)
            low = wide_product(rng_u64(r), n, &high);
    }
    return high;
}

/* Box and Muller's way, of which only one of the two numbers is used: always two draws and nothing
 * remembered, so that a stream's position never depends on the values drawn. */
double rng_normal(struct rng *r)
{
    double radius = sqrt(2 * rng_exponential(r));
    return radius * cos(6.283185307179586 * rng_unit(r));
}

double rng_exponential(struct rng *r)
{
    return -log1p(-rng_unit(r));
}

double rng_pareto(struct rng *r, double shape)
{
    check(shape > 0);
    return pow(1 - rng_unit(r), -1 / shape);
}
