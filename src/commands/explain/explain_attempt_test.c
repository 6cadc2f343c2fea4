#include <signal.h>

#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

/* ---- launches ---- */

static bool launched(struct told *t, struct story_attempt *a, struct reason why,
                     const char *expected)
{
    a->why = told_why(t, why);
    explain_attempt_launch(&t->x, a, &t->out);
    return told_is(t, expected);
}

TEST(explain_attempt_says_why_it_was_launched)
{
    static const struct {
        uint8_t kind;
        struct reason why;
        const char *text;
    } rows[] = {
        {LAUNCH_FIRST, {WHY_RUNNABLE, 0, {0}}, "because its turn had come"},
        {LAUNCH_FIRST,
         {WHY_STANDING, 3, {2, 3, 0}},
         "because its turn had come: its job had rank 2, with 3 cluster-seconds of work left"},
        {LAUNCH_CLONE, {WHY_CLONE, 2, {1, 3}}, "as clone 1 of 2"},
        {LAUNCH_CLONE,
         {WHY_UNSAFE_NODES, 3, {0.25, 0.01, 1}},
         "as a clone, because the nodes so far straggle together with probability 0.25 and 0.01 is "
         "wanted"},
        {LAUNCH_CLONE,
         {WHY_RESCUE, 5, {52, 40, 12, 9, 10}},
         "as a copy, because the task would end 40 s after the rest of its phase, and a fresh copy "
         "takes about 12 s; 9 of 10 such copies have won so far"},
        {LAUNCH_BACKUP,
         {WHY_RESCUE, 5, {52, 40, 12, 0, 0}},
         "as a copy, because the task would end 40 s after the rest of its phase, and a fresh copy "
         "takes about 12 s"},
        {LAUNCH_CLONE,
         {WHY_HEDGE, 4, {0.2, 12, 1, 10}},
         "as a copy in advance, in case that all attempts of the task so far are slow (probability "
         "0.2); a later copy would be late, as it takes about 12 s"},
        {LAUNCH_CLONE,
         {WHY_HEDGE, 4, {0.1, 0, 1, 10}}, /* nothing is known of its phase */
         "as a copy in advance, in case that all attempts of the task so far are slow (probability "
         "0.1)"},
        {LAUNCH_RESTART, {WHY_AFTER_FAILURE, 1, {0}}, "again, because no attempt was left"},
        {LAUNCH_RESTART,
         {WHY_AFTER_FAILURE, 1, {2}},
         "again, because no attempt was left; failure 2 of the task"},
        {LAUNCH_RECOMPUTE,
         {WHY_OUTPUT_LOST, 0, {0}},
         "to make its output again: what had been committed was lost"},
        {LAUNCH_FIRST, {WHY_CLOCK, 0, {0}}, "because of clock"},
        {LAUNCH_BACKUP,
         {WHY_SLOWEST_LEFT, 5, {12.5, 0.01, 0.02, 8, 0}},
         "as a backup, because the task was slow: after 8 s it went at 1 % a second, where slow "
         "begins below 2 %, and had about 12.5 s to go"},
        {LAUNCH_BACKUP,
         {WHY_SLOWEST_LEFT, 5, {1e9, 0.01, 0.02, 8, 1}},
         "as a backup, because the task was slow: after 8 s it went at 1 % a second, where slow "
         "begins below 2 %, and no end was in sight (judged by its siblings: it reports no "
         "progress)"},
        {LAUNCH_BACKUP,
         {WHY_BEHIND_MEAN, 3, {0.25, 0.5, 60}},
         "as a backup, because the task was behind: after 60 s it had done 25 %, its phase 50 % on "
         "average"},
        {LAUNCH_BACKUP,
         {WHY_PHASE_ENDS, 3, {3, 4, 60}},
         "as a backup, because 3 of 4 tasks of the phase were done and the task still ran after 60 "
         "s"},
        {LAUNCH_BACKUP,
         {WHY_PAST_QUANTILE, 2, {60, 30}},
         "as a backup, because the task had run for 60 s, and most finished tasks took no more "
         "than 30 s"},
        {LAUNCH_BACKUP,
         {WHY_DUPLICATE_SAVES, 4, {60, 30, 0.5, 1}},
         "as a backup, because the task had about 60 s to go and a new attempt should take 30 s"},
        {LAUNCH_BACKUP, {WHY_CLOCK, 0, {0}}, "as a backup, because of clock"},
        {LAUNCH_BACKUP, {WHY_RUNNABLE, 0, {0}}, "because its turn had come"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        told_init(&t);
        expect(launched(&t, told_attempt(&t, 0, rows[i].kind, 5), rows[i].why, rows[i].text));
        told_fini(&t);
    }
}

TEST(explain_attempt_names_the_one_that_it_replaces)
{
    struct told t;
    told_init(&t);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    a->ended_us = 10, a->ending = EV_ATTEMPT_FAILED, a->cause = CAUSE_EXIT, a->detail = 3;
    a = told_attempt(&t, 0, LAUNCH_CLONE, 0);
    a->ended_us = 10, a->ending = EV_ATTEMPT_KILLED; /* for its sibling: it replaces nothing */
    a = told_attempt(&t, 0, LAUNCH_RESTART, 10);
    expect(launched(&t, a, REASON(WHY_AFTER_FAILURE, 1),
                    "again, because attempt 0 failed with exit status 3; failure 1 of the task"));
    a->launched_us = 9; /* when that one was not over */
    expect(launched(&t, a, REASON(WHY_AFTER_FAILURE, 0), "again, because no attempt was left"));
    a = &t.job.attempts.at[1]; /* a clone that failed does count */
    a->ending = EV_ATTEMPT_FAILED, a->cause = CAUSE_EXIT, a->detail = 4;
    a = &t.job.attempts.at[2];
    a->launched_us = 10;
    expect(launched(&t, a, REASON(WHY_AFTER_FAILURE, 0),
                    "again, because attempt 1 failed with exit status 4"));
    told_fini(&t);
}

TEST(explain_attempt_names_the_one_that_it_backs_up)
{
    struct told t;
    told_init(&t);
    told_attempt(&t, 0, LAUNCH_FIRST, 0)->ended_us = 10;
    told_attempt(&t, 0, LAUNCH_RESTART, 10)->ended_us = 50;
    told_attempt(&t, 0, LAUNCH_CLONE, 10);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_BACKUP, 20);
    struct reason why = REASON(WHY_PAST_QUANTILE, 2, 1);
    expect(launched(&t, a, why,
                    "as a backup, because attempt 1 had run for 2 s, and most finished tasks took "
                    "no more than 1 s"));
    a->launched_us = 50; /* it has ended by then */
    expect(launched(&t, a, why,
                    "as a backup, because attempt 2 had run for 2 s, and most finished tasks took "
                    "no more than 1 s"));
    told_fini(&t);
}

