/* Backups that are in no first attempt's way: careful=yes of all policies that back up by looks. */
#include <stdio.h>
#include <string.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK = 1 };

/* Policies that back up whatever runs after 10 s beside one that has run for less. */
static const char *const policies[] = {
    "mapreduce;backup_at=0",
    "dryad;quantile=0",
    "hadoop;floor=5s;gap=0.1",
    "late;floor=5s;cap=1;slow_task=1;slow_node=0",
    "dolly+late;p_prior=0.0001;floor=5s;late.cap=1;slow_task=1;slow_node=0",
};

enum { POLICIES = sizeof policies / sizeof *policies };

/* Nodes of one slot run a job of three tasks, of which the third is done after 4 s. At 10 s the
 * others, which have done a tenth and two tenths, get a backup each, as far as there is room. */
static struct job_id begin(struct script *s, const char *policy, const char *careful,
                           uint32_t nodes)
{
    char text[200];
    snprintf(text, sizeof text, "%s;careful=%s", policy, careful);
    script_init(s, text, nodes, 1);
    struct job_id a = script_job(s, 1, 3);
    script_decide(s, 0);
    script_started_all(s);
    s->now_us = 4 * S;
    script_win(s, script_ref(a, 0, 2, 0));
    script_progress(s, script_ref(a, 0, 0, 0), 10, 100);
    script_progress(s, script_ref(a, 0, 1, 0), 20, 100);
    script_decide(s, 9 * S);
    return a;
}

/* Of two mitigations the second one looks. */
static void look(struct script *s, const char *policy, int64_t now_us)
{
    script_timer(s, TICK + (strstr(policy, "dolly") != NULL), now_us);
}

/* Returns the number of backups among the decisions. */
static uint32_t backups(const struct script *s)
{
    return script_count(s, DO_LAUNCH, LAUNCH_BACKUP);
}

/* Four slots: after two backups a task comes. One backup ends for it, the newest. The task gets its
 * room, none is backed up while it runs and none is free, and again once it has ended. */
TEST(careful_backups_end_for_a_task_that_waits)
{
    for (int i = 0; i < POLICIES; i++) {
        struct script s;
        struct job_id a = begin(&s, policies[i], "yes", 4);
        look(&s, policies[i], 10 * S);
        expect(backups(&s) == 2);
        uint32_t newest = 0;
        for (uint32_t d = 0; d < s.out.count; d++)
            if (s.out.at[d].type == DO_LAUNCH)
                newest = s.out.at[d].at.task;
        script_started_all(&s);
        struct job_id b = script_job(&s, 1, 1);
        script_decide(&s, 11 * S);
        const struct decision *kill = script_find(&s, DO_KILL, script_ref(a, 0, newest, 1));
        expect(kill && kill->why.code == WHY_YIELD);
        expect(script_count(&s, DO_KILL, -1) == 1 && script_count(&s, DO_LAUNCH, -1) == 0);
        script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, newest, 1));
        script_decide(&s, 12 * S);
        expect(script_find(&s, DO_LAUNCH, script_ref(b, 0, 0, 0)) != NULL);
        expect(script_count(&s, DO_LAUNCH, -1) == 1);
        script_started_all(&s);
        look(&s, policies[i], 13 * S);
        expect(script_count(&s, DO_LAUNCH, -1) == 0 && script_count(&s, DO_KILL, -1) == 0);
        script_win(&s, script_ref(b, 0, 0, 0));
        look(&s, policies[i], 14 * S);
        expect(backups(&s) == 1 && script_find(&s, DO_LAUNCH, script_ref(a, 0, newest, 2)));
        script_fini(&s);
    }
}

/* As published: the task waits. */
TEST(careful_no_leaves_backups_alone)
{
    for (int i = 0; i < POLICIES; i++) {
        struct script s;
        begin(&s, policies[i], "no", 4);
        look(&s, policies[i], 10 * S);
        expect(backups(&s) == 2);
        script_started_all(&s);
        script_job(&s, 1, 1);
        script_decide(&s, 11 * S);
        expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
        script_fini(&s);
    }
}

