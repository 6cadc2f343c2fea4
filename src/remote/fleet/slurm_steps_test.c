#include "remote/fleet/slurm_steps.h"

#include "tests/unit/test.h"

#define SEC 1000000LL

TEST(slurm_steps_start_all_at_once_and_then_those_that_are_lost)
{
    struct slurm_steps s;
    int64_t next_us = INT64_MAX;

    slurm_steps_init(&s, 4, false, 100 * SEC);
    expect(slurm_steps_turn(&s, 0, 100 * SEC, &next_us) == 4);
    expect(slurm_steps_turn(&s, 0, 101 * SEC, &next_us) == 0 && next_us == 110 * SEC);
    expect(slurm_steps_turn(&s, 4, 102 * SEC, &next_us) == 0);
    /* One is lost; it has 3 s to come back. A second one is lost a moment later. */
    next_us = INT64_MAX;
    expect(slurm_steps_turn(&s, 3, 103 * SEC, &next_us) == 0 && next_us == 106 * SEC);
    expect(slurm_steps_turn(&s, 2, 105 * SEC, &next_us) == 0);
    expect(slurm_steps_turn(&s, 2, 106 * SEC, &next_us) == 2);
    expect(slurm_steps_turn(&s, 4, 107 * SEC, &next_us) == 0);
}

TEST(slurm_steps_in_vain_come_later_and_end)
{
    struct slurm_steps s;
    int64_t next_us = INT64_MAX;

    slurm_steps_init(&s, 2, false, 0);
    expect(slurm_steps_turn(&s, 0, 0, &next_us) == 2);
    slurm_steps_ended(&s); /* srun: error */
    expect(slurm_steps_turn(&s, 0, 0, &next_us) == 0 && next_us == 5 * SEC / 2);
    expect(slurm_steps_turn(&s, 0, 5 * SEC / 2, &next_us) == 2);
    slurm_steps_ended(&s);
    next_us = INT64_MAX;
    expect(slurm_steps_turn(&s, 0, 3 * SEC, &next_us) == 0 && next_us == 15 * SEC / 2);
    expect(slurm_steps_hopes(&s));
    expect(slurm_steps_turn(&s, 0, 8 * SEC, &next_us) == 2);
    slurm_steps_ended(&s);
    expect(slurm_steps_turn(&s, 0, 18 * SEC, &next_us) == 0 && !slurm_steps_hopes(&s));
    expect(slurm_steps_turn(&s, 0, 400 * SEC, &next_us) == 0);
    expect(slurm_steps_turn(&s, 1, 401 * SEC, &next_us) == 1 && slurm_steps_hopes(&s));
}

/* What was given up stays so: agents that are left may come back, but no step starts for them. */
TEST(slurm_steps_that_are_given_up_do_not_come_again)
{
    struct slurm_steps s;
    int64_t next_us = INT64_MAX;

    slurm_steps_init(&s, 2, false, 0);
    expect(slurm_steps_turn(&s, 0, 0, &next_us) == 2);
    slurm_steps_give_up(&s);
    expect(slurm_steps_turn(&s, 0, 400 * SEC, &next_us) == 0 && !slurm_steps_hopes(&s));
    expect(slurm_steps_turn(&s, 1, 401 * SEC, &next_us) == 0 && slurm_steps_hopes(&s));
    expect(slurm_steps_turn(&s, 1, 4000 * SEC, &next_us) == 0);
    expect(slurm_steps_turn(&s, 0, 4001 * SEC, &next_us) == 0);
}

TEST(slurm_steps_of_a_node_that_is_down_do_not_end_the_others)
{
    struct slurm_steps s;
    int64_t next_us, now_us = 0;
    uint32_t started = 0;

    slurm_steps_init(&s, 2, false, 0);
    slurm_steps_turn(&s, 0, 0, &next_us);
    slurm_steps_turn(&s, 2, SEC, &next_us);
    for (now_us = 2 * SEC; now_us < 3600 * SEC; now_us += SEC)
        started += slurm_steps_turn(&s, 1, now_us, &next_us);
    expect(started > 10 && started < 30 && slurm_steps_hopes(&s));
}

TEST(slurm_steps_of_a_second_coordinator_wait_for_agents_that_linger)
{
    struct slurm_steps s;
    int64_t next_us = INT64_MAX;

    slurm_steps_init(&s, 4, true, 100 * SEC);
    expect(slurm_steps_turn(&s, 0, 100 * SEC, &next_us) == 0 && next_us == 110 * SEC);
    expect(slurm_steps_turn(&s, 3, 109 * SEC, &next_us) == 0);
    expect(slurm_steps_turn(&s, 3, 110 * SEC, &next_us) == 1);
}
