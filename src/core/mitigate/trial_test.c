#include "core/mitigate/trial.h"

#include "tests/unit/test.h"

/* Of the next `count` tasks, how many are treated; nothing is learnt. */
static int treated_of(struct trial *t, int count)
{
    int treated = 0;
    for (int i = 0; i < count; i++)
        treated += trial_treats(t);
    return treated;
}

/* Every second of the first twenty, then the tasks 32, 48, ...: one in sixteen of those that
 * follow. */
TEST(trial_treats_few_tasks_before_outcomes_are_known)
{
    struct trial t = {0};
    expect(treated_of(&t, 2 * TRIAL_BLIND) == TRIAL_BLIND);
    expect(treated_of(&t, 10 * TRIAL_RARE) == 10);
}

TEST(trial_alternates_until_both_groups_are_known)
{
    struct trial t = {0};
    expect(trial_treats(&t) && !trial_treats(&t));
    for (int i = 0; i < 100; i++)
        trial_learn(&t, true, 1); /* whatever it says of one group alone */
    for (int i = 0; i < TRIAL_MIN - 1; i++)
        trial_learn(&t, false, 100);
    expect(treated_of(&t, 2 * TRIAL_BLIND - 2) == TRIAL_BLIND - 1);
}

static struct trial known(double treated, double left_alone)
{
    struct trial t = {0};
    for (int i = 0; i < 2 * TRIAL_MIN; i++) {
        trial_learn(&t, true, treated);
        trial_learn(&t, false, left_alone);
    }
    return t;
}

/* Sixteen in a row, then 31, 63 ..., are treated alike, and the next one is not. */
TEST(trial_treats_most_where_that_pays_and_few_where_it_does_not)
{
    struct trial t = known(0.9, 1);
    expect(treated_of(&t, TRIAL_RARE) == TRIAL_RARE && !trial_treats(&t));
    expect(treated_of(&t, 2 * TRIAL_RARE - 1) == 2 * TRIAL_RARE - 1 && !trial_treats(&t));
    t = known(1.1, 1);
    expect(treated_of(&t, TRIAL_RARE) == 0 && trial_treats(&t));
    expect(treated_of(&t, 2 * TRIAL_RARE - 1) == 0 && trial_treats(&t));
    t = known(1, 1); /* nothing gained */
    expect(treated_of(&t, TRIAL_RARE) == 0 && trial_treats(&t));
}

TEST(trial_asks_ever_less_often_and_not_never)
{
    struct trial t = known(1.1, 1);
    treated_of(&t, 4 * TRIAL_SELDOM);
    expect(treated_of(&t, 10 * TRIAL_SELDOM) == 10);
}

TEST(trial_changes_its_mind)
{
    struct trial t = known(1.5, 1);
    expect(treated_of(&t, TRIAL_RARE) == 0);
    for (int i = 0; i < 100; i++)
        trial_learn(&t, true, 0.1);
    expect(treated_of(&t, TRIAL_RARE) == TRIAL_RARE);
}
