#include "base/window.h"

#include "tests/test.h"

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
