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

TEST(attempt_table_counts_failures_of_a_task_alone)
{
    struct attempt_table r = {0};
    uint32_t newest = ATTEMPT_TABLE_NONE;
    struct attempt_ref twin = {{1 | 1u << 16}, 5, 1, 0}; /* of the same key */

    for (uint16_t i = 0; i < 3; i++)
        attempt_table_add(&r, (struct attempt_ref){{1}, 5, 0, i}, (struct node_id){i}, &newest);
    attempt_table_add(&r, twin, (struct node_id){0}, &newest);
    expect(attempt_table_failures(&r, twin) == 0 && attempt_table_failures(&r, r.at.at[1].at) == 0);
    r.at.at[0].failed = r.at.at[2].failed = r.at.at[3].failed = true;
    expect(attempt_table_failures(&r, twin) == 1 && attempt_table_failures(&r, r.at.at[1].at) == 2);
    expect(r.at.at[2].node.v == 2 && r.at.at[2].state == ROW_LAUNCHING);
    expect(r.at.at[2].dir == ATTEMPT_TABLE_NONE && r.at.at[2].copies == ATTEMPT_TABLE_NONE);
    expect(attempt_row_lives(&r.at.at[2]));
    r.at.at[1].state = ROW_COMMITTED;
    expect(attempt_table_winner(&r, r.at.at[2].at) == 1);
    expect(attempt_table_winner(&r, twin) == ATTEMPT_TABLE_NONE);
    attempt_table_fini(&r);
}
