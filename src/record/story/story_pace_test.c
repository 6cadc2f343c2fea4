/* How long those would have taken that were stopped: from little histories of four tasks that take
 * 4 s where nothing goes wrong. */

#include "record/story/story_pace.h"
#include "record/story/story_race.h"
#include "record/story/story_script_test.h"
#include "tests/unit/test.h"

#define AT(task, attempt) ((struct attempt_ref){{0}, task, 0, attempt})

enum { TASKS = 4, CLONED = 2 };

/* Tasks 2 and 3 have a clone that wins, and their own attempts are stopped at 5 s, after they have
 * reported as `slow` says: one in `slow` of the median rate, in steps of so many percent. */
static struct story_script *run_of(const double slow[CLONED], const int step[CLONED])
{
    struct story_script *s = script_create("0");
    script_submit(s, 0, &(struct script_job){.maps = TASKS, .name = "j"});
    for (uint32_t t = 0; t < TASKS; t++)
        script_launch(s, 0, LAUNCH_FIRST, AT(t, 0), t);
    for (uint32_t t = 0; t < CLONED; t++)
        script_launch(s, 0, LAUNCH_CLONE, AT(t + 2, 1), TASKS + t);
    for (uint32_t t = 0; t < CLONED; t++)
        for (int done = step[t]; step[t] && done * 0.04 * slow[t] < 5; done += step[t])
            script_progress(s, done * 0.04 * slow[t], AT(t + 2, 0), done);
    for (uint32_t t = 0; t < TASKS; t++)
        script_win(s, 4, AT(t, t < 2 ? 0 : 1));
    for (uint32_t t = 0; t < CLONED; t++)
        script_kill(s, 5, 0, AT(t + 2, 0));
    script_over(s, 5, DO_JOB_DONE, 0);
    return s;
}

static struct story_race race_of(struct story_script *s, uint32_t task, struct story_facts *f)
{
    story_facts_init(f, story_job(script_story(s)), true, story_run(script_story(s))->last_us);
    return story_race(story_job(script_story(s)), &f->phases[0],
                      &story_job(script_story(s))->phases[0], task);
}

