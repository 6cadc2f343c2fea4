#include "base/vec.h"

#include "base/window.h"
#include "tests/unit/test.h"

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
    expect(vec_capacity(0, 1, 1) == 8 && vec_capacity(8, 9, 1) == 16 &&
           vec_capacity(8, 100, 1) == 128);
    expect(vec_capacity(UINT32_C(1) << 31, UINT64_C(1) + (UINT32_C(1) << 31), 1) == UINT32_MAX);
    expect(vec_capacity(UINT32_C(1) << 31, UINT32_MAX, 1) == UINT32_MAX);
    expect(vec_capacity(8, UINT64_C(1) << 31, 1) == UINT32_C(1) << 31);
}

/* ---- window.h, which is made of it ---- */

TEST(window_finds_what_was_put_and_not_dropped)
{
    int things[4] = {0};
    WINDOW(int) w = {0};

    expect(!window_find(&w, 0));
    for (uint32_t i = 0; i < 4; i++)
        window_put(&w, 7 + i, &things[i]);
    expect(w.first == 7 && window_next(&w) == 11);
    expect(window_find(&w, 7) == &things[0] && window_find(&w, 10) == &things[3]);
    expect(!window_find(&w, 6) && !window_find(&w, 11));
    window_drop(&w, 8); /* in the middle: nothing moves */
    expect(w.first == 7 && w.gone == 0 && !window_find(&w, 8));
    window_drop(&w, 7); /* half is gone */
    expect(w.first == 9 && w.count == 2 && w.gone == 0);
    expect(window_find(&w, 9) == &things[2] && !window_find(&w, 7));
    vec_free(&w);
}

TEST(window_keeps_a_start_of_which_less_than_half_is_gone)
{
    int thing;
    WINDOW(int) w = {0};

    for (uint32_t i = 0; i < 3; i++)
        window_put(&w, i, &thing);
    window_drop(&w, 0);
    expect(w.first == 0 && w.gone == 1 && w.count == 3);
    window_drop(&w, 2);
    expect(w.gone == 1);
    window_drop(&w, 1);
    expect(w.first == 3 && w.count == 0);
    vec_free(&w);
}

TEST(window_has_gaps_where_ids_have_and_begins_anew_when_empty)
{
    int thing;
    WINDOW(int) w = {0};

    window_put(&w, 5, &thing);
    window_put(&w, 8, &thing);
    expect(w.count == 4 && !window_find(&w, 6) && window_find(&w, 8));
    window_drop(&w, 8);
    window_drop(&w, 5);
    expect(w.count == 0 && window_next(&w) == 9);
    window_put(&w, 4000000000U, &thing);
    expect(w.count == 1 && window_find(&w, 4000000000U));
    vec_free(&w);
}

TEST(vec_append_copies_any_number_of_elements)
{
    static const int some[] = {1, 2, 3};
    VEC(int) v = {0};

    vec_append(&v, some, 0);
    expect(v.count == 0 && v.at == NULL);
    for (int i = 0; i < 10; i++)
        vec_append(&v, some, 3);
    vec_append(&v, some + 1, 1);
    expect(v.count == 31);
    for (uint32_t i = 0; i < 30; i++)
        expect(v.at[i] == some[i % 3]);
    expect(v.at[30] == 2);
    vec_free(&v);
}
