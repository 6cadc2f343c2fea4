/* Who won, what would have been, and why something was slow: each answer from a small history. */
#include "record/story/story_pace.h"
#include "record/story/story_race.h"

#include <math.h>

#include "record/story/story_script_test.h"
#include "tests/unit/test.h"

#define AT(phase, task, attempt) ((struct attempt_ref){{0}, task, phase, attempt})

/* A job of two maps (and perhaps a reduce) of which map 0 takes 4 s from 0 s on. */
static struct story_script *begin(uint32_t reduces, const int64_t *inputs)
{
    struct story_script *s = script_create("0");
    struct script_job job = {.maps = 2, .reduces = reduces, .name = "j", .inputs = inputs};
    script_submit(s, 0, &job);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 0, 0), 0);
    script_win(s, 4, AT(0, 0, 0));
    return s;
}

static struct story_race race_of(struct story_script *s, uint32_t task)
{
    struct story_facts f;
    story_facts_init(&f, story_job(script_story(s)), true, story_run(script_story(s))->last_us);
    struct story_race r = story_race(story_job(script_story(s)), &f.phases[0],
                                     &story_job(script_story(s))->phases[0], task);
    story_facts_fini(&f);
    return r;
}

static struct story_facts facts_of(struct story_script *s)
{
    struct story_facts f;
    story_facts_init(&f, story_job(script_story(s)), true, story_run(script_story(s))->last_us);
    return f;
}

TEST(story_race_without_extra_attempts)
{
    struct story_script *s = begin(0, NULL);
    struct story_race r = race_of(s, 0);
    expect(r.winner && r.winner == r.own && r.alone == ALONE_SAME);
    expect(r.least_us == 4 * SCRIPT_SECOND && r.pace_us == 4 * SCRIPT_SECOND);
    expect(!race_of(s, 1).winner); /* never launched */
    script_destroy(s);
}

TEST(story_race_that_the_clone_loses)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 1);
    script_win(s, 9, AT(0, 1, 0));
    script_kill(s, 9, 0, AT(0, 1, 1));
    struct story_race r = race_of(s, 1);
    expect(r.alone == ALONE_SAME && r.winner->ordinal == 0 && r.least_us == 9 * SCRIPT_SECOND);
    script_destroy(s);
}

TEST(story_race_whose_loser_is_stopped)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 1);
    script_win(s, 9, AT(0, 1, 1));
    script_kill(s, 10, 2, AT(0, 1, 0)); /* dying does not count: it was asked to end at 10 s */
    struct story_race r = race_of(s, 1);
    expect(r.alone == ALONE_AT_LEAST && r.own->ordinal == 0);
    expect(r.least_us == 10 * SCRIPT_SECOND && r.pace_us == r.least_us);
    script_destroy(s);
}

TEST(story_race_whose_loser_finishes_too)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 1);
    script_win(s, 9, AT(0, 1, 1));
    script_event(s, 15, EV_ATTEMPT_FINISHED, AT(0, 1, 0));
    struct story_race r = race_of(s, 1);
    expect(r.alone == ALONE_KNOWN && r.least_us == 15 * SCRIPT_SECOND);
    script_destroy(s);
}

TEST(story_race_whose_loser_fails)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 1);
    script_event(s, 5, EV_ATTEMPT_FAILED, AT(0, 1, 0));
    script_win(s, 9, AT(0, 1, 1));
    struct story_race r = race_of(s, 1);
    expect(r.alone == ALONE_UNKNOWN && r.own->detail == 3);
    expect(story_job(script_story(s))->phases[0].tasks[1].failures == 1);
    script_destroy(s);
}

