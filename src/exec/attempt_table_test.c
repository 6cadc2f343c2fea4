#include "exec/attempt_table.h"

#include "tests/unit/test.h"

TEST(attempt_table_finds_attempts_by_name)
{
    struct attempt_table r = {0};
    uint32_t newest = ATTEMPT_TABLE_NONE;
    struct attempt_ref a = {{1}, 5, 0, 0}, b = {{1}, 5, 0, 1}, c = {{1}, 5, 1, 0};
    /* Same key as a, different task: 48 bits up is where job ids end. */
    struct attempt_ref twin = {{1 | 1u << 16}, 5, 1, 0};

    expect(attempt_table_find(&r, a) == ATTEMPT_TABLE_NONE);
    expect(attempt_table_add(&r, a, (struct node_id){0}, &newest) == 0);
    expect(attempt_table_add(&r, b, (struct node_id){0}, &newest) == 1);
    expect(attempt_table_add(&r, twin, (struct node_id){0}, &newest) == 2);
    expect(attempt_table_find(&r, a) == 0 && attempt_table_find(&r, b) == 1 &&
           attempt_table_find(&r, twin) == 2);
    expect(attempt_table_find(&r, c) == ATTEMPT_TABLE_NONE);
    expect(newest == 2 && r.at.at[2].job_prev == 1 && r.live == 3);

    expect(!attempt_table_is_alone(&r, 0) && attempt_table_is_alone(&r, 2));
    r.at.at[1].state = ROW_GONE;
    expect(attempt_table_is_alone(&r, 0));

    expect(!attempt_table_committed(&r, a));
    r.at.at[2].state = ROW_COMMITTED;
    expect(!attempt_table_committed(&r, a) && attempt_table_committed(&r, twin));
    r.at.at[1].state = ROW_COMMITTED;
    expect(attempt_table_committed(&r, a));
    attempt_table_fini(&r);
}
