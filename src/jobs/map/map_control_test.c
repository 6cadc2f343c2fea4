#include "jobs/map/map_control.h"

#include "tests/unit/test.h"

TEST(map_control_load_counts_the_minute_and_the_moment)
{
    expect(map_control_is_loaded("3.10 0.00 0.00 5/300 77\n", 3));
    expect(!map_control_is_loaded("3.00 9.00 9.00 5/300 77\n", 3)); /* no more than the limit */
    expect(!map_control_is_loaded("3.10 9.00 9.00 4/300 77\n", 3)); /* one of the four is dolly */
    expect(map_control_is_loaded("0.60 0.00 0.00 2/300 77\n", 0.5));
    expect(!map_control_is_loaded("3.10 0.00 0.00\n", 3) && !map_control_is_loaded("", 0));
}
