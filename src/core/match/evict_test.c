#include "core/match/evict.h"

#include "tests/unit/test.h"

static const struct res one = {{1000}}, two = {{2000}}, none = {{0}};

static struct evict_holder on(uint32_t node, uint32_t attempt)
{
    return (struct evict_holder){attempt, node, &one, &none};
}

TEST(room_is_made_where_the_need_fits)
{
    struct evict r = {0};
    evict_begin(&r);
    expect(!evict_make(&r, on(3, 10), &two));
    expect(!evict_make(&r, on(0, 11), &two));
    expect(evict_make(&r, on(3, 12), &two));
    expect(r.ending.count == 2 && r.ending.at[0] == 12 && r.ending.at[1] == 10);
    expect(!evict_make(&r, on(3, 13), &two)); /* what was made is taken */
    expect(evict_make(&r, on(0, 14), &two));
    expect(r.ending.count == 2 && r.ending.at[1] == 11);
    evict_fini(&r);
}

TEST(room_that_is_coming_counts_once)
{
    struct evict r = {0};
    evict_begin(&r);
    evict_count(&r, on(1, 10));
    evict_count(&r, on(1, 11));
    expect(evict_take(&r, on(1, 10), &one));
    evict_next(&r); /* offers are forgotten, what was taken is not */
    expect(evict_make(&r, on(1, 12), &one) && r.ending.count == 0);
    expect(!evict_take(&r, on(1, 10), &one));
    evict_begin(&r);
    expect(!evict_take(&r, on(1, 10), &one));
    evict_fini(&r);
}
