#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

static bool tells(struct told *t, const char *expected)
{
    explain_task(&t->x, 0, 0, &t->out);
    return told_is(t, expected);
}

/* Attempt 0 was killed after so long, attempt 1, of this kind, won after 4 s. */
static void race(struct told *t, uint8_t kind, int64_t beaten_us)
{
    struct story_attempt *a = told_attempt(t, 0, LAUNCH_FIRST, 1000000);
    a->started_us = 1000000, a->ended_us = beaten_us, a->ending = EV_ATTEMPT_KILLED;
    a->ran_us = beaten_us - 1000000;
    a = told_attempt(t, 0, kind, 1000000);
    a->why = told_why(t, REASON(WHY_CLONE, 1, 2));
    a->started_us = 1000000, a->ended_us = 5000000, a->ending = EV_ATTEMPT_FINISHED;
    a->ran_us = 4000000, a->won = true;
    t->tasks[0][0].committed_us = 5000000, t->tasks[0][0].winner = 1;
    t->phases[0].committed = 1;
}

TEST(explain_task_head)
{
    struct told t;
    told_init(&t);
    expect(tells(&t, "Task 0 of phase map of job 7 (sort): never launched.\n"));
    told_attempt(&t, 0, LAUNCH_FIRST, 1000000);
    static const char attempt[] = "Attempt 0 (first) was launched at 1 s on n0 because its turn "
                                  "had come. It had not started when the journal ends.\n";
    struct story_task *task = &t.tasks[0][0];
    struct str text = {0};
    static const char *const heads[] = {
        "not done after 1 attempt",
        "done at 3 s, 2 s after its first launch, by attempt 0",
        "done at 3 s, but its output was lost later",
        "given up after 1 attempt; the job continues without it",
    };
    for (int i = 0; i < 4; i++) {
        task->committed_us = i > 0 ? 3000000 : -1;
        task->lost = i == 2;
        task->given_up_us = i == 3 ? 4000000 : -1;
        str_cut(&text, 0);
        str_addf(&text, "Task 0 of phase map of job 7 (sort): %s.\n%s", heads[i], attempt);
        expect(tells(&t, text.text));
    }
    str_free(&text);
    told_fini(&t);
}

TEST(explain_task_says_when_an_attempt_started)
{
    struct told t;
    told_init(&t);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 1000000);
    t.run.last_us = 3000000;
    a->started_us = 1000999;
    explain_task(&t.x, 0, 0, &t.out);
    expect(!strstr(t.out.text, "It started"));
    str_cut(&t.out, 0);
    a->started_us = 1001000;
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "had come. It started at 1.001 s. It still ran"));
    told_fini(&t);
}

TEST(explain_task_says_what_an_attempt_reads)
{
    static const struct {
        struct story_reads r;
        const char *text;
    } rows[] = {
        {{0}, ""},
        {{.assigned = 1, .whole = 1, .given_us = 1000999, .said = 1},
         " It was given all of map to read at its launch, alone."},
        {{.assigned = 2, .whole = 2, .given_us = 1001000},
         " It was given all of 2 phases to read, the last 0.001 s after its launch."},
        {{.assigned = 3, .whole = 1, .given_us = 1000000, .said = 2},
         " It was given all of map and 2 outputs of others to read at its launch."},
        {{.assigned = 1, .given_us = 3000000, .shared = 1, .siblings = 1},
         " It was given 1 output of the phases above to read 2 s after its launch, along with 1 "
         "sibling."},
        {{.assigned = 4, .given_us = 0, .shared = 2, .siblings = 1, .failed = 1},
         " It was given 4 outputs of the phases above to read at its launch, 2 of them shared with "
         "its siblings; 1 read failed."},
        {{.assigned = 4, .said = 4, .longest_us = 1000, .longest = {.task = 2}},
         " It was given 4 outputs of the phases above to read at its launch, alone, and the "
         "longest took 0.001 s (task 2)."},
        {{.assigned = 4, .said = 4, .longest_us = 2000000, .longest = {.task = TASK_ALL}},
         " It was given 4 outputs of the phases above to read at its launch, alone, and the "
         "longest took 2 s."},
        {{.assigned = 4, .said = 4, .longest_us = 999, .longest = {.task = 2}},
         " It was given 4 outputs of the phases above to read at its launch, alone."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        struct str text = {0};
        told_init(&t);
        told_attempt(&t, 0, LAUNCH_FIRST, 1000000)->reads = 0;
        vec_push(&t.job.reads, rows[i].r);
        str_addf(&text,
                 "Task 0 of phase map of job 7 (sort): not done after 1 attempt.\n"
                 "Attempt 0 (first) was launched at 1 s on n0 because its turn had come.%s It had "
                 "not started when the journal ends.\n",
                 rows[i].text);
        expect(tells(&t, text.text));
        str_free(&text);
        told_fini(&t);
    }
    struct told t;
    told_init(&t);
    t.run.last_us = 9000000;
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 1000000);
    a->reads = 0, a->started_us = 1000000, a->fed_us = 1000999;
    vec_push(&t.job.reads, ((struct story_reads){.assigned = 1, .said = 1}));
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "at its launch, alone. It still ran"));
    str_cut(&t.out, 0);
    a->fed_us = 1001000;
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "alone; the last was there 0.001 s after its start. It still ran"));
    told_fini(&t);
}

TEST(explain_task_says_what_would_have_been_without_a_clone)
{
    struct told t;
    told_init(&t);
    race(&t, LAUNCH_CLONE, 5000000);
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text,
                  "\nWithout the clone it would have taken at least 4 s, the time after which "
                  "attempt 0 was stopped; how much longer cannot be known.\n"));
    told_fini(&t);
    told_init(&t);
    race(&t, LAUNCH_BACKUP, 6000000);
    struct story_attempt *own = &t.job.attempts.at[0];
    own->ending = EV_ATTEMPT_FINISHED;
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "\nWithout the backup it would have taken 5 s instead of 4 s: "
                              "attempt 0 finished, 1 s later.\n"));
    str_cut(&t.out, 0);
    own->ending = EV_ATTEMPT_FAILED, own->cause = CAUSE_EXIT, own->detail = 3;
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "\nWithout the backup it would have had to run again: attempt 0 "
                              "failed with exit status 3.\n"));
    told_fini(&t);
    told_init(&t);
    race(&t, LAUNCH_CLONE, 6000000);
    t.job.attempts.at[0].won = true, t.job.attempts.at[1].won = false;
    t.tasks[0][0].winner = 0;
    explain_task(&t.x, 0, 0, &t.out);
    expect(strstr(t.out.text, "\nIts extra attempts won nothing: without them it would have been "
                              "done at 5 s as well.\n"));
    told_fini(&t);
}
