#include "core/match/fit_bounds.h"

#include "base/rng.h"
#include "tests/unit/test.h"

enum { BLOCKS = 150 };

static struct fit_point random_point(struct rng *r, uint32_t rows)
{
    struct fit_point p = {(uint32_t)rng_below(r, FIT_COLUMNS)};
    for (uint32_t row = 0; row < rows; row++)
        p.bytes |= (uint32_t)(1 + rng_below(r, FIT_NO_LEVEL - 1)) << (8 * row + 8);
    return p;
}

static bool is_within(struct fit_point a, struct fit_point b, uint32_t rows)
{
    bool is = fit_point_column(a) <= fit_point_column(b);
    for (uint32_t row = 0; row < rows; row++)
        is &= fit_point_level(a, row) <= fit_point_level(b, row);
    return is;
}

static uint64_t scan(const struct fit_block *b, uint32_t rows, struct fit_point most)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < FIT_BLOCK; k++)
        bits |= (uint64_t)is_within(fit_block_at(b, rows, k), most, rows) << k;
    return bits;
}

static bool promises(const struct fit_bounds *s, uint32_t i, struct fit_point most)
{
    return fit_bounds_within(s, most, i - i % 64) >> i % 64 & 1;
}

/* Whoever is within is found, blocks that hold nobody are promised in vain once at most with two
 * resources, and what moves keeps its bound. */
static void against_scan(uint32_t rows)
{
    struct rng r = rng_stream(2, RNG_TEST, rows, 0, 0, 0);
    static struct fit_block blocks[BLOCKS];
    struct fit_bounds s = {0};
    uint32_t in_vain = 0, kept = 0;
    memset(blocks, FIT_NOWHERE, sizeof blocks);
    fit_bounds_make(&s, rows, BLOCKS);
    for (int round = 0; round < 30000; round++) {
        uint32_t i = (uint32_t)rng_below(&r, BLOCKS), slot = (uint32_t)rng_below(&r, FIT_BLOCK);
        struct fit_point p = random_point(&r, rows), most = random_point(&r, rows);
        if (rng_below(&r, 3)) {
            fit_block_put(&blocks[i], rows, slot, p);
            fit_bounds_add(&s, i, p);
        } else {
            blocks[i].column[slot] = FIT_NOWHERE;
        }
        uint64_t within = scan(&blocks[i], rows, most);
        expect(fit_block_within(&blocks[i], rows, most) == within);
        expect(!within || promises(&s, i, most));
        if (!within && promises(&s, i, most)) {
            fit_bounds_mend(&s, i, &blocks[i], fit_point_column(most));
            expect(rows > 1 || !promises(&s, i, most));
            in_vain++;
        }
        kept += within != 0;
    }
    expect(in_vain > 100 && kept > 100);
    struct fit_point most = {0xfefefe00 | (FIT_COLUMNS - 1)}; /* nobody's level is above it */
    memset(&blocks[7], FIT_NOWHERE, sizeof blocks[7]);
    fit_bounds_renew(&s, 7, &blocks[7]);
    expect(!promises(&s, 7, most) && promises(&s, 8, most));
    fit_bounds_shift(&s, 7, 1);
    expect(!promises(&s, 8, most) && promises(&s, 9, most));
    fit_bounds_shift(&s, 8, -1);
    expect(!promises(&s, 7, most) && promises(&s, 8, most));
    fit_bounds_fini(&s);
}

TEST(fit_bounds_promise_what_a_scan_finds)
{
    against_scan(1);
    against_scan(2);
    against_scan(3);
}
