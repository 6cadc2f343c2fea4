#include "commands/replay/advice.h"

#include <math.h>

#include "tests/unit/test.h"

/* A policy that saves `luck` and `size`, each known to `half`, for `extra` slot-seconds. */
static struct advice_policy saves(double luck, double size, double half, double extra)
{
    return (struct advice_policy){{{luck, half}, {size, half}}, extra};
}

static struct advice of_two(struct advice_policy a, struct advice_policy b)
{
    struct advice_policy both[] = {a, b};
    return advice_choose(both, 2, 2);
}

static enum advice_verdict verdict_on(struct advice_policy p)
{
    return advice_choose(&p, 1, 2).verdict;
}

TEST(advice_takes_what_saves_most_in_the_mean_of_both_readings)
{
    expect(of_two(saves(.2, .0, 0, 0), saves(.3, .0, 0, 0)).take == 1);
    expect(of_two(saves(.3, .0, 0, 0), saves(.2, .2, 0, 0)).take == 1);
    expect(of_two(saves(.3, .0, 0, 0), saves(.2, .05, 0, 0)).take == 0);
}

TEST(advice_never_takes_a_policy_that_loses_in_a_reading)
{
    struct advice a = of_two(saves(.5, -.02, 0, 0), saves(.1, -.01, 0, 0));

    expect(a.take == 1 && a.verdict == ADVICE_DEPENDS);
    a = of_two(saves(.5, -.03, 0, 0), saves(.4, -.02, 0, 0));
    expect(a.take == 1 && a.verdict == ADVICE_NOTHING);
}

TEST(advice_takes_the_cheaper_of_two_that_save_the_same)
{
    expect(of_two(saves(.30, .30, 0, .05), saves(.295, .295, 0, .01)).take == 1);
    expect(of_two(saves(.30, .30, 0, .05), saves(.28, .28, 0, .01)).take == 0);
}

TEST(advice_is_certain_only_beyond_the_interval)
{
    expect(verdict_on(saves(.10, .10, .09, 0)) == ADVICE_CERTAIN);
    expect(verdict_on(saves(.10, .02, .05, 0)) == ADVICE_DEPENDS);
    expect(verdict_on(saves(.04, .04, .05, 0)) == ADVICE_NOTHING);
    expect(verdict_on(saves(.00, .00, .00, 0)) == ADVICE_NOTHING);
}

TEST(advice_counts_what_cannot_be_measured_as_a_loss)
{
    expect(verdict_on(saves(NAN, .5, 0, 0)) == ADVICE_NOTHING);
    expect(verdict_on(saves(.5, NAN, 0, 0)) == ADVICE_NOTHING);
    expect(of_two(saves(NAN, .9, 0, 0), saves(.1, .1, 0, 0)).take == 1);
}

TEST(advice_of_one_reading_ignores_the_other)
{
    struct advice_policy p = saves(.2, -.5, 0, 0);
    expect(advice_choose(&p, 1, 1).verdict == ADVICE_CERTAIN);
}
