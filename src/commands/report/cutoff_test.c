#include "commands/report/cutoff.h"

#include "tests/unit/test.h"

TEST(cutoff_lets_longer_ones_stay)
{
    struct cutoff cutoff = {0}, heights[5];

    for (int i = 0; i < 5; i++) {
        heights[i] = cutoff_height(10 * i, (uint64_t)i, 0);
        expect(cutoff_reached(&cutoff, heights[i]));
    }
    cutoff_raise(&cutoff, heights, 5);
    for (uint64_t i = 0; i < 5; i++)
        expect(cutoff_reached(&cutoff, cutoff_height((int64_t)(10 * i), i, 0)) == (i > 2));
    cutoff_raise(&cutoff, heights, 1); /* the shortest: no lower */
    expect(cutoff.length_us == 20);
}

/* Of a thousand equals a half goes, of those from the beginning as of those from the end. */
TEST(cutoff_draws_lots_of_equals)
{
    struct cutoff cutoff = {0}, heights[1000];
    uint32_t first = 0, last = 0;

    for (uint64_t i = 0; i < 1000; i++)
        heights[i] = cutoff_height(7, i / 10, i % 10);
    cutoff_raise(&cutoff, heights, 1000);
    for (uint64_t i = 0; i < 500; i++) {
        first += cutoff_reached(&cutoff, cutoff_height(7, i / 10, i % 10));
        last += cutoff_reached(&cutoff, cutoff_height(7, 50 + i / 10, i % 10));
    }
    expect(first + last == 499 && first > 200 && last > 200);
    expect(cutoff_reached(&cutoff, cutoff_height(8, 0, 0)) &&
           !cutoff_reached(&cutoff, cutoff_height(6, 0, 0)));
}
