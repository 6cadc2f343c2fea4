#include "core/match/block_bounds.h"

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

static bool promises(const struct block_bounds *s, uint32_t i, struct fit_point most)
{
    return block_bounds_within(s, most, i - i % 64) >> i % 64 & 1;
}

/* Whoever is within is found, blocks that hold nobody are promised in vain once at most with two
 * resources, and what moves keeps its bound. */
static void against_scan(uint32_t rows)
{
    struct rng r = rng_stream(2, RNG_TEST, rows, 0, 0, 0);
    static struct fit_block blocks[BLOCKS];
    struct block_bounds s = {0};
    uint32_t in_vain = 0, kept = 0;
    memset(blocks, FIT_NOWHERE, sizeof blocks);
    block_bounds_make(&s, rows, BLOCKS);
    for (int round = 0; round < 30000; round++) {
        uint32_t i = (uint32_t)rng_below(&r, BLOCKS), slot = (uint32_t)rng_below(&r, FIT_BLOCK);
        struct fit_point p = random_point(&r, rows), most = random_point(&r, rows);
        if (rng_below(&r, 3)) {
            fit_block_put(&blocks[i], rows, slot, p);
            block_bounds_add(&s, i, p);
        } else {
            blocks[i].column[slot] = FIT_NOWHERE;
        }
        uint64_t within = scan(&blocks[i], rows, most);
        expect(fit_block_within(&blocks[i], rows, most) == within);
        expect(!within || promises(&s, i, most));
        if (!within && promises(&s, i, most)) {
            block_bounds_mend(&s, i, &blocks[i], fit_point_column(most));
            expect(rows > 1 || !promises(&s, i, most));
            in_vain++;
        }
        kept += within != 0;
    }
    expect(in_vain > 100 && kept > 100);
    struct fit_point most = {0xfefefe00 | (FIT_COLUMNS - 1)}; /* nobody's level is above it */
    memset(&blocks[7], FIT_NOWHERE, sizeof blocks[7]);
    block_bounds_renew(&s, 7, &blocks[7]);
    expect(!promises(&s, 7, most) && promises(&s, 8, most));
    block_bounds_shift(&s, 7, 1);
    expect(!promises(&s, 8, most) && promises(&s, 9, most));
    block_bounds_shift(&s, 8, -1);
    expect(!promises(&s, 7, most) && promises(&s, 8, most));
    block_bounds_fini(&s);
}

TEST(block_bounds_promise_what_a_scan_finds)
{
    against_scan(1);
    against_scan(2);
    against_scan(3);
}

/* ---- points ---- */

static bool may_fit(const struct fit_scale *s, struct res need, struct res free)
{
    struct fit_point a = fit_point_of(s, &need), b = fit_point_of(s, &free);
    bool may = fit_point_column(a) <= fit_point_column(b);
    for (uint32_t row = 0; row < s->rows; row++)
        may &= fit_point_level(a, row) <= fit_point_level(b, row);
    return may;
}

TEST(fit_point_has_a_row_for_each_further_resource)
{
    expect(block_bounds_scale(&(struct res){{8000, 16384, 0, 0}}).rows == 1);
    expect(block_bounds_scale(&(struct res){{8000, 0, 0, 0}}).rows == 1);
    expect(block_bounds_scale(&(struct res){{0, 0, 0, 0}}).rows == 1);
    expect(block_bounds_scale(&(struct res){{8000, 16384, 4, 1}}).rows == 3);
}

/* What has less than nothing of something takes nothing, not even nothing. */
TEST(fit_point_of_a_node_that_takes_nothing)
{
    struct fit_scale s = block_bounds_scale(&(struct res){{8000, 16384, 4, 0}});
    expect(!may_fit(&s, (struct res){{0, 0, 0, 0}}, (struct res){{8000, -1, 4, 0}}));
    expect(may_fit(&s, (struct res){{0, 0, 0, 0}}, (struct res){{0, 0, 0, 0}}));
    expect(!may_fit(&s, (struct res){{0, 0, 1, 0}}, (struct res){{0, 0, 0, 0}}));
}

/* Sixteen steps to a doubling: eight doublings for the first resource, sixteen for the others. */
static void around(struct rng *r, const struct res *most)
{
    struct fit_scale s = block_bounds_scale(most);
    struct res free, less, more;
    for (int k = 0; k < RES_COUNT; k++)
        free.v[k] = most->v[k] ? (int32_t)rng_below(r, (uint64_t)most->v[k] + 1) : 0;
    for (int k = 0; k < RES_COUNT; k++) {
        less.v[k] = (int32_t)rng_below(r, (uint64_t)free.v[k] + 1);
        more.v[k] = 0;
    }
    expect(may_fit(&s, less, free) && may_fit(&s, free, free));
    for (int k = 0; k < 2; k++) {
        int64_t above = (int64_t)free.v[k] + free.v[k] / 15 + 1;
        more.v[k] = above < INT32_MAX ? (int32_t)above : INT32_MAX;
        expect(above > s.top.v[k] || above <= s.top.v[k] >> (k ? 15 : 7) ||
               !may_fit(&s, more, free));
        more.v[k] = 0;
    }
}

TEST(fit_point_promises_never_less_and_little_more)
{
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int i = 0; i < 3000; i++) {
        around(&r, &(struct res){{60000, 400000, 0, 0}});
        around(&r, &(struct res){{60000, INT32_MAX, 16, INT32_MAX}});
        around(&r, &(struct res){{7, 5, 3, 0}});
    }
}

/* No point has the level of nobody, even above the top. */
TEST(fit_point_turned_is_less_where_it_was_more)
{
    struct fit_scale s = block_bounds_scale(&(struct res){{8000, 16384, 4, 0}});
    struct fit_point none = fit_point_of(&s, &(struct res){{-1, 0, 0, 0}});
    struct fit_point some = fit_point_of(&s, &(struct res){{4000, 100, 0, 0}});
    struct fit_point most = fit_point_of(&s, &(struct res){{INT32_MAX, INT32_MAX, 99, 0}});
    expect(fit_point_column(most) == FIT_COLUMNS - 1 && fit_point_column(none) == 0);
    expect(fit_point_column(fit_point_turned(most)) == 0);
    for (uint32_t row = 0; row < s.rows; row++) {
        expect(fit_point_level(some, row) < FIT_NO_LEVEL &&
               fit_point_level(most, row) < FIT_NO_LEVEL);
        expect(fit_point_level(fit_point_turned(none), row) == FIT_NO_LEVEL);
        expect(fit_point_level(fit_point_turned(some), row) >
               fit_point_level(fit_point_turned(most), row));
    }
}
