#include "core/shepherd/outlook.h"

#include <math.h>

#include "tests/unit/test.h"

/* Nothing is known of the curve: the rest is as long as it has run, one healthy time at least. */
static bool expects(struct outlook_facts f, double left_s, bool late)
{
    struct slowness unknown = {0};
    struct outlook_end o = outlook_of(&f, &unknown);
    return fabs(o.left_s - left_s) < 1e-9 && o.late == late;
}

#define H .healthy_s = 10

TEST(outlook_without_reports_goes_by_age)
{
    expect(expects((struct outlook_facts){H, .age_s = 0}, 10, false));
    expect(expects((struct outlook_facts){H, .age_s = 9}, 1, false));
    /* From the healthy time on the rest is one healthy time: not more, so not late yet. */
    expect(expects((struct outlook_facts){H, .age_s = 10}, 10, false));
    expect(expects((struct outlook_facts){H, .age_s = 11}, 11, true));
}

/* 30 of 100 attempts have taken four healthy times: one that has reached two has about two left. */
TEST(outlook_asks_the_curve)
{
    struct slowness curve = {0};
    for (int i = 0; i < 100; i++)
        slowness_add(&curve, 10, i < 70 ? 1 : 4, true);
    struct outlook_facts f = {H, .age_s = 20};
    struct outlook_end o = outlook_of(&f, &curve);
    expect(o.late && o.left_s > 20 && o.left_s < 25);
    f.age_s = 5;
    o = outlook_of(&f, &curve);
    expect(!o.late && o.left_s == 5);
}

/* A quarter in 3 s and, since the report before, as fast: 12 s in all, less 4. */
TEST(outlook_by_a_steady_pace)
{
    struct outlook_facts f = {H, .age_s = 4, .report_s = 3, .share = 0.25, .lately_s = 12};
    expect(outlook_pace_s(3, 0.25) == 12 && outlook_pace_s(0, 0.25) == 0);
    expect(expects(f, 8, false));
    f.lately_s = 8; /* it has started slowly: 8 s for all, 0.75 of it from the report on */
    expect(expects(f, 5, false));
}

/* The same pace where 2 s are healthy: 8 s are left. */
TEST(outlook_is_late_by_its_pace)
{
    struct outlook_facts f = {
        .healthy_s = 2, .age_s = 4, .report_s = 3, .share = 0.25, .lately_s = 12};
    expect(expects(f, 8, true));
    f.healthy_s = 8; /* not more than a fresh attempt takes */
    expect(expects(f, 8, false));
}

/* Its start was slow for all we know: 1 s for 5 %. */
TEST(outlook_does_not_judge_a_start)
{
    struct outlook_facts f = {H, .age_s = 3.9, .report_s = 3.9, .share = 0.05};
    expect(expects(f, 6.1, false));
    f.age_s = 4; /* 78 s by its pace; slow as it is, as long again: 78 + 78 - 4 */
    expect(expects(f, 152, true));
    f.share = 0.39; /* 10 s: on time */
    expect(expects(f, 6, false));
}

/* Others take 1 s to start: 4 % in 2 s of work are 50 s, 51 in all. */
TEST(outlook_judges_a_single_report_by_the_start_of_others)
{
    struct outlook_facts f = {H, .age_s = 3, .report_s = 3, .share = 0.04, .start_s = 1};
    expect(expects(f, 51 - 3, true));
    f.share = 0.2; /* 11 s */
    expect(expects(f, 11 - 3, false));
    f.start_s = 4; /* it may not have begun */
    expect(expects(f, 7, false));
}

/* Others had reported by 1 s. One that is silent after 3 s takes three times as long. */
TEST(outlook_judges_silence)
{
    struct outlook_facts f = {H, .age_s = 3, .first_s = 1};
    expect(expects(f, 30 - 3, true));
    f.age_s = 0.9;
    expect(expects(f, 9.1, false));
    f.age_s = 1.1; /* 11 s */
    expect(expects(f, 9.9, false));
    f = (struct outlook_facts){H, .age_s = 12, .first_s = 11}; /* the curve says more */
    expect(expects(f, 12, true));
}

/* 8 s for half, but the last piece at 30 s for all: it slows down. By its pace 16 s, which is
 * beyond 12, and 16 more by the curve. */
TEST(outlook_adds_a_rest_to_what_slows_down)
{
    struct outlook_facts f = {H, .age_s = 9, .report_s = 8, .share = 0.5, .lately_s = 30};
    expect(expects(f, 16 + 16 - 9, true));
    f.share = 0.8; /* 10 s by its pace: nothing on top */
    f.lately_s = 12;
    expect(expects(f, 1, false));
}

/* 8 s for half, and the last piece as fast as 15 s for all: 7.5 s from the report on. That holds
 * until it is a tenth older than 16 s, its pace; a piece slower than that is no steady pace. */
TEST(outlook_goes_by_the_last_two_reports_while_they_show_its_pace)
{
    struct outlook_facts f = {H, .age_s = 9, .report_s = 8, .share = 0.5, .lately_s = 15};
    expect(expects(f, 6.5, false));
    expect(fabs(outlook_steady_s(16, 15) - 17.6) < 1e-9);
    expect(outlook_steady_left_s(9, 8, 0.5, 15) == 6.5);
    f.age_s = 17;
    expect(expects(f, 0, false) && outlook_steady_left_s(17, 8, 0.5, 15) == 0);
    f.age_s = 17.7; /* 1.77 healthy times, and as long again */
    expect(expects(f, 17.7, true));
    expect(outlook_steady_s(16, 18) == 0 && outlook_steady_s(0, 15) == 0);
}

/* The last two reports said the same; or the time at its pace is over by a tenth. */
TEST(outlook_of_what_stands_still)
{
    struct outlook_facts f = {H, .age_s = 5, .report_s = 4, .share = 0.4, .still = true};
    expect(expects(f, 15, true)); /* as one of 1.5 healthy times, however young */
    f.still = false;
    f.age_s = 10.9;
    expect(expects(f, 0, false));
    f.age_s = 11;
    expect(expects(f, 15, true));
    f.age_s = 20;
    expect(expects(f, 20, true));
}
