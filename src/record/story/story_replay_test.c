/* What would have been, worked out by hand for small phases. */

#include "record/story/story_script_test.h"
#include "tests/unit/test.h"

#define AT(task, attempt) ((struct attempt_ref){{0}, task, 0, attempt})

static struct story_script *begin(uint32_t maps)
{
    struct story_script *s = script_create("0");
    struct script_job job = {.maps = maps, .name = "j"};
    script_submit(s, 0, &job);
    return s;
}

/* The only attempt of a task. */
static void lone(struct story_script *s, double from_s, double to_s, uint32_t task, uint32_t node)
{
    script_launch(s, from_s, LAUNCH_FIRST, AT(task, 0), node);
    script_win(s, to_s, AT(task, 0));
}

static struct story_difference end_of(struct story_script *s, double at_s, bool alone)
{
    struct story_facts f;
    script_over(s, at_s, DO_JOB_DONE, 0);
    story_facts_init(&f, story_job(script_story(s)), alone, story_run(script_story(s))->last_us);
    struct story_difference d = f.would;
    story_facts_fini(&f);
    script_destroy(s);
    return d;
}

static struct story_difference end(struct story_script *s, double at_s)
{
    return end_of(s, at_s, true);
}

TEST(story_replay_whoever_waits_for_a_slot_waits_for_the_straggler)
{
    struct story_script *s = begin(3);
    lone(s, 0, 10, 0, 0);
    lone(s, 10, 12, 1, 0);
    lone(s, 12, 14, 2, 0);
    expect(end(s, 14).straggling_us ==
           8 * SCRIPT_SECOND); /* three tasks of 2 s, one after another */
}

TEST(story_replay_the_other_slots_take_what_the_straggler_did_not)
{
    struct story_script *s = begin(6);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0), 0);
    for (uint32_t i = 1; i < 6; i++)
        lone(s, 2 * (i - 1), 2 * i, i, 1);
    script_win(s, 20, AT(0, 0));
    expect(end(s, 20).straggling_us == 14 * SCRIPT_SECOND); /* six tasks of 2 s in two slots: 6 s */
}

TEST(story_replay_tasks_that_differ_a_little_do_not_straggle)
{
    struct story_script *s = begin(3);
    lone(s, 0, 2, 0, 0);
    lone(s, 2, 5, 1, 0);
    lone(s, 5, 11, 2, 0); /* twice the median of 3 s, and no more than that */
    expect(end(s, 11).straggling_us == 0);
}

/* Slots that were free while tasks waited, and no other job in sight: somebody held them back. */
TEST(story_replay_keeps_what_was_not_a_matter_of_slots)
{
    struct story_script *s = begin(4);
    lone(s, 0, 2, 0, 0);
    lone(s, 10, 30, 1, 0);
    lone(s, 40, 42, 2, 0);
    lone(s, 50, 52, 3, 0);
    expect(end(s, 52).straggling_us == 0);
}

TEST(story_replay_a_slot_that_others_got_is_not_used_again)
{
    struct story_script *s = begin(4);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0), 0);
    lone(s, 0, 2, 1, 1); /* then another job has it until 30 s */
    script_win(s, 20, AT(0, 0));
    lone(s, 20, 22, 2, 0);
    lone(s, 30, 32, 3, 1);
    /* Node 0 was ours until 22 s: tasks 0, 2 and 3 end there at 6 s. */
    expect(end_of(s, 32, false).straggling_us == 26 * SCRIPT_SECOND);
}

/* A clone in the last idle slot: without it the attempt that it beat goes on, and nobody waits. */
TEST(story_replay_without_clones)
{
    struct story_script *s = begin(2);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0), 0);
    lone(s, 0, 4, 1, 1);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1), 1);
    script_progress(s, 4, AT(0, 0), 10);
    script_progress(s, 8, AT(0, 0), 20); /* of 40 s, less what it may have done since */
    script_win(s, 8, AT(0, 1));
    script_kill(s, 8, 0, AT(0, 0));
    struct story_difference d = end(s, 8);
    expect(d.pace_saved_us / SCRIPT_SECOND == 20 && d.saved_us == 0);
    expect(d.low_saved_us < 14 * SCRIPT_SECOND && d.high_saved_us > 32 * SCRIPT_SECOND);
}

/* The slot that the loser held would have been held longer, and a task waits for it. */
TEST(story_replay_without_clones_others_wait_too)
{
    struct story_script *s = begin(3);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0), 0);
    script_launch(s, 0, LAUNCH_CLONE, AT(0, 1), 1);
    script_win(s, 4, AT(0, 1));
    script_launch(s, 4, LAUNCH_FIRST, AT(1, 0), 1);
    script_win(s, 8, AT(1, 0));
    script_event(s, 12, EV_ATTEMPT_FINISHED, AT(0, 0)); /* nobody had stopped it */
    lone(s, 12, 16, 2, 0);
    /* Two slots: 0 in the one until 12 s, 1 and 2 in the other until 8 s. Cloning has cost time. */
    expect(end(s, 16).saved_us == 0);
}

TEST(story_replay_counts_tasks_that_failed_for_good)
{
    struct story_script *s = begin(4);
    struct reason why = REASON(WHY_TOO_MANY_FAILURES, 1, 1);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0), 0);
    script_event(s, 9, EV_ATTEMPT_FAILED, AT(0, 0));
    script_verdict(s, 9, AT(0, 0), why);
    lone(s, 9, 19, 1, 0);
    lone(s, 19, 21, 2, 0);
    lone(s, 21, 23, 3, 0);
    expect(end(s, 23).straggling_us == 8 * SCRIPT_SECOND);
}

TEST(story_replay_one_task_is_no_yardstick)
{
    struct story_script *s = begin(1);
    lone(s, 0, 50, 0, 0);
    expect(end(s, 50).straggling_us == 0);
}
