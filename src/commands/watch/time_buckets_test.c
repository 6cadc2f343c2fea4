#include "commands/watch/time_buckets.h"

#include "tests/unit/test.h"

TEST(time_buckets_have_bounds_that_belong_to_their_bucket)
{
    struct time_buckets t = {0}, all = {0};

    time_buckets_add(&t, 0);
    time_buckets_add(&t, 0.1);
    time_buckets_add(&t, 0.11);
    time_buckets_add(&t, 1e9);
    expect(t.count[0] == 2 && t.count[1] == 1 && t.count[TIME_BUCKETS_BOUNDS] == 1);
    expect(t.sum_s > 1e9 && t.sum_s < 1e9 + 1);
    time_buckets_join(&all, &t);
    time_buckets_join(&all, &t);
    expect(all.count[0] == 4 && all.count[TIME_BUCKETS_BOUNDS] == 2 && all.sum_s == 2 * t.sum_s);
}
