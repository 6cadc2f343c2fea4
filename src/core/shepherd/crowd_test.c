#include "core/shepherd/crowd.h"

#include "tests/unit/test.h"

/* One race at a time, and one more for each twenty attempts that run. */
TEST(crowd_of_open_races)
{
    const struct crowd c = {0};
    expect(crowd_may_try(&c, 0, 0, 0) && !crowd_may_try(&c, 0, 1, 19));
    expect(crowd_may_try(&c, 0, 1, 20) && crowd_may_try(&c, 0, 2, 59));
    expect(!crowd_may_try(&c, 0, 3, 59));
}

/* Five before anything has ended. After a thousand ends, nine copies and no win it is 5 + 2 x 1/11
 * x 50 = 14.09; after 14 copies 5 + 2 x 1/16 x 50 = 11.25, or 36.25 if four of them have won. */
TEST(crowd_grows_with_what_has_ended_and_won)
{
    expect(crowd_may_try(&(struct crowd){0, 4}, 0, 0, 0));
    expect(!crowd_may_try(&(struct crowd){0, 5}, 0, 0, 0));
    expect(crowd_may_try(&(struct crowd){1000, 9}, 0, 0, 0));
    expect(!crowd_may_try(&(struct crowd){1000, 14}, 0, 0, 0));
    expect(crowd_may_try(&(struct crowd){1000, 14}, 4, 0, 0));
}
