#include "exec/timers.h"

#include "tests/unit/test.h"

TEST(timers_come_in_order_of_time_and_id)
{
    struct timers a = {0};
    uint32_t id = 0;

    expect(timers_next(&a) == INT64_MAX && !timers_take(&a, INT64_MAX - 1, &id));
    timers_set(&a, 3, 50);
    timers_set(&a, 1, 70);
    timers_set(&a, 2, 50);
    timers_set(&a, 9, 10);
    timers_cancel(&a, 9);
    timers_cancel(&a, 9);
    timers_set(&a, 1, 60); /* replaced */
    expect(timers_next(&a) == 50);
    expect(!timers_take(&a, 49, &id));
    expect(timers_take(&a, 50, &id) && id == 2);
    expect(timers_take(&a, 50, &id) && id == 3);
    expect(!timers_take(&a, 59, &id));
    expect(timers_take(&a, 60, &id) && id == 1);
    expect(timers_next(&a) == INT64_MAX);
    vec_free(&a.at);
}
