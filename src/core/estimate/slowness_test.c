#include "core/estimate/slowness.h"

#include <math.h>

#include "tests/unit/test.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-4 * fmax(fabs(a), fabs(b));
}

static void add_many(struct slowness *s, double ratio, bool finished, int count)
{
    for (int i = 0; i < count; i++)
        slowness_add(s, 10, ratio, finished);
}

TEST(slowness_knows_only_the_prior_at_first)
{
    struct slowness s = {0};
    expect(is_near(slowness_chance(&s, 10, 1.5), 0.1));
    expect(slowness_rest(&s, 10, 0.5) == 1 && slowness_rest(&s, 10, 3) == 3);
    /* Half of what is believed: half of the prior, and of the curve. Behind the bin from 1 on, half
     * an attempt of 15 is left, and 2^(-2 x 3/8) of that three bins later. */
    add_many(&s, 1, true, 15);
    expect(is_near(slowness_chance(&s, 10, 1.5), 0.05 + 0.5 / 30 * pow(2, -0.75)));
    expect(slowness_rest(&s, 10, 3) == 3);
}

/* Of 40 attempts 30 end at 1, in the bin from 1 to 2^(1/8), and 10 at 4. */
TEST(slowness_is_the_share_that_takes_longer)
{
    struct slowness s = {0};
    add_many(&s, 1, true, 30);
    add_many(&s, 4, true, 10);
    expect(is_near(slowness_chance(&s, 10, 1), 1));
    expect(is_near(slowness_chance(&s, 10, 1.5), 0.25));
    expect(is_near(slowness_chance(&s, 10, 3.9), 0.25));
    /* Behind the last: half an attempt is taken to be left of the ten. */
    expect(is_near(slowness_chance(&s, 10, pow(2, 2.125)), 0.25 * 0.05));
}

/* An attempt that was stopped before the others ended is one fewer at risk; as a straggler or a
 * healthy one it would count wrongly. */
TEST(slowness_censors_what_was_stopped)
{
    struct slowness s = {0};
    add_many(&s, 0.5, false, 20);
    add_many(&s, 1, true, 30);
    add_many(&s, 4, true, 10);
    expect(is_near(slowness_chance(&s, 10, 1.5), 0.25)); /* 10 of 40, not of 60 */
    add_many(&s, 2, false, 10);                          /* 20 of 50 are at risk from 1.1 on */
    expect(is_near(slowness_chance(&s, 10, 1.5), 0.4));
    expect(is_near(slowness_chance(&s, 10, 3.9), 0.4));
}

/* The rest at 2 is the area behind it, in units of the survivors: all ten end in the bin from 4 to
 * 4.362, so the rest is 2 to its start, half of its width, and what is left of 0.05 behind it. */
TEST(slowness_rest_is_the_area_behind)
{
    struct slowness s = {0};
    add_many(&s, 1, true, 30);
    add_many(&s, 4, true, 10);
    double end = pow(2, 2.125), area = 2 + (1 + 0.05) / 2 * (end - 4) + 0.05 * end;
    expect(is_near(slowness_rest(&s, 10, 2), area));
    expect(is_near(slowness_rest(&s, 10, 8), 8)); /* as long again */
}

/* Where nothing has gone yet, the rest is the whole area behind the first bin, which is from an
 * eighth on: to 1 all are left, a quarter up to 4, and a twentieth of that behind it. */
TEST(slowness_rest_of_what_has_just_begun)
{
    struct slowness s = {0};
    add_many(&s, 1, true, 30);
    add_many(&s, 4, true, 10);
    double one = pow(2, 0.125), end = pow(2, 2.125);
    double area = 7.0 / 8 + (1 + 0.25) / 2 * (one - 1) + 0.25 * (4 - one) +
                  (0.25 + 0.0125) / 2 * (end - 4) + 0.0125 * end;
    expect(is_near(slowness_rest(&s, 10, 0.125), area));
    expect(is_near(slowness_rest(&s, 10, 0.5), area - 3.0 / 8));
    expect(is_near(slowness_chance(&s, 10, 0), 1) && is_near(slowness_chance(&s, 10, 0.9), 1));
}

/* Thirty that have ended are enough, and four thousand are too many: then all count half. */
TEST(slowness_believes_what_it_knows_by_its_number)
{
    struct slowness s = {0};
    double left = 0.5 / 30, one = pow(2, 0.125);
    add_many(&s, 1, true, 29);
    add_many(&s, 0.125, false, 50); /* of which it is not known how long they would have taken */
    expect(slowness_known(&s, 10) == 29 && slowness_rest(&s, 10, 0.5) == 1);
    expect(slowness_rest(&s, 10, 1.5) == 1.5);
    add_many(&s, 1, true, 1);
    expect(slowness_known(&s, 10) == 30);
    expect(is_near(slowness_rest(&s, 10, 0.5), 0.5 + (1 + left) / 2 * (one - 1) + left * one));
    add_many(&s, 1, true, 3999 - 30);
    expect(slowness_known(&s, 10) == 3999);
    add_many(&s, 1, false, 1);
    expect(slowness_known(&s, 10) == 3999);
    add_many(&s, 1, true, 1);
    expect(slowness_known(&s, 10) == 2000);
}

TEST(slowness_has_a_curve_for_each_scale)
{
    struct slowness s = {0};
    add_many(&s, 1, true, 40);
    for (int i = 0; i < 40; i++)
        slowness_add(&s, 1000, 2, true);
    expect(slowness_chance(&s, 10, 1.5) < 0.02);
    expect(is_near(slowness_chance(&s, 1000, 1.5), 1));
    expect(is_near(slowness_chance(&s, 1e5, 1.5), 0.5)); /* of all: that scale was never seen */
}

TEST(slowness_forgets_by_halves)
{
    struct slowness s = {0};
    add_many(&s, 4, true, SLOWNESS_KNOWN_MAX);
    add_many(&s, 1, true, SLOWNESS_KNOWN_MAX / 2 - 1);
    expect(slowness_chance(&s, 10, 1.5) > 0.5 && slowness_chance(&s, 10, 1.5) < 0.51);
}

TEST(slowness_takes_any_number)
{
    struct slowness s = {0};
    const double odd[] = {0, 1e-300, 1e300, INFINITY, NAN, -1};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            slowness_add(&s, odd[i], odd[k], k % 2 == 0);
    add_many(&s, 1, true, 40);
    for (int i = 0; i < 6; i++) {
        double p = slowness_chance(&s, odd[i], 1.5), rest = slowness_rest(&s, odd[i], 0.5);
        expect(p >= 0 && p <= 1);
        expect(rest > 0 && rest < 1000);
    }
}