TEST(explain_attempt_names_the_output_that_was_lost)
{
    struct told t;
    told_init(&t);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    a->ended_us = 10, a->won = true;
    a = told_attempt(&t, 0, LAUNCH_RECOMPUTE, 12);
    a->ended_us = 20, a->won = true, a->node = (struct node_id){1};
    a = told_attempt(&t, 0, LAUNCH_RECOMPUTE, 20);
    expect(launched(&t, a, REASON_PLAIN(WHY_OUTPUT_LOST),
                    "to make its output again: what attempt 1 had committed on node 1 was lost"));
    a->launched_us = 19;
    expect(launched(&t, a, REASON_PLAIN(WHY_OUTPUT_LOST),
                    "to make its output again: what attempt 0 had committed on n0 was lost"));
    told_fini(&t);
}

/* ---- failures ---- */

TEST(explain_attempt_says_how_it_failed)
{
    static const struct {
        uint8_t ending, cause;
        int32_t detail;
        bool commit_failed;
        const char *text;
    } rows[] = {
        {EV_ATTEMPT_FAILED, CAUSE_EXIT, 3, false, "failed with exit status 3"},
        {EV_ATTEMPT_FAILED, CAUSE_SIGNAL, SIGKILL, false, "died of signal 9 (Killed)"},
        {EV_ATTEMPT_FAILED, CAUSE_SYSTEM, 2, false,
         "failed: a system call failed: No such file or directory"},
        {EV_ATTEMPT_FAILED, CAUSE_NODE_FAULT, 28, false,
         "failed: its node failed: No space left on device"},
        {EV_ATTEMPT_FAILED, CAUSE_NODE_DOWN, 0, false, "failed: its node went down"},
        {EV_ATTEMPT_FAILED, CAUSE_OUTPUT_GONE, 0, false, "failed: an output was gone"},
        {EV_ATTEMPT_FAILED, CAUSE_DISK_FULL, 0, false, "failed: the disk was full"},
        {EV_ATTEMPT_FAILED, CAUSE_TIMEOUT, 0, false, "failed: it took too long"},
        {EV_ATTEMPT_FAILED, CAUSE_INJECTED, 0, false, "failed: it was made to fail on purpose"},
        {EV_ATTEMPT_FAILED, CAUSE_JOB_OVER, 0, false, "failed: the job was over"},
        {EV_ATTEMPT_FAILED, CAUSE_ALREADY_ENDED, 0, false, "failed: cause already_ended"},
        {EV_ATTEMPT_FAILED, CAUSE_END, 0, false, "failed: cause ?"},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_WITHDRAWN, 0, false, "was withdrawn"},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NO_SUCH_FILE, 0, false,
         "could not be started: the command does not exist or cannot be executed"},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NO_ROOM, 0, false,
         "could not be started: the node had no room for it"},
        {EV_ATTEMPT_LOST, CAUSE_EXIT, 3, false,
         "was lost: its node went down, or the run was interrupted"},
        {EV_ATTEMPT_KILLED, CAUSE_EXIT, 3, false, "was killed"},
        {EV_ATTEMPT_FINISHED, CAUSE_EXIT, 3, false, "finished"},
        {EV_ATTEMPT_FINISHED, CAUSE_DISK_FULL, 0, true,
         "could not be committed: the disk was full"},
    };
    struct told t;
    told_init(&t);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        a->ending = rows[i].ending, a->cause = rows[i].cause, a->detail = rows[i].detail;
        a->commit_failed = rows[i].commit_failed;
        explain_attempt_failure(&t.x, a, &t.out);
        expect(told_is(&t, rows[i].text));
    }
    a->ending = EV_ATTEMPT_LOST;
    t.x.body = (char *)(uintptr_t) "sim";
    explain_attempt_failure(&t.x, a, &t.out);
    expect(told_is(&t, "was lost with its node"));
    told_fini(&t);
}