/* From its start, or from when its inputs were there, for as long as its body says that it ran. */
TEST(story_pace_counts_the_time_that_an_attempt_worked)
{
    static const struct {
        int64_t started_us, fed_us, ended_us, ran_us, want_us;
    } rows[] = {
        {-1, -1, -1, -1, 0},
        {-1, -1, 90, -1, 0},
        {10, -1, -1, -1, 0},
        {0, -1, 90, -1, 90},
        {10, -1, 90, -1, 80},
        {10, 30, 90, -1, 60},
        {10, 5, 90, -1, 80},
        {10, -1, 90, 50, 50},
        {10, 30, 90, 50, 30},
        {10, 100, 90, -1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct story_attempt a = {.started_us = rows[i].started_us,
                                  .fed_us = rows[i].fed_us,
                                  .ended_us = rows[i].ended_us,
                                  .ran_us = rows[i].ran_us};
        expect(story_pace_work_us(&a) == rows[i].want_us);
    }
}

/* Beaten or not, an attempt is counted by one rule. */
TEST(story_pace_of_one_report_makes_no_known_straggler)
{
    struct story_facts f;
    struct story_script *s = run_of((double[]){8, 8}, (int[]){15, 3});
    race_of(s, 2, &f);
    expect(f.phases[0].stragglers == 1 && f.phases[0].beat_straggler == 1);
    expect(f.phases[0].beat_unknown == 1);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_pace_of_one_that_has_reported_a_lot_is_its_own)
{
    struct story_facts f;
    struct story_script *s = run_of((double[]){8, 2.5}, (int[]){1, 1});
    struct story_race r = race_of(s, 2, &f);
    expect(f.phases[0].pace.known == 2 && f.phases[0].beat_straggler == 2);
    expect(r.alone == ALONE_PACE && r.low_us < 32 * SCRIPT_SECOND && r.high_us > 32000000);
    expect(r.pace_us > 24 * SCRIPT_SECOND && r.pace_us < 36 * SCRIPT_SECOND);
    r = story_race(story_job(script_story(s)), &f.phases[0], &story_job(script_story(s))->phases[0],
                   3);
    expect(r.low_us < 10 * SCRIPT_SECOND && r.pace_us > 8 * SCRIPT_SECOND);
    expect(r.pace_us < 14 * SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_pace_of_one_that_has_said_nothing_is_that_of_the_others)
{
    struct story_facts f;
    struct story_script *s = run_of((double[]){8, 8}, (int[]){2, 0});
    struct story_race silent = race_of(s, 3, &f);
    struct story_race loud = story_race(story_job(script_story(s)), &f.phases[0],
                                        &story_job(script_story(s))->phases[0], 2);
    expect(f.phases[0].pace.known == 1 && f.phases[0].unsure == 0);
    expect(silent.alone == ALONE_PACE && silent.pace_us > 24 * SCRIPT_SECOND);
    expect(silent.pace_us < 40 * SCRIPT_SECOND);
    /* ... but that is known less well. */
    expect(silent.low_us < loud.low_us && silent.high_us > loud.high_us);
    /* Both are over when the last one is. */
    expect(f.would.pace_saved_us > 20 * SCRIPT_SECOND && f.would.low_saved_us > SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_pace_of_few_reports_leaves_a_wide_range)
{
    struct story_facts f;
    struct story_script *few = run_of((double[]){8, 8}, (int[]){12, 12});
    struct story_race a = race_of(few, 2, &f);
    story_facts_fini(&f);
    struct story_script *many = run_of((double[]){8, 8}, (int[]){1, 1});
    struct story_race b = race_of(many, 2, &f);
    expect((double)a.high_us / (double)a.low_us > 1.2 * (double)b.high_us / (double)b.low_us);
    expect(a.low_us < 32 * SCRIPT_SECOND && a.high_us > 32 * SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(few);
    script_destroy(many);
}

/* What straggles takes at least twice the median, and nothing ends before it was stopped. */
TEST(story_pace_has_a_floor)
{
    struct story_facts f;
    struct story_script *s = run_of((double[]){2.2, 2.2}, (int[]){30, 30});
    struct story_race r = race_of(s, 2, &f);
    expect(r.alone == ALONE_PACE && r.low_us == 8 * SCRIPT_SECOND && r.pace_us > r.low_us);
    story_facts_fini(&f);
    script_destroy(s);
    s = run_of((double[]){1.3, 1.3}, (int[]){1, 1}); /* it would have been done 0.2 s later */
    r = race_of(s, 2, &f);
    expect(f.phases[0].beat_straggler == 0 && f.phases[0].pace.known == 0);
    expect(r.alone == ALONE_PACE && r.low_us >= 5 * SCRIPT_SECOND && r.high_us < 6 * SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

TEST(story_pace_without_reports_cannot_be_known)
{
    struct story_facts f;
    struct story_script *s = run_of((double[]){8, 8}, (int[]){0, 0});
    struct story_race r = race_of(s, 2, &f);
    expect(r.alone == ALONE_AT_LEAST && r.least_us == 5 * SCRIPT_SECOND);
    expect(f.phases[0].unsure == 2 && f.phases[0].pace.known == 0);
    /* A second is certain, which is a quarter of the phase. */
    expect(f.would.saved_us == SCRIPT_SECOND && f.would.low_saved_us == SCRIPT_SECOND);
    story_facts_fini(&f);
    script_destroy(s);
}

/* Two that are eight times slower: one needed 2 s to begin, one was quick for a moment. What they
 * have reported since says how slow they are. */
TEST(story_pace_is_that_since_the_first_report)
{
    for (int leap = 0; leap < 2; leap++) {
        struct story_facts f;
        struct story_script *s = script_create("0");
        script_submit(s, 0, &(struct script_job){.maps = TASKS, .name = "j"});
        for (uint32_t t = 0; t < TASKS; t++)
            script_launch(s, 0, LAUNCH_FIRST, AT(t, 0), t);
        script_launch(s, 0, LAUNCH_CLONE, AT(3, 1), TASKS);
        for (int done = 1; done <= (leap ? 15 : 9); done++)
            script_progress(s, 0.32 * done + (leap ? 0 : 2), AT(3, 0), done + (leap ? 10 : 0));
        for (uint32_t t = 0; t < TASKS; t++)
            script_win(s, 4, AT(t, t < 3 ? 0 : 1));
        script_kill(s, 5, 0, AT(3, 0));
        script_over(s, 5, DO_JOB_DONE, 0);
        struct story_race r = race_of(s, 3, &f);
        int64_t truth_us = (leap ? 29 : 34) * INT64_C(1000000);
        expect(r.alone == ALONE_PACE && r.low_us < truth_us && r.high_us > truth_us);
        expect(r.pace_us > truth_us * 4 / 5 && r.pace_us < truth_us * 5 / 4);
        story_facts_fini(&f);
        script_destroy(s);
    }
}
