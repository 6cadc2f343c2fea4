#include "stats/straight_line.h"

#include "tests/test.h"

TEST(straight_line_goes_through_points_on_a_line)
{
    double x[] = {1, 2, 5}, y[] = {5, 7, 13};
    struct straight_line l = straight_line_fit(x, y, 3);
    expect(l.base > 2.999 && l.base < 3.001 && l.slope > 1.999 && l.slope < 2.001);
}

TEST(straight_line_has_the_least_squares)
{
    double x[] = {0, 1, 2}, y[] = {0, 3, 0};
    struct straight_line l = straight_line_fit(x, y, 3);
    expect(l.slope == 0 && l.base == 1);
}

TEST(straight_line_without_a_direction_is_flat)
{
    double x[] = {4, 4}, y[] = {1, 3};
    struct straight_line l = straight_line_fit(x, y, 2);
    expect(l.slope == 0 && l.base == 2);
}
