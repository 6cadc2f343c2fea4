#include "core/match/room.h"

#include "tests/unit/test.h"

static const struct res one = {{1000}}, two = {{2000}}, none = {{0}};

static struct room_holder on(uint32_t node, uint32_t attempt)
{
    return (struct room_holder){attempt, node, &one, &none};
}

TEST(room_is_made_where_the_need_fits)
{
    struct room r = {0};
    room_begin(&r);
    expect(!room_make(&r, on(3, 10), &two));
    expect(!room_make(&r, on(0, 11), &two));
    expect(room_make(&r, on(3, 12), &two));
    expect(r.ending.count == 2 && r.ending.at[0] == 12 && r.ending.at[1] == 10);
    expect(!room_make(&r, on(3, 13), &two)); /* what was made is taken */
    expect(room_make(&r, on(0, 14), &two));
    expect(r.ending.count == 2 && r.ending.at[1] == 11);
    room_fini(&r);
}

TEST(room_that_is_coming_counts_once)
{
    struct room r = {0};
    room_begin(&r);
    room_count(&r, on(1, 10));
    room_count(&r, on(1, 11));
    expect(room_take(&r, on(1, 10), &one));
    room_next(&r); /* offers are forgotten, what was taken is not */
    expect(room_make(&r, on(1, 12), &one) && r.ending.count == 0);
    expect(!room_take(&r, on(1, 10), &one));
    room_begin(&r);
    expect(!room_take(&r, on(1, 10), &one));
    room_fini(&r);
}
