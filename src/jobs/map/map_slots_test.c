#include "jobs/map/map_slots.h"

#include "tests/unit/test.h"

static const struct node_id here = {0};

static struct attempt_ref ref(uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){.task = task, .attempt = attempt};
}

TEST(map_slots_are_the_lowest_free_numbers)
{
    struct map_slots s = {0};

    expect(map_slots_take(&s, ref(0, 0), here) == 1 && map_slots_take(&s, ref(1, 0), here) == 2);
    expect(map_slots_take(&s, ref(2, 0), here) == 3 && s.used == 3);
    map_slots_release(&s, map_slots_find(&s, ref(1, 0)));
    expect(!map_slots_find(&s, ref(1, 0)) && s.used == 2);
    expect(map_slots_take(&s, ref(3, 0), here) == 2 && map_slots_take(&s, ref(4, 0), here) == 4);
    map_slots_fini(&s);
}

/* More than fit into a word of bits, released from the end and from the beginning. */
TEST(map_slots_of_many_attempts)
{
    struct map_slots s = {0};

    for (uint32_t i = 0; i < 200; i++)
        expect(map_slots_take(&s, ref(i, 0), here) == i + 1);
    for (uint32_t i = 199; i > 100; i--)
        map_slots_release(&s, map_slots_find(&s, ref(i, 0)));
    map_slots_release(&s, map_slots_find(&s, ref(63, 0)));
    map_slots_release(&s, map_slots_find(&s, ref(64, 0)));
    expect(s.used == 99 && map_slots_tasks(&s) == 99);
    expect(map_slots_take(&s, ref(63, 1), here) == 64 &&
           map_slots_take(&s, ref(300, 0), here) == 65);
    expect(map_slots_take(&s, ref(301, 0), here) == 102);
    expect(!map_slots_find(&s, ref(63, 0)) && map_slots_find(&s, ref(63, 1)));
    expect(map_slots_find(&s, ref(100, 0)) == &s.all.at[100] && s.all.count == 200);
    map_slots_fini(&s);
}

TEST(map_slots_tell_tasks_from_attempts)
{
    struct map_slots s = {0};

    vec_push(&s.extras, ref(5, 1));
    vec_push(&s.extras, ref(6, 1));
    map_slots_take(&s, ref(5, 0), here);
    map_slots_take(&s, ref(5, 1), here);
    expect(s.used == 2 && map_slots_tasks(&s) == 1);
    expect(!map_slots_find(&s, ref(5, 0))->extra && map_slots_find(&s, ref(5, 1))->extra);
    expect(map_slots_take_extra(&s, ref(6, 1)) && !map_slots_take_extra(&s, ref(6, 1)));
    expect(!map_slots_take_extra(&s, ref(5, 1)));
    map_slots_fini(&s);
}
