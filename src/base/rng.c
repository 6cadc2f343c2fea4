#include "base/rng.h"

#include <math.h>

#include "base/check.h"
#include "base/wide.h"

/* The odd number nearest to 2^64 / golden ratio: its multiples are spread evenly. */
#define GOLDEN 0x9e3779b97f4a7c15u

/* A bijection of 64 bits in which every input bit moves every output bit about half of the time:
 * the finaliser of splitmix64. */
static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Each word is mixed together with its position before it meets the others, so that (1, 2) and
 * (2, 1), or (0, 3) and (1, 2), have nothing in common. */
static inline uint64_t fold(uint64_t key, uint64_t position, uint64_t word)
{
    return mix(key ^ mix(word + position * GOLDEN));
}

uint64_t rng_trunk(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b)
{
    uint64_t key = mix(seed + GOLDEN);
    key = fold(key, 2, purpose);
    key = fold(key, 3, a);
    return fold(key, 4, b);
}

struct rng rng_branch(uint64_t trunk, uint64_t c, uint64_t d)
{
    return (struct rng){.key = fold(fold(trunk, 5, c), 6, d)};
}

struct rng rng_stream(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b, uint64_t c,
                      uint64_t d)
{
    return rng_branch(rng_trunk(seed, purpose, a, b), c, d);
}

uint64_t rng_u64(struct rng *r)
{
    r->counter++;
    return mix(r->key + r->counter * GOLDEN);
}

double rng_unit(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
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
