#include "core/shepherd/share.h"

#include <math.h>

#include "tests/unit/test.h"

/* The value of the task with this number. */
static double value_of(const struct share *s, uint32_t item)
{
    for (uint32_t i = 0; i < s->late.count; i++)
        if (s->late.at[i].item == item)
            return s->late.at[i].value;
    return NAN;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* The tasks are numbered by their place in `left_s`, and each copy takes 10 slot-seconds. */
static void work_out(struct share *s, const double *left_s, uint32_t count, double deadline_s)
{
    vec_clear(&s->late);
    for (uint32_t i = 0; i < count; i++)
        vec_push(&s->late, ((struct share_late){.left_s = left_s[i], .takes_s = 10, .item = i}));
    share_work_out(s, deadline_s);
}

/* One late task: 40 s to go instead of 10, for 10 slot-seconds. Four that end together: only if all
 * are rescued the phase ends sooner, and that takes 40. */
TEST(share_of_tasks_that_end_together)
{
    struct share s = {0};
    work_out(&s, (double[]){40}, 1, 10);
    expect(is_near(value_of(&s, 0), 30.0 / 10));
    work_out(&s, (double[]){40, 40, 40, 40}, 4, 10);
    for (uint32_t i = 0; i < 4; i++)
        expect(is_near(value_of(&s, i), 30.0 / 40));
    share_fini(&s);
}

/* 100, 50, 40 and 12 s to go, the others end after 10: the first rescue alone brings the end from
 * 100 s to 50, the second only to 40, but with the third to 12, which is 38 s for 20 slot-seconds;
 * the last one brings 2. */
TEST(share_of_the_last_is_the_step_to_the_next)
{
    struct share s = {0};
    work_out(&s, (double[]){12, 40, 100, 50}, 4, 10);
    expect(is_near(value_of(&s, 2), 50.0 / 10) && is_near(value_of(&s, 3), 38.0 / 20));
    expect(is_near(value_of(&s, 1), 38.0 / 20) && is_near(value_of(&s, 0), 2.0 / 10));
    expect(s.late.at[0].item == 2 && s.late.at[1].item == 3 && s.late.at[2].item == 1);
    share_fini(&s);
}

/* Steps of 1, 1 and 28 s: none of the first is worth a copy but for the third, so that the 30 s are
 * shared by all three. */
TEST(share_goes_to_those_that_make_way)
{
    struct share s = {0};
    work_out(&s, (double[]){40, 39, 38}, 3, 10);
    for (uint32_t i = 0; i < 3; i++)
        expect(is_near(value_of(&s, i), 30.0 / 30));
    share_fini(&s);
}

/* Copies of 10 and of 50 slot-seconds: 20 s for the first, 10 for the second. */
TEST(share_is_per_slot_second)
{
    struct share s = {0};
    vec_push(&s.late, ((struct share_late){.left_s = 20, .takes_s = 50, .item = 7}));
    vec_push(&s.late, ((struct share_late){.left_s = 40, .takes_s = 10, .item = 8}));
    share_work_out(&s, 10);
    expect(is_near(value_of(&s, 8), 20.0 / 10) && is_near(value_of(&s, 7), 10.0 / 50));
    share_fini(&s);
}

TEST(share_of_nothing)
{
    struct share s = {0};
    share_work_out(&s, 10);
    expect(s.groups.count == 0);
    share_fini(&s);
}
