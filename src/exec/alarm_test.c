#include "exec/alarm.h"

#include "tests/test.h"

TEST(alarms_come_in_order_of_time_and_id)
{
    struct alarms a = {0};
    uint32_t id = 0;

    expect(alarms_next(&a) == INT64_MAX && !alarms_take(&a, INT64_MAX - 1, &id));
    alarms_set(&a, 3, 50);
    alarms_set(&a, 1, 70);
    alarms_set(&a, 2, 50);
    alarms_set(&a, 9, 10);
    alarms_cancel(&a, 9);
    alarms_cancel(&a, 9);
    alarms_set(&a, 1, 60); /* replaced */
    expect(alarms_next(&a) == 50);
    expect(!alarms_take(&a, 49, &id));
    expect(alarms_take(&a, 50, &id) && id == 2);
    expect(alarms_take(&a, 50, &id) && id == 3);
    expect(!alarms_take(&a, 59, &id));
    expect(alarms_take(&a, 60, &id) && id == 1);
    expect(alarms_next(&a) == INT64_MAX);
    vec_free(&a.at);
}
