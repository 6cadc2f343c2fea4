#include "core/model/res.h"

#include "tests/unit/test.h"

TEST(res_fits_at_equality_and_not_beyond_it_in_any_dimension)
{
    const struct res room = {{4, 3, 2, 1}};
    expect(res_fits(&room, &room));
    for (int i = 0; i < RES_COUNT; i++) {
        struct res need = room;
        need.v[i]--;
        expect(res_fits(&need, &room) && !res_equal(&need, &room));
        need.v[i] += 2;
        expect(!res_fits(&need, &room) && !res_equal(&need, &room));
    }
}

TEST(res_sums_count_every_dimension)
{
    const struct res one = {{4, 3, 2, 1}};
    struct res room = {{10, 10, 10, 10}};
    struct res_sum sum = {{0}};
    res_sub(&room, &one);
    expect(res_equal(&room, &(struct res){{6, 7, 8, 9}}));
    res_add(&room, &one);
    expect(res_equal(&room, &(struct res){{10, 10, 10, 10}}));
    res_sum_plus(&sum, &one);
    res_sum_add(&sum, &one, 3);
    res_sum_minus(&sum, &one);
    for (int i = 0; i < RES_COUNT; i++)
        expect(sum.v[i] == 3 * (int64_t)one.v[i]);
    res_sum_add(&sum, &one, -3);
    for (int i = 0; i < RES_COUNT; i++)
        expect(sum.v[i] == 0);
}

TEST(res_slots_are_those_of_all_kinds)
{
    const struct res r = {{1500, 64, 2, 3}};
    const struct res_kinds maps = {{[RES_CPU] = RES_SLOTS, [RES_X] = RES_SLOTS}};
    expect(res_slots(&RES_KINDS_PLAIN, &r) == 1500 && res_slots(&maps, &r) == 3500);
}