/* Starts a task that fills a node of two slots, and submits another one, which waits for it. */
static void begin_to_wait(struct script *s)
{
    const struct phase_spec large = {
        .tasks = 1, .demand = {{2 * RES_SLOT}}, .clone = PHASE_CLONE_NEVER};
    script_node_up(s, 4, 2, 0);
    script_phase(s, large);
    script_phase(s, large);
    script_decide(s, s->now_us);
    expect(script_count(s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    script_started_all(s);
}

/* No backup would help such a task by its end, so none ends for it; and none starts. */
TEST(careful_backups_neither_end_in_vain_nor_start_while_a_task_waits)
{
    for (int i = 0; i < POLICIES; i++) {
        struct script s;
        begin(&s, policies[i], "yes", 4);
        look(&s, policies[i], 10 * S);
        expect(backups(&s) == 2);
        script_started_all(&s);
        begin_to_wait(&s);
        expect(script_count(&s, DO_KILL, -1) == 0);
        script_fini(&s);
        for (int careful = 0; careful < 2; careful++) {
            begin(&s, policies[i], careful ? "yes" : "no", 4);
            begin_to_wait(&s);
            look(&s, policies[i], 10 * S);
            expect(backups(&s) == (careful ? 0 : 2) && script_count(&s, DO_KILL, -1) == 0);
            script_fini(&s);
        }
    }
}

/* The first attempts fail: their backups are all that their tasks have. */
TEST(careful_backups_do_not_end_as_the_last_of_their_task)
{
    struct script s;
    struct job_id a = begin(&s, policies[0], "yes", 4);
    look(&s, policies[0], 10 * S);
    script_started_all(&s);
    for (uint32_t t = 0; t < 2; t++)
        script_event(&s, EV_ATTEMPT_FAILED, script_ref(a, 0, t, 0));
    script_job(&s, 1, 3); /* two get the room of those that failed */
    script_decide(&s, 11 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 2 && script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* LATE that is to act before tasks that wait does so. */
TEST(careful_backups_of_early_late_stay)
{
    struct script s;
    const char *policy = "late;floor=5s;cap=1;slow_task=1;slow_node=0;early=yes";
    begin(&s, policy, "yes", 4); /* it looks at every turn */
    expect(backups(&s) == 2);
    script_started_all(&s);
    script_job(&s, 1, 1);
    script_decide(&s, 11 * S);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* Two tasks on six slots have a clone and then, beside both of these, a backup. For one task that
 * waits a clone ends, for three both clones and a backup. */
TEST(careful_backups_end_after_clones)
{
    for (uint32_t tasks = 1; tasks <= 3; tasks += 2) {
        struct script s;
        script_init(&s, "none,mitigate=dollymp+mapreduce;clones=1;backup_at=0", 2, 2);
        struct job_id a = script_job(&s, 1, 2);
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
        script_started_all(&s);
        script_node_up(&s, 2, 2, 0);
        script_timer(&s, TICK + 1, 10 * S);
        expect(backups(&s) == 2);
        script_started_all(&s);
        script_job(&s, 1, tasks);
        script_decide(&s, 11 * S);
        expect(script_count(&s, DO_KILL, -1) == tasks);
        expect(script_find(&s, DO_KILL, script_ref(a, 0, 1, 1)) != NULL);
        expect((script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL) == (tasks == 3));
        expect((script_find(&s, DO_KILL, script_ref(a, 0, 1, 2)) != NULL) == (tasks == 3));
        script_fini(&s);
    }
}

/* What is left of a task is its clone and its backup: the older one stays. */
TEST(careful_backups_and_clones_leave_one_attempt)
{
    struct script s;
    script_init(&s, "none,mitigate=dollymp+mapreduce;clones=1;backup_at=0", 1, 2);
    struct job_id a = script_job(&s, 1, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_node_up(&s, 1, 1, 0);
    script_timer(&s, TICK + 1, 10 * S);
    expect(backups(&s) == 1);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(a, 0, 0, 0));
    script_job(&s, 1, 3);
    script_decide(&s, 11 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 2)) != NULL);
    script_fini(&s);
}