/* The restart is the attempt that the task has in any case, not the one that failed before it. */
TEST(story_race_after_a_restart)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_event(s, 5, EV_ATTEMPT_FAILED, AT(0, 1, 0));
    script_launch(s, 6, LAUNCH_RESTART, AT(0, 1, 1), 0);
    script_launch(s, 8, LAUNCH_BACKUP, AT(0, 1, 2), 1);
    script_win(s, 11, AT(0, 1, 2));
    script_kill(s, 11, 0, AT(0, 1, 1));
    struct story_facts f = facts_of(s);
    expect(race_of(s, 1).own->ordinal == 1);
    struct story_slow slow = story_race_slow(story_job(script_story(s)), &f.phases[0],
                                             &story_job(script_story(s))->phases[0], 1);
    expect(slow.noticed_us == 2 * SCRIPT_SECOND && slow.again_us == 0);
    expect(slow.behind_us == 7 * SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

/* A start is heard late, and so may an end be: what counts is how long the attempt really ran. */
TEST(story_attempt_that_is_heard_of_late)
{
    struct story_script *s = script_create("0");
    struct decision launch = {.type = DO_LAUNCH, .kind = LAUNCH_FIRST, .at = AT(0, 0, 0)};
    struct event up = {.type = EV_NODE_UP}, start = {.type = EV_ATTEMPT_STARTED, .at = AT(0, 0, 0)};
    struct event end = {.type = EV_ATTEMPT_FINISHED, .at = AT(0, 0, 0)};
    script_submit(s, 0, &(struct script_job){.maps = 1, .name = "j"});
    script_tell_event(s, 0, &up);
    script_tell_decision(s, 1 * SCRIPT_SECOND, &launch);
    start.u.late_us = 4 * SCRIPT_SECOND;
    script_tell_event(s, 6 * SCRIPT_SECOND, &start);
    const struct story_job *j = story_job(script_story(s));
    expect(j->attempts.at[0].started_us == 2 * SCRIPT_SECOND);
    end.u.use.wall_us = 5 * SCRIPT_SECOND;
    script_tell_event(s, 8 * SCRIPT_SECOND, &end); /* a second late */
    script_story(s);
    expect(j->attempts.at[0].started_us == 2 * SCRIPT_SECOND);
    expect(story_pace_work_us(&j->attempts.at[0]) == 5 * SCRIPT_SECOND);
    script_destroy(s);

    s = script_create("0"); /* an older journal, which does not say that the start was late */
    script_submit(s, 0, &(struct script_job){.maps = 1, .name = "j"});
    script_tell_event(s, 0, &up);
    script_tell_decision(s, 1 * SCRIPT_SECOND, &launch);
    start.u.late_us = 0;
    script_tell_event(s, 6 * SCRIPT_SECOND, &start);
    script_tell_event(s, 7 * SCRIPT_SECOND, &end);
    expect(story_job(script_story(s))->attempts.at[0].started_us == 2 * SCRIPT_SECOND);
    expect(story_pace_work_us(&story_job(script_story(s))->attempts.at[0]) == 5 * SCRIPT_SECOND);
    script_destroy(s);
}

/* The time per byte of the attempt over the median, which its rate is judged by. */
static double ratio_of(struct story_script *s, const struct story_phase_facts *f,
                       const struct story_attempt *a)
{
    struct pace_seen seen = story_pace_seen(story_job(script_story(s)), f, a);
    return pace_least(&f->pace, &seen);
}

TEST(story_rate_is_straggling_above_twice_the_median)
{
    struct story_script *s = begin(0, NULL);
    struct story_phase_facts f = {.has_medians = true, .median_bytes = 1, .median_per_byte = 2e6};
    const struct story_attempt *a = race_of(s, 0).winner;
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_FINE &&
           ratio_of(s, &f, a) == 2); /* 4 s is twice */
    f.median_per_byte = 2e6 - 1;
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_STRAGGLER);
    f.has_medians = false;
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_UNKNOWN);
    script_destroy(s);
}

TEST(story_rate_of_an_attempt_that_was_stopped)
{
    struct story_script *s = begin(0, NULL);
    struct story_phase_facts f = {.has_medians = true, .median_bytes = 1, .median_per_byte = 2e6};
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 0);
    script_progress(s, 5, AT(0, 1, 0), 20);
    script_progress(s, 6, AT(0, 1, 0), 40);
    script_win(s, 7, AT(0, 1, 1));
    script_kill(s, 7, 0, AT(0, 1, 0));
    const struct story_attempt *a = race_of(s, 1).own;
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_STRAGGLER);
    expect(fabs(ratio_of(s, &f, a) - 2.5) < 1e-9); /* 3 s for less than 60 % */
    script_destroy(s);

    s = begin(0, NULL);
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 0);
    script_win(s, 7, AT(0, 1, 1));
    script_kill(s, 7, 0, AT(0, 1, 0));
    a = race_of(s, 1).own; /* no report: 3 s were not enough, and that says nothing yet */
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_UNKNOWN &&
           ratio_of(s, &f, a) == 1.5);
    script_destroy(s);
}

/* One report is no pace, but enough to see that half of the work was not done in twice the time. */
TEST(story_rate_of_an_attempt_that_was_heard_of_once)
{
    struct story_script *s = begin(0, NULL);
    struct story_phase_facts f = {.has_medians = true, .median_bytes = 1, .median_per_byte = 2e6};
    script_launch(s, 4, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_launch(s, 4, LAUNCH_CLONE, AT(0, 1, 1), 0);
    script_progress(s, 5, AT(0, 1, 0), 30);
    script_win(s, 7, AT(0, 1, 1));
    script_kill(s, 7, 0, AT(0, 1, 0));
    const struct story_attempt *a = race_of(s, 1).own; /* 3 s for less than 60 % */
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_STRAGGLER &&
           ratio_of(s, &f, a) == 2.5);
    f.median_per_byte = 2.5e6;
    expect(story_race_rate(story_job(script_story(s)), &f, a) == RATE_UNKNOWN &&
           ratio_of(s, &f, a) == 2);
    expect(race_of(s, 1).alone == ALONE_PACE && race_of(s, 1).low_us >= 7 * SCRIPT_SECOND);
    script_destroy(s);
}

