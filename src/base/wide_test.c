/* The way that machines without integers of 128 bits take is tested on all. */
#define WIDE_BY_HALVES
#include "base/wide.h"

#include "base/rng.h"
#include "tests/unit/test.h"

static struct wide wide(int64_t high, uint64_t low)
{
    return (struct wide){low, high};
}

static bool is(struct wide a, int64_t high, uint64_t low)
{
    return a.high == high && a.low == low;
}

TEST(wide_product_has_both_halves)
{
    uint64_t high;
    expect(wide_product(UINT64_MAX, UINT64_MAX, &high) == 1 && high == UINT64_MAX - 1);
    expect(wide_product(UINT64_C(1) << 63, 6, &high) == 0 && high == 3);
    expect(wide_product(0x1ffffffff, 0x1ffffffff, &high) == 0xfffffffc00000001 && high == 3);
    expect(wide_product(7, 6, &high) == 42 && high == 0);
    expect(wide_product(0xffffffff, UINT64_MAX, &high) == 0xffffffff00000001 && high == 0xfffffffe);
}

TEST(wide_quotient_undoes_a_product)
{
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t a = rng_u64(&r) >> i % 64, b = (rng_u64(&r) >> i % 63) + 1, high;
        uint64_t low = wide_product(a, b, &high), rest = rng_below(&r, b);
        high += __builtin_add_overflow(low, rest, &low);
        expect(wide_quotient(high, low, b) == a);
    }
}

TEST(wide_times_has_the_sign_of_both)
{
    expect(is(wide_times(-3, 5), -1, (uint64_t)-15));
    expect(is(wide_times(-3, -5), 0, 15));
    expect(is(wide_times(INT64_MIN, INT64_MIN), INT64_C(1) << 62, 0));
    expect(is(wide_times(INT64_MIN, 2), -1, 0));
    expect(is(wide_times(INT64_MAX, -2), -1, 2));
    expect(is(wide_times(0, -5), 0, 0));
}

TEST(wide_sums_carry)
{
    struct wide sum = wide(0, UINT64_MAX);
    wide_charge(&sum, 1, 1);
    expect(is(sum, 1, 0));
    wide_charge(&sum, -1, 1);
    expect(is(sum, 0, UINT64_MAX));
    wide_add(&sum, wide(-1, 0));
    expect(is(sum, -1, UINT64_MAX));
    expect(is(wide_minus(sum), 0, 1));
    expect(is(wide_minus(wide(1, 0)), -1, 0));
    expect(is(wide_scale(wide(-1, UINT64_MAX - 2), 1000), -1, (uint64_t)-3000));
    expect(is(wide_scale(wide(0, UINT64_C(1) << 63), 1000), 500, 0));
}

TEST(wide_double_is_the_nearest)
{
    expect(wide_double(wide(0, 0)) == 0);
    expect(wide_double(wide(-1, UINT64_MAX)) == -1);
    expect(wide_double(wide(0, UINT64_MAX)) == 0x1p64);
    expect(wide_double(wide(0, (UINT64_C(1) << 63) + 1024)) == 0x1p63);
    expect(wide_double(wide(0, (UINT64_C(1) << 63) + 1025)) == 0x1.0000000000001p63);
    expect(wide_double(wide(1, 0)) == 0x1p64);
    expect(wide_double(wide(1 << 20, UINT64_C(1) << 31)) == 0x1p84);
    expect(wide_double(wide(1 << 20, (UINT64_C(1) << 31) + 1)) == 0x1.0000000000001p84);
    expect(wide_double(wide(INT64_MIN, 0)) == -0x1p127);
    expect(wide_double(wide(INT64_MAX, UINT64_MAX)) == 0x1p127);
    expect(wide_double(wide(-1, 0)) == -0x1p64);
    expect(wide_double(wide_times(INT64_C(1000000007), -INT64_C(998244353) * 3)) ==
           -2994733079963131413.0);
}
