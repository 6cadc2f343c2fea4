#include "base/vec.h"

#include "tests/test.h"

TEST(vec_grows_and_keeps_its_elements)
{
    VEC(int) v = {0};
    for (int i = 0; i < 100; i++)
        vec_push(&v, i);
    *vec_add(&v) = 100;
    expect(v.count == 101 && v.cap >= 101);
    for (int i = 0; i <= 100; i++)
        expect(v.at[i] == i);
    vec_clear(&v);
    expect(v.count == 0 && v.cap >= 101);
    vec_free(&v);
    expect(!v.at && v.cap == 0);
}

/* Indices that were given back come first, the last one before the others. */
TEST(vec_takes_free_elements_first)
{
    VEC(int) v = {0};
    VEC(uint32_t) given_back = {0};
    for (uint32_t i = 0; i < 10; i++)
        expect(vec_take(&v, &given_back) == i);
    vec_push(&given_back, 3);
    vec_push(&given_back, 7);
    expect(vec_take(&v, &given_back) == 7 && vec_take(&v, &given_back) == 3);
    expect(vec_take(&v, &given_back) == 10 && v.count == 11);
    vec_free(&v);
    vec_free(&given_back);
}

/* Room is doubled, up to what a count can say. */
TEST(vec_room_is_doubled_as_far_as_it_goes)
{
    expect(vec_room(0, 1, 1) == 8 && vec_room(8, 9, 1) == 16 && vec_room(8, 100, 1) == 128);
    expect(vec_room(UINT32_C(1) << 31, UINT64_C(1) + (UINT32_C(1) << 31), 1) == UINT32_MAX);
    expect(vec_room(UINT32_C(1) << 31, UINT32_MAX, 1) == UINT32_MAX);
    expect(vec_room(8, UINT64_C(1) << 31, 1) == UINT32_C(1) << 31);
}
