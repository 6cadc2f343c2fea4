#include "base/rng.h"

#include <math.h>

#include "tests/unit/test.h"

enum { DRAWS = 200000 };

static struct rng stream(uint64_t seed)
{
    return rng_stream(seed, RNG_TEST, 0, 0, 0, 0);
}

/* What a seed means must never change: results that people published depend on it.
 * The purpose is a plain number here because RNG_TEST moves when a purpose is added. */
TEST(rng_first_values_are_pinned)
{
    struct rng r = rng_stream(1, 13, 2, 3, 4, 5);
    expect(rng_u64(&r) == 0xd63fa107d484ae92);
    expect(rng_u64(&r) == 0x281d2cd678d59d81);
    expect(rng_u64(&r) == 0x1d5931343e111894);
    expect(rng_below(&r, 1000) == 61);
    expect(rng_unit(&r) == 0x1.9d93a81ec616dp-1);
    expect(fabs(rng_normal(&r) - -0.742157643292987) < 1e-12);
    r = rng_stream(0, 0, 0, 0, 0, 0);
    expect(rng_u64(&r) == 0x7a63e62491e4724e);
    expect(rng_u64(&r) == 0xb150c5fec1b10b80);
}

TEST(rng_stream_is_a_function_of_its_key)
{
    struct rng a = rng_stream(7, RNG_NOISE, 1, 2, 3, 4), b = rng_stream(7, RNG_NOISE, 1, 2, 3, 4);
    for (int i = 0; i < 100; i++)
        expect(rng_u64(&a) == rng_u64(&b));
}

static double correlation(struct rng a, struct rng b)
{
    double sum = 0;
    for (int i = 0; i < 10000; i++)
        sum += (rng_unit(&a) - 0.5) * (rng_unit(&b) - 0.5);
    return sum / 10000 * 12;
}

/* Keys that differ by one in one word, or have two words exchanged, are the ones that really occur.
 * One sigma is 0.01. */
TEST(rng_neighbouring_keys_are_uncorrelated)
{
    struct rng base = rng_stream(1, 2, 3, 4, 5, 6);
    const struct rng others[] = {
        rng_stream(2, 2, 3, 4, 5, 6), rng_stream(1, 3, 3, 4, 5, 6), rng_stream(1, 2, 4, 4, 5, 6),
        rng_stream(1, 2, 3, 5, 5, 6), rng_stream(1, 2, 3, 4, 6, 6), rng_stream(1, 2, 3, 4, 5, 7),
        rng_stream(2, 1, 3, 4, 5, 6), rng_stream(1, 2, 4, 3, 5, 6), rng_stream(1, 2, 3, 4, 6, 5),
        rng_stream(1, 2, 2, 5, 5, 6), rng_stream(1, 2, 3, 5, 4, 6),
    };
    expect(fabs(correlation(base, base) - 1) < 0.05);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        expect(others[i].key != base.key);
        expect(fabs(correlation(base, others[i])) < 0.05);
    }
}

/* The first draw over many keys matters more than many draws of one key: an attempt draws little.
 */
TEST(rng_first_draws_of_many_keys_are_uniform)
{
    enum { CELLS = 100 };
    for (int word = 0; word < 4; word++) {
        double cells[CELLS] = {0};
        for (uint64_t i = 0; i < DRAWS; i++) {
            uint64_t k[4] = {0};
            k[word] = i;
            struct rng r = rng_stream(42, RNG_TEST, k[0], k[1], k[2], k[3]);
            cells[rng_below(&r, CELLS)]++;
        }
        double chi = 0, mean = (double)DRAWS / CELLS;
        for (int i = 0; i < CELLS; i++)
            chi += (cells[i] - mean) * (cells[i] - mean) / mean;
        /* 99 degrees of freedom: outside these limits once in some thousand keys. */
        expect(chi > 58 && chi < 155);
    }
}

TEST(rng_below_is_uniform_and_in_range)
{
    struct rng r = stream(3);
    double cells[7] = {0};
    for (int i = 0; i < 70000; i++) {
        uint64_t v = rng_below(&r, 7);
        expect(v < 7);
        cells[v % 7]++;
    }
    double chi = 0;
    for (int i = 0; i < 7; i++)
        chi += (cells[i] - 10000) * (cells[i] - 10000) / 10000;
    expect(chi < 22.5); /* 6 degrees of freedom, 0.1 % */
    for (int i = 0; i < 100; i++)
        expect(rng_below(&r, 1) == 0);
}

/* With n = 3 * 2^62 a quarter of the draws must be rejected; if all were taken, every third value
 * would be twice as likely as the others. */
TEST(rng_below_rejects_what_would_be_unfair)
{
    struct rng r = stream(4);
    uint64_t n = UINT64_C(3) << 62;
    int thirds[3] = {0}, by_residue[3] = {0};
    for (int i = 0; i < 30000; i++) {
        uint64_t v = rng_below(&r, n);
        expect(v < n);
        thirds[v >> 62]++;
        by_residue[v % 3]++;
    }
    expect(r.counter > 39000 && r.counter < 41000);
    for (int i = 0; i < 3; i++) {
        expect(thirds[i] > 9600 && thirds[i] < 10400);
        expect(by_residue[i] > 9600 && by_residue[i] < 10400);
    }
}

TEST(rng_unit_has_the_moments_of_the_uniform)
{
    struct rng r = stream(5);
    double sum = 0, squares = 0, least = 1, most = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = rng_unit(&r);
        sum += u;
        squares += u * u;
        least = fmin(least, u);
        most = fmax(most, u);
    }
    expect(least >= 0 && most < 1);
    expect(least < 1e-4 && most > 1 - 1e-4);
    expect(fabs(sum / DRAWS - 1.0 / 2) < 0.003);
    expect(fabs(squares / DRAWS - 1.0 / 3) < 0.003);
}

TEST(rng_normal_has_the_moments_of_the_normal)
{
    struct rng r = stream(6);
    double m[5] = {0};
    int within = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = rng_normal(&r), power = 1;
        for (int k = 1; k <= 4; k++)
            m[k] += (power *= x);
        within += fabs(x) < 1.959964;
    }
    expect(r.counter == 2 * DRAWS);
    expect(fabs(m[1] / DRAWS) < 0.01);
    expect(fabs(m[2] / DRAWS - 1) < 0.015);
    expect(fabs(m[3] / DRAWS) < 0.04);
    expect(fabs(m[4] / DRAWS - 3) < 0.1);
    expect(fabs((double)within / DRAWS - 0.95) < 0.003);
}

TEST(rng_exponential_has_mean_one)
{
    struct rng r = stream(8);
    double sum = 0, squares = 0, least = 1;
    for (int i = 0; i < DRAWS; i++) {
        double x = rng_exponential(&r);
        sum += x;
        squares += x * x;
        least = fmin(least, x);
    }
    expect(least >= 0);
    expect(fabs(sum / DRAWS - 1) < 0.01);
    expect(fabs(squares / DRAWS - 2) < 0.06);
}

TEST(rng_pareto_has_the_tail_asked_for)
{
    struct rng r = stream(9);
    int above_two = 0, above_ten = 0;
    double least = 2;
    for (int i = 0; i < DRAWS; i++) {
        double x = rng_pareto(&r, 1.5);
        above_two += x > 2;
        above_ten += x > 10;
        least = fmin(least, x);
    }
    expect(least >= 1);
    expect(fabs((double)above_two / DRAWS - pow(2, -1.5)) < 0.005);
    expect(fabs((double)above_ten / DRAWS - pow(10, -1.5)) < 0.002);
}
