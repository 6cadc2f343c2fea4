#include "core/brain/moments.h"

#include "tests/unit/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* 2, 4, 9: mean 5, squared distances 9 + 1 + 16 = 26, of which two are free. */
TEST(moments_of_three_times_by_hand)
{
    struct moments m = {0};
    expect(m.mean == 0 && moments_deviation(&m) == 0);
    moments_add(&m, 2);
    expect(m.mean == 2 && moments_deviation(&m) == 0);
    moments_add(&m, 4);
    moments_add(&m, 9);
    expect(m.count == 3 && near(m.mean, 5) && near(moments_deviation(&m), sqrt(13)));
}

TEST(moments_merged_are_those_of_all_times)
{
    struct moments a = {0}, b = {0}, all = {0}, none = {0};
    for (int i = 1; i <= 7; i++) {
        moments_add(i <= 2 ? &a : &b, i * i);
        moments_add(&all, i * i);
    }
    moments_merge(&a, &b);
    expect(a.count == 7 && near(a.mean, all.mean) && near(a.variance, all.variance));
    moments_merge(&a, &none);
    expect(a.count == 7 && near(a.mean, all.mean) && near(a.variance, all.variance));
    moments_merge(&none, &all);
    expect(none.count == 7 && near(none.mean, 20) && near(none.variance, all.variance));
    none = (struct moments){0};
    moments_merge(&none, &(struct moments){0});
    expect(none.count == 0 && none.mean == 0 && moments_deviation(&none) == 0);
}

/* 1000 times of 1 and one of 2: a thousandth of the way. Then the past fades to 1/e. */
TEST(moments_forget_slowly)
{
    struct moments m = {0};
    for (int i = 0; i < MOMENTS_MEMORY; i++)
        moments_add(&m, 1);
    expect(m.mean == 1 && m.variance == 0);
    moments_add(&m, 2);
    expect(m.count == MOMENTS_MEMORY && near(m.mean, 1.001));
    for (int i = 1; i < MOMENTS_MEMORY; i++)
        moments_add(&m, 2);
    expect(near(2 - m.mean, pow(0.999, 1000)));
}

TEST(moments_of_huge_times_are_finite)
{
    struct moments m = {0};
    for (int i = 0; i < 10; i++)
        moments_add(&m, i % 2 ? 0 : 1e18);
    expect(near(m.mean, 5e17) && isfinite(moments_deviation(&m)));
}