TEST(story_slow_by_skew_and_not_by_rate)
{
    static const int64_t inputs[] = {100, 300};
    struct story_script *s = begin(0, inputs);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_win(s, 12, AT(0, 1, 0));
    struct story_facts f = facts_of(s);
    struct story_slow slow = story_race_slow(story_job(script_story(s)), &f.phases[0],
                                             &story_job(script_story(s))->phases[0], 1);
    expect(f.phases[0].slowest == 1 && f.phases[0].median_bytes == 100);
    expect(slow.skew_us == 8 * SCRIPT_SECOND && slow.slow_us == 0 && slow.ratio == 1);
    expect(f.would.straggling_us == 0);
    expect(slow.node_others == 1 && slow.node_slow == 0); /* map 0 ran on the same node */
    int64_t held_us[STORY_CAUSES];
    story_race_causes(&f.phases[0], &slow, held_us);
    for (int i = 0; i < STORY_CAUSES; i++)
        expect(held_us[i] == (i == STORY_SKEW ? slow.skew_us : 0));
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_slow_because_it_ran_again)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 1, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_event(s, 5, EV_ATTEMPT_FAILED, AT(0, 1, 0));
    script_launch(s, 6, LAUNCH_RESTART, AT(0, 1, 1), 1);
    script_win(s, 10, AT(0, 1, 1));
    struct story_facts f = facts_of(s);
    struct story_slow slow = story_race_slow(story_job(script_story(s)), &f.phases[0],
                                             &story_job(script_story(s))->phases[0], 1);
    expect(slow.again_us == 5 * SCRIPT_SECOND && slow.late_us == 1 * SCRIPT_SECOND);
    expect(slow.slow_us == 0 && slow.node_others == 0);
    int64_t held_us[STORY_CAUSES];
    story_race_causes(&f.phases[0], &slow, held_us);
    expect(held_us[STORY_AGAIN] == slow.again_us && held_us[STORY_LATE] == slow.late_us);
    slow.late_us = f.phases[0].median_work_us / 10; /* noise */
    slow.slow_us = slow.node_others = slow.node_slow = 7;
    story_race_causes(&f.phases[0], &slow, held_us);
    expect(held_us[STORY_LATE] == 0 && held_us[STORY_SLOW_ATTEMPT] == 0);
    slow.slow_us = SCRIPT_SECOND * 100;
    story_race_causes(&f.phases[0], &slow, held_us);
    expect(held_us[STORY_SLOW_NODE] == slow.slow_us && held_us[STORY_SLOW_ATTEMPT] == 0);
    slow.node_others = 2 * slow.node_slow; /* half of them are not most of them */
    story_race_causes(&f.phases[0], &slow, held_us);
    expect(held_us[STORY_SLOW_NODE] == 0 && held_us[STORY_SLOW_ATTEMPT] == slow.slow_us);
    expect(f.would.straggling_us == 0); /* failing is not straggling */
    story_facts_fini(&f);
    script_destroy(s);
}

/* What is lost or saved in a phase carries through to the end of the job. */
TEST(story_facts_of_a_job_with_two_phases)
{
    struct story_script *s = begin(1, NULL);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 1, 0), 1);
    script_launch(s, 0, LAUNCH_CLONE, AT(0, 1, 1), 2);
    script_win(s, 10, AT(0, 1, 1));
    script_event(s, 13, EV_ATTEMPT_FINISHED, AT(0, 1, 0));
    script_launch(s, 11, LAUNCH_FIRST, AT(1, 0, 0), 0);
    script_win(s, 20, AT(1, 0, 0));
    script_over(s, 20, DO_JOB_DONE, 0);
    struct story_facts f = facts_of(s);
    expect(f.phases[0].ended_us == 10 * SCRIPT_SECOND &&
           f.phases[0].would.straggling_us == 6000000);
    expect(f.phases[1].opened_us == 10 * SCRIPT_SECOND && f.phases[1].begun_us == 11000000);
    expect(f.would.straggling_us == 6 * SCRIPT_SECOND && f.would.saved_us == 3 * SCRIPT_SECOND);
    expect(f.phases[0].won_by_extra == 1 && f.phases[0].beat_straggler == 1);
    expect(f.begun_us == 0 && f.ended_us == 20 * SCRIPT_SECOND);
    expect(f.won[LAUNCH_CLONE] == 1 && f.vain_slot_s[LAUNCH_FIRST] == 13);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_facts_of_a_job_that_is_not_done)
{
    struct story_script *s = begin(1, NULL);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 1, 0), 1);
    script_progress(s, 30, AT(0, 1, 0), 10);
    struct story_facts f = facts_of(s);
    expect(f.phases[0].ended_us < 0 && f.phases[1].opened_us < 0 && f.would.straggling_us == 0);
    expect(!f.phases[0].has_medians && f.slot_s == 34);
    story_facts_fini(&f);
    script_destroy(s);
}

