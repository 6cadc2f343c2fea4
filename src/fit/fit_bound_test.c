#include "fit/fit_bound.h"

#include "base/rng.h"
#include "tests/test.h"

enum { BYTES = (RES_COUNT - 1) * FIT_COLUMNS };

static bool promises(const struct fit_scale *s, const uint8_t *bound, struct res need)
{
    struct fit_point p = fit_bound_point(s, &need);
    return fit_bound_has(s, bound, &p);
}

static void add(const struct fit_scale *s, uint8_t *bound, struct res free)
{
    struct fit_point p = fit_bound_point(s, &free);
    fit_bound_add(s, bound, &p);
}

/* The cpu of one node and the memory of another are not promised together. */
TEST(fit_bound_promises_what_one_node_has)
{
    struct fit_scale s = fit_bound_scale(&(struct res){{8000, 16384, 0, 0}});
    uint8_t bound[BYTES] = {0}, other[BYTES] = {0};
    expect(s.rows == 1 && fit_bound_size(&s) == FIT_COLUMNS);
    expect(!promises(&s, bound, (struct res){{0, 0, 0, 0}}));
    add(&s, bound, (struct res){{4000, 1024, 0, 0}});
    add(&s, other, (struct res){{1000, 8192, 0, 0}});
    fit_bound_join(&s, bound, other);
    expect(promises(&s, bound, (struct res){{4000, 1024, 0, 0}}));
    expect(promises(&s, bound, (struct res){{1000, 8192, 0, 0}}));
    expect(promises(&s, bound, (struct res){{0, 0, 0, 0}}));
    expect(!promises(&s, bound, (struct res){{2000, 2048, 0, 0}}));
    expect(!promises(&s, bound, (struct res){{5000, 1024, 0, 0}}));
}

/* What a node that takes nothing has is not. */
TEST(fit_bound_leaves_out_nodes_that_take_nothing)
{
    struct fit_scale s = fit_bound_scale(&(struct res){{8000, 16384, 4, 0}});
    uint8_t bound[BYTES] = {0};
    expect(s.rows == 2);
    add(&s, bound, (struct res){{8000, -1, 4, 0}});
    expect(!promises(&s, bound, (struct res){{0, 0, 0, 0}}));
    add(&s, bound, (struct res){{0, 0, 0, 0}});
    expect(promises(&s, bound, (struct res){{0, 0, 0, 0}}));
    expect(!promises(&s, bound, (struct res){{0, 0, 1, 0}}));
}

/* Eight columns to a doubling, for eight of them, and sixteen levels. */
static void around(struct rng *r, const struct res *most)
{
    struct fit_scale s = fit_bound_scale(most);
    uint8_t bound[BYTES] = {0};
    struct res free, less, more;
    for (int k = 0; k < RES_COUNT; k++)
        free.v[k] = most->v[k] ? (int32_t)rng_below(r, (uint64_t)most->v[k] + 1) : 0;
    add(&s, bound, free);
    for (int k = 0; k < RES_COUNT; k++) {
        less.v[k] = (int32_t)rng_below(r, (uint64_t)free.v[k] + 1);
        more.v[k] = 0;
    }
    expect(promises(&s, bound, less));
    for (int k = 0; k < 2; k++) {
        int64_t above = (int64_t)free.v[k] + free.v[k] / (k ? 15 : 7) + 1;
        more.v[k] = above < INT32_MAX ? (int32_t)above : INT32_MAX;
        expect(above > s.top.v[k] || above <= s.top.v[k] >> (k ? 15 : 7) ||
               !promises(&s, bound, more));
        more.v[k] = 0;
    }
}

TEST(fit_bound_promises_never_less_and_little_more)
{
    struct rng r = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    for (int i = 0; i < 3000; i++) {
        around(&r, &(struct res){{60000, 400000, 0, 0}});
        around(&r, &(struct res){{60000, INT32_MAX, 16, INT32_MAX}});
        around(&r, &(struct res){{7, 5, 3, 0}});
    }
}
