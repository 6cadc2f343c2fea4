#include "core/match/fit_point.h"

#include "base/rng.h"
#include "tests/unit/test.h"

static bool may_fit(const struct fit_scale *s, struct res need, struct res free)
{
    struct fit_point a = fit_point_of(s, &need), b = fit_point_of(s, &free);
    bool may = fit_point_column(a) <= fit_point_column(b);
    for (uint32_t row = 0; row < s->rows; row++)
        may &= fit_point_level(a, row) <= fit_point_level(b, row);
    return may;
}

TEST(fit_point_has_a_row_for_each_further_resource)
{
    expect(fit_point_scale(&(struct res){{8000, 16384, 0, 0}}).rows == 1);
    expect(fit_point_scale(&(struct res){{8000, 0, 0, 0}}).rows == 1);
    expect(fit_point_scale(&(struct res){{0, 0, 0, 0}}).rows == 1);
    expect(fit_point_scale(&(struct res){{8000, 16384, 4, 1}}).rows == 3);
}

/* What has less than nothing of something takes nothing, not even nothing. */
TEST(fit_point_of_a_node_that_takes_nothing)
{
    struct fit_scale s = fit_point_scale(&(struct res){{8000, 16384, 4, 0}});
    expect(!may_fit(&s, (struct res){{0, 0, 0, 0}}, (struct res){{8000, -1, 4, 0}}));
    expect(may_fit(&s, (struct res){{0, 0, 0, 0}}, (struct res){{0, 0, 0, 0}}));
    expect(!may_fit(&s, (struct res){{0, 0, 1, 0}}, (struct res){{0, 0, 0, 0}}));
}

/* Sixteen steps to a doubling: eight doublings for the first resource, sixteen for the others. */
static void around(struct rng *r, const struct res *most)
{
    struct fit_scale s = fit_point_scale(most);
    struct res free, less, more;
    for (int k = 0; k < RES_COUNT; k++)
        free.v[k] = most->v[k] ? (int32_t)rng_below(r, (uint64_t)most->v[k] + 1) : 0;
    for (int k = 0; k < RES_COUNT; k++) {
        less.v[k] = (int32_t)rng_below(r, (uint64_t)free.v[k] + 1);
        more.v[k] = 0;
    }
    expect(may_fit(&s, less, free) && may_fit(&s, free, free));
    for (int k = 0; k < 2; k++) {
        int64_t above = (int64_t)free.v[k] + free.v[k] / 15 + 1;
        more.v[k] = above < INT32_MAX ? (int32_t)above : INT32_MAX;
        expect(above > s.top.v[k] || above <= s.top.v[k] >> (k ? 15 : 7) ||
               !may_fit(&s, more, free));
        more.v[k] = 0;
    }
}

TEST(fit_point_promises_never_less_and_little_more)
{
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int i = 0; i < 3000; i++) {
        around(&r, &(struct res){{60000, 400000, 0, 0}});
        around(&r, &(struct res){{60000, INT32_MAX, 16, INT32_MAX}});
        around(&r, &(struct res){{7, 5, 3, 0}});
    }
}

/* No point has the level of nobody, even above the top. */
TEST(fit_point_turned_is_less_where_it_was_more)
{
    struct fit_scale s = fit_point_scale(&(struct res){{8000, 16384, 4, 0}});
    struct fit_point none = fit_point_of(&s, &(struct res){{-1, 0, 0, 0}});
    struct fit_point some = fit_point_of(&s, &(struct res){{4000, 100, 0, 0}});
    struct fit_point most = fit_point_of(&s, &(struct res){{INT32_MAX, INT32_MAX, 99, 0}});
    expect(fit_point_column(most) == FIT_COLUMNS - 1 && fit_point_column(none) == 0);
    expect(fit_point_column(fit_point_turned(most)) == 0);
    for (uint32_t row = 0; row < s.rows; row++) {
        expect(fit_point_level(some, row) < FIT_NO_LEVEL &&
               fit_point_level(most, row) < FIT_NO_LEVEL);
        expect(fit_point_level(fit_point_turned(none), row) == FIT_NO_LEVEL);
        expect(fit_point_level(fit_point_turned(some), row) >
               fit_point_level(fit_point_turned(most), row));
    }
}
