#include "report/bar.h"

#include "tests/test.h"

TEST(bar_lets_longer_ones_stay)
{
    struct bar bar = {0}, heights[5];

    for (int i = 0; i < 5; i++) {
        heights[i] = bar_height(10 * i, (uint64_t)i, 0);
        expect(bar_reached(&bar, heights[i]));
    }
    bar_raise(&bar, heights, 5);
    for (uint64_t i = 0; i < 5; i++)
        expect(bar_reached(&bar, bar_height((int64_t)(10 * i), i, 0)) == (i > 2));
    bar_raise(&bar, heights, 1); /* the shortest: no lower */
    expect(bar.length_us == 20);
}

/* Of a thousand equals a half goes, of those from the beginning as of those from the end. */
TEST(bar_draws_lots_of_equals)
{
    struct bar bar = {0}, heights[1000];
    uint32_t first = 0, last = 0;

    for (uint64_t i = 0; i < 1000; i++)
        heights[i] = bar_height(7, i / 10, i % 10);
    bar_raise(&bar, heights, 1000);
    for (uint64_t i = 0; i < 500; i++) {
        first += bar_reached(&bar, bar_height(7, i / 10, i % 10));
        last += bar_reached(&bar, bar_height(7, 50 + i / 10, i % 10));
    }
    expect(first + last == 499 && first > 200 && last > 200);
    expect(bar_reached(&bar, bar_height(8, 0, 0)) && !bar_reached(&bar, bar_height(6, 0, 0)));
}