/* What has ended holds nothing, also where it ended at the very beginning; what runs does until
 * now. */
TEST(story_facts_count_slots_by_kind_until_the_end)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 0, LAUNCH_CLONE, AT(0, 0, 1), 1);
    script_kill(s, 0, 0, AT(0, 0, 1));
    script_launch(s, 0, LAUNCH_CLONE, AT(0, 0, 2), 1);
    script_kill(s, 4, 1, AT(0, 0, 2));
    script_launch(s, 5, LAUNCH_BACKUP, AT(0, 1, 0), 1);
    script_progress(s, 8, AT(0, 1, 0), 10);
    struct story_facts f = facts_of(s);
    expect(f.slot_s == 4 + 0 + 5 + 3 && f.killed == 2);
    expect(f.vain_slot_s[LAUNCH_FIRST] == 0 && f.vain_slot_s[LAUNCH_CLONE] == 5);
    expect(f.vain_slot_s[LAUNCH_BACKUP] == 3 && f.won[LAUNCH_FIRST] == 1);
    expect(f.open_slot_s == 3);
    expect(f.won[LAUNCH_CLONE] == 0 && f.begun_us == 0 && f.ended_us == 4 * SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_output_that_is_lost_and_made_again)
{
    struct story_script *s = begin(0, NULL);
    const struct story_task *t = &story_job(script_story(s))->phases[0].tasks[0];
    script_event(s, 6, EV_OUTPUT_LOST, AT(0, 0, 0));
    const struct story_phase *p = &story_job(script_story(s))->phases[0];
    expect(t->lost && t->outputs_lost == 1 && p->committed == 1);
    script_event(s, 6, EV_OUTPUT_LOST, AT(0, 0, 0)); /* told twice */
    script_story(s);
    expect(t->outputs_lost == 1);
    script_launch(s, 7, LAUNCH_RECOMPUTE, AT(0, 0, 1), 1);
    script_win(s, 11, AT(0, 0, 1));
    expect(race_of(s, 0).own->ordinal == 1);
    expect(!t->lost && t->winner == 1 && p->committed == 1);
    script_destroy(s);
}

TEST(story_attempt_that_stands_still)
{
    struct story_script *s = begin(0, NULL);
    script_launch(s, 10, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_progress(s, 12, AT(0, 1, 0), 20);
    script_progress(s, 15, AT(0, 1, 0), 50);
    script_progress(s, 17, AT(0, 1, 0), 50);
    script_progress(s, 24, AT(0, 1, 0), 50);
    script_progress(s, 26, AT(0, 1, 0), 90);
    script_progress(s, 28, AT(0, 1, 0), 90);
    const struct story_job *j = story_job(script_story(s));
    const struct story_attempt *a = story_job_attempt(j, &j->phases[0].tasks[1], 0);
    expect(a->still_us == 9 * SCRIPT_SECOND && a->still_at == 0.5 && a->done == 0.9);
    script_destroy(s);
}

/* A task that failed for good, in a phase that bears it, does not keep the phase from ending. */
TEST(story_task_that_is_given_up)
{
    struct story_script *s = begin(0, NULL);
    struct reason why = REASON(WHY_TOO_MANY_FAILURES, 1, 1);
    script_launch(s, 0, LAUNCH_FIRST, AT(0, 1, 0), 0);
    script_event(s, 9, EV_ATTEMPT_FAILED, AT(0, 1, 0));
    script_verdict(s, 9, AT(0, 1, 0), why);
    script_verdict(s, 9, AT(0, 1, 0), why); /* counted once */
    struct story_facts f = facts_of(s);
    const struct story_phase *p = &story_job(script_story(s))->phases[0];
    expect(p->given_up == 1 && p->tasks[1].given_up_us == 9 * SCRIPT_SECOND && p->committed == 1);
    expect(f.phases[0].ended_us == 9 * SCRIPT_SECOND && p->cloning.why.code == WHY_NONE);
    story_facts_fini(&f);
    script_destroy(s);
}
