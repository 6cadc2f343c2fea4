#include "map/map_slots.h"

#include "tests/test.h"

static struct attempt_ref ref(uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){.task = task, .attempt = attempt};
}

TEST(map_slots_are_the_lowest_free_numbers)
{
    struct map_slots s = {0};

    expect(map_slots_take(&s, ref(0, 0)) == 1 && map_slots_take(&s, ref(1, 0)) == 2);
    expect(map_slots_take(&s, ref(2, 0)) == 3 && map_slots_used(&s) == 3);
    map_slots_find(&s, ref(1, 0))->used = false;
    expect(!map_slots_find(&s, ref(1, 0)) && map_slots_used(&s) == 2);
    expect(map_slots_take(&s, ref(3, 0)) == 2 && map_slots_take(&s, ref(4, 0)) == 4);
    map_slots_fini(&s);
}

TEST(map_slots_tell_tasks_from_attempts)
{
    struct map_slots s = {0};

    vec_push(&s.extras, ref(5, 1));
    vec_push(&s.extras, ref(6, 1));
    map_slots_take(&s, ref(5, 0));
    map_slots_take(&s, ref(5, 1));
    expect(map_slots_used(&s) == 2 && map_slots_tasks(&s) == 1);
    expect(!map_slots_find(&s, ref(5, 0))->extra && map_slots_find(&s, ref(5, 1))->extra);
    expect(map_slots_take_extra(&s, ref(6, 1)) && !map_slots_take_extra(&s, ref(6, 1)));
    expect(!map_slots_take_extra(&s, ref(5, 1)));
    map_slots_fini(&s);
}
