#include "core/shepherd/luck.h"

#include <math.h>

#include "tests/unit/test.h"

static struct luck_record after(int won, int lost)
{
    struct luck_record l = {0};
    for (int i = 0; i < lost; i++)
        luck_add(&l, false);
    for (int i = 0; i < won; i++)
        luck_add(&l, true);
    return l;
}

TEST(luck_is_the_rule_of_succession)
{
    struct luck_record l = {0};
    expect(luck_mean(&l) == 0.5);
    l = after(9, 1);
    expect(fabs(luck_mean(&l) - 10.0 / 12) < 1e-12);
}

/* The stake after n wins: 2/2 x 4/3 x 6/4 x 8/5 x 10/6 = 2^n / (n + 1): 3.2 after four, 5.33 after
 * five. */
TEST(luck_is_proven_by_five_wins)
{
    struct luck_record four = after(4, 0), five = after(5, 0);
    expect(!luck_is_proven(&(struct luck_record){0}));
    expect(fabs(exp(four.evidence) - 3.2) < 1e-9 && !luck_is_proven(&four));
    expect(fabs(exp(five.evidence) - 32.0 / 6) < 1e-9 && luck_is_proven(&five));
}

/* After a loss the i-th win multiplies the stake by 2 i / (i + 2), but for the first two, which are
 * not bet on: 6/5 x 8/6 x 10/7 x 12/8 = 24/7 with six of them, and 14/9 of that with seven. */
TEST(luck_needs_more_after_a_loss)
{
    struct luck_record six = after(6, 1), seven = after(7, 1);
    expect(fabs(exp(six.evidence) - 24.0 / 7) < 1e-9 && !luck_is_proven(&six));
    expect(fabs(exp(seven.evidence) - 16.0 / 3) < 1e-9 && luck_is_proven(&seven));
}

/* Where copies lose, the stake stays; it does not grow by betting on losses. */
TEST(luck_is_never_proven_by_losses)
{
    struct luck_record l = after(0, 1000);
    expect(l.evidence == 0 && luck_mean(&l) < 0.01 && !luck_is_proven(&l));
}

/* At the bound of 1000 a loss costs a factor of 2 x 0.1: 200, 40, 8, 1.6. */
TEST(luck_notices_a_change)
{
    struct luck_record l = after(10000, 0);
    int losses = 0;
    expect(fabs(l.evidence - log(LUCK_BOUND)) < 1e-9 && l.won < LUCK_MEMORY + 2);
    for (; luck_is_proven(&l) && losses < 100; losses++)
        luck_add(&l, false);
    expect(losses == 4);
}