/* ---- endings ---- */

static bool ended(struct told *t, const struct story_attempt *a, const char *expected)
{
    explain_attempt_ending(&t->x, a, &t->out);
    return told_is(t, expected);
}

TEST(explain_attempt_says_why_it_was_stopped)
{
    static const struct {
        struct reason why;
        const char *text;
    } rows[] = {
        {{WHY_LOST_RACE, 0, {0}}, "because another attempt had won"},
        {{WHY_JOB_OVER, 0, {0}}, "because the job was over"},
        {{WHY_REPLICA_LOST, 1, {2}}, "because copy 2 of the whole job ended first"},
        {{WHY_YIELD, 0, {0}}, "to give its place to a first attempt"},
        {{WHY_NO_IDLE_CORE, 3, {1, 0.5, 0.25}},
         "because no core was idle: attempts took 0.5 of one each, others left 0.25 of one for "
         "clones, and 1 clone ran"},
        {{WHY_DISK_FULL, 0, {0}}, "because a disk was full"},
        {{WHY_PREEMPTED, 3, {9, 1, 4}},
         "because job 9 with 1 task needed the clone budget, and this one has 4"},
        {{WHY_BUDGET_SHRANK, 2, {3, 1.5}},
         "because the cluster shrank: extra attempts held 3 and may hold 1.5"},
        {{WHY_HOPELESS_INPUT, 0, {0}},
         "because an output that it reads was lost, and making that again may need its room"},
        {{WHY_PRUNED, 2, {12.5, 3}}, "because it had about 12.5 s to go, the most of 3 attempts"},
        {{WHY_RESTART_FASTER, 4, {12.5, 4, 0.5, 0}},
         "because it had about 12.5 s to go and a new start should take 4 s"},
        {{WHY_CAP, 3, {5, 9, RES_CPU}},
         "because extra attempts cost more than the cap allows: they had used 5 slot-seconds "
         "within an hour, of 9 for the whole of it"},
        {{WHY_PRESSURE, 3, {0, 0.5, 0.25}},
         "because the disk of n0 was busy: something waited for it 50 % of the time"},
        {{WHY_PRESSURE, 3, {1, 0.25, 0.5}},
         "because the memory of node 1 was short: something waited for it 50 % of the time"},
        {{WHY_PRESSURE, 3, {1, 0.5, 0.5}},
         "because the disk of node 1 was busy: something waited for it 50 % of the time"},
        {{WHY_PRESSURE, 0, {0}}, "because the disk or the memory of its node was busy"},
        {{WHY_CLOCK, 0, {0}}, "because of clock"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        struct str text = {0};
        told_init(&t);
        struct story_attempt *a = told_attempt(&t, 0, LAUNCH_CLONE, 0);
        a->started_us = 0, a->ended_us = a->stop_us = 2000000, a->ending = EV_ATTEMPT_KILLED;
        a->stop_why = told_why(&t, rows[i].why);
        str_addf(&text, "It ran for 2 s and was killed at 2 s %s.", rows[i].text);
        expect(ended(&t, a, text.text));
        str_free(&text);
        told_fini(&t);
    }
}

TEST(explain_attempt_that_was_killed_says_who_won_and_how_far_it_was)
{
    struct told t;
    told_init(&t);
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    a->ended_us = 2000000, a->won = true, a->ending = EV_ATTEMPT_FINISHED;
    a = told_attempt(&t, 0, LAUNCH_CLONE, 0);
    a->started_us = 0, a->stop_us = 2000000, a->ended_us = 2000999, a->ending = EV_ATTEMPT_KILLED;
    a->stop_why = told_why(&t, REASON_PLAIN(WHY_LOST_RACE));
    expect(ended(&t, a, "It ran for 2.001 s and was killed at 2.001 s because attempt 0 had won."));
    a->ended_us = 2001000, a->done = 0.25;
    expect(ended(&t, a,
                 "It ran for 2.001 s and was killed at 2.001 s because attempt 0 had won, 0.001 s "
                 "after it was asked to end; it had done 25 %."));
    a->done = 1, a->step = 0.1;
    expect(ended(&t, a,
                 "It ran for 2.001 s and was killed at 2.001 s because attempt 0 had won, 0.001 s "
                 "after it was asked to end; it had reported 100 %."));
    a->done = 1.5, a->stop_us = -1; /* by something else */
    expect(ended(&t, a, "It ran for 2.001 s and was killed at 2.001 s."));
    a->started_us = -1, a->ending = EV_ATTEMPT_LAUNCH_FAILED, a->cause = CAUSE_WITHDRAWN;
    a->stop_us = 1999999;
    expect(ended(&t, a, "It was withdrawn at 2.001 s because another attempt had won."));
    told_fini(&t);
}

TEST(explain_attempt_that_the_journal_leaves_open)
{
    struct told t;
    told_init(&t);
    t.run.last_us = 9000000;
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    expect(ended(&t, a, "It had not started when the journal ends."));
    a->started_us = 0;
    expect(ended(&t, a, "It still ran when the journal ends, after 9 s."));
    a->started_us = 1000000, a->done = 0;
    expect(ended(&t, a, "It still ran when the journal ends, after 8 s; it had done 0 %."));
    told_fini(&t);
}

TEST(explain_attempt_that_finished)
{
    struct told t;
    told_init(&t);
    struct story_task *task = &t.tasks[0][0];
    struct story_attempt *a = told_attempt(&t, 0, LAUNCH_FIRST, 0);
    a->started_us = 1000000, a->ended_us = 3000000, a->ending = EV_ATTEMPT_FINISHED;
    expect(ended(&t, a, "It ran for 2 s and finished at 3 s and was not committed."));
    a->commit_failed = true, a->cause = CAUSE_DISK_FULL;
    expect(ended(&t, a,
                 "It ran for 2 s and finished at 3 s, but could not be committed: the disk was "
                 "full."));
    a->commit_failed = false, a->won = true, task->committed_us = 3000999;
    expect(ended(&t, a, "It ran for 2 s, finished at 3 s and won."));
    task->committed_us = 3001000;
    expect(ended(&t, a, "It ran for 2 s, finished at 3 s and won; it was committed at 3.001 s."));
    task->lost = true;
    expect(ended(&t, a,
                 "It ran for 2 s, finished at 3 s and won; it was committed at 3.001 s, but its "
                 "output was lost later."));
    task->lost = false, task->winner = 1;
    expect(ended(&t, a, "It ran for 2 s, finished at 3 s and won, but its output was lost later."));
    a = told_attempt(&t, 0, LAUNCH_CLONE, 0);
    a->started_us = 1000000, a->ended_us = 3000000, a->ending = EV_ATTEMPT_FINISHED;
    expect(ended(&t, a, "It ran for 2 s and finished at 3 s, but attempt 0 had won."));
    a->differed = true;
    expect(ended(&t, a,
                 "It ran for 2 s and finished at 3 s, but attempt 0 had won, and their outputs "
                 "differ."));
    told_fini(&t);
}
