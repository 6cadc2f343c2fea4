/* Each rule of the contract that the brain has to keep, one test each. */
#include "core/brain/brain.h"

#include "base/mem.h"
#include "core/brain/decider.h"
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

TEST(brain_launches_what_fits_and_no_more)
{
    struct script s;
    script_init(&s, "none", 2, 2);
    script_job(&s, 1, 6);
    script_decide(&s, 10);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 4);
    uint32_t on[2] = {0, 0};
    for (uint32_t i = 0; i < s.out.count; i++)
        on[s.out.at[i].node.v]++;
    expect(on[0] == 2 && on[1] == 2);
    script_decide(&s, 11);
    expect(s.out.count == 0);
    script_fini(&s);
}

/* Whichever dimension is the scarce one: two attempts need all of it, and a third waits. */
TEST(brain_charges_every_dimension)
{
    for (int i = 0; i < RES_COUNT; i++) {
        struct script s;
        struct res room = {{100, 100, 100, 100}}, need = {{1, 1, 1, 1}};
        script_init(&s, "none", 0, 1);
        need.v[i] = 50;
        script_tell(&s, (struct event){.type = EV_NODE_UP, .u.node.capacity = room});
        struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 3, .demand = need});
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, -1) == 2);
        expect(brain_world(s.brain)->used.v[i] == 100);
        script_started_all(&s);
        script_win(&s, script_ref(j, 0, 0, 0));
        expect(brain_world(s.brain)->used.v[i] == 100); /* the third has taken its place */
        script_fini(&s);
    }
}

/* Its room is free at once, but its task has it until its ending is told: that decides. */
TEST(brain_believes_an_end_only_when_it_is_told)
{
    enum { LOST, FAILED, FINISHED, CASES };
    static const uint8_t endings[CASES] = {EV_ATTEMPT_LOST, EV_ATTEMPT_FAILED, EV_ATTEMPT_FINISHED};

    for (int i = 0; i < CASES; i++) {
        struct script s;
        script_init(&s, "none;failures_max=1", 1, 1);
        struct job_id j = script_job(&s, 1, 2);
        struct attempt_ref a = script_ref(j, 0, 0, 0), next = script_ref(j, 0, 1, 0);
        script_decide(&s, 10);
        script_event(&s, EV_ATTEMPT_STARTED, a);
        script_decide(&s, 20);
        script_event(&s, EV_ATTEMPT_ENDED, a);
        script_decide(&s, 30);
        expect(script_find(&s, DO_LAUNCH, next) && s.out.count == 1);
        script_event(&s, EV_ATTEMPT_STARTED, next);
        script_decide(&s, 31);
        expect(s.out.count == 0);
        script_tell(&s, (struct event){.type = endings[i],
                                       .at = a,
                                       .cause = i == FAILED ? CAUSE_EXIT : CAUSE_NODE_DOWN});
        script_decide(&s, 40);
        expect((script_count(&s, DO_JOB_FAILED, -1) == 1) == (i == FAILED));
        expect((script_find(&s, DO_COMMIT, a) != NULL) == (i == FINISHED));
        script_event(&s, EV_ATTEMPT_ENDED, next); /* room for the one that was lost */
        script_decide(&s, 50);
        expect((script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL) == (i == LOST));
        script_fini(&s);
    }
}

TEST(brain_finishing_is_not_winning)
{
    struct script s;
    script_init(&s, "none", 1, 1);
    struct job_id j = script_job(&s, 1, 1);
    struct attempt_ref a = script_ref(j, 0, 0, 0);
    script_decide(&s, 10);
    script_event(&s, EV_ATTEMPT_STARTED, a);
    script_decide(&s, 10);
    script_event(&s, EV_ATTEMPT_FINISHED, a);
    script_decide(&s, 20);
    expect(script_find(&s, DO_COMMIT, a) && s.out.count == 1);
    script_event(&s, EV_COMMITTED, a);
    script_decide(&s, 21);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1 && s.out.count == 1);
    expect(world_job(brain_world(s.brain), j) == NULL); /* freed */
    script_fini(&s);
}

TEST(brain_runs_again_what_failed_until_it_gives_up)
{
    struct script s;
    script_init(&s, "none;failures_max=3", 2, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    for (uint16_t k = 0; k < 3; k++) {
        struct attempt_ref a = script_ref(j, 0, 0, k);
        expect(script_find(&s, DO_LAUNCH, a) != NULL);
        expect(script_find(&s, DO_LAUNCH, a)->kind == (k ? LAUNCH_RESTART : LAUNCH_FIRST));
        script_event(&s, EV_ATTEMPT_STARTED, a);
        script_event(&s, EV_ATTEMPT_FAILED, a);
        script_decide(&s, k + 1);
    }
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    expect(s.out.at[0].why.code == WHY_TOO_MANY_FAILURES && s.out.at[0].why.num[0] == 3);
    script_fini(&s);
}

/* One phase of `tasks` tasks, so many of which may fail for good. */
static struct job_id bearing_job(struct script *s, uint32_t tasks, uint32_t allowed)
{
    return script_phase(s, (struct phase_spec){.tasks = tasks, .failures_allowed = allowed});
}

static void fail_task(struct script *s, struct job_id j, uint32_t task)
{
    script_event(s, EV_ATTEMPT_FAILED, script_ref(j, 0, task, 0));
    script_decide(s, s->now_us + 1);
}

TEST(brain_bears_as_many_failed_tasks_as_the_phase_allows)
{
    struct script s;
    script_init(&s, "none;failures_max=1", 1, 3);
    struct job_id j = bearing_job(&s, 3, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    fail_task(&s, j, 1);
    const struct decision *d = script_find(&s, DO_VERDICT, script_ref(j, 0, 1, 0));
    expect(d && d->why.code == WHY_TOO_MANY_FAILURES && s.out.count == 1);
    script_win(&s, script_ref(j, 0, 2, 0));
    expect(script_count(&s, DO_JOB_DONE, -1) == 0);
    fail_task(&s, j, 0); /* the last one to end; equality is still fine */
    expect(script_find(&s, DO_VERDICT, script_ref(j, 0, 0, 0)) != NULL);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1 && script_count(&s, DO_JOB_FAILED, -1) == 0);
    const struct reason *why = &s.out.at[s.out.count - 1].why;
    expect(why->code == WHY_ALL_OVER && why->num[0] == 3 && why->num[1] == 2);
    expect(world_job(brain_world(s.brain), j) == NULL);
    script_fini(&s);
}

TEST(brain_fails_the_job_at_one_failure_more_than_allowed)
{
    struct script s;
    script_init(&s, "none;failures_max=1", 1, 3);
    struct job_id j = bearing_job(&s, 3, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    fail_task(&s, j, 0);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 0);
    fail_task(&s, j, 1);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1 && script_count(&s, DO_VERDICT, -1) == 0);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 2, 0)) != NULL);
    script_fini(&s);
}

TEST(brain_gives_up_a_cloned_task_only_with_its_last_attempt)
{
    struct script s;
    script_init(&s, "dolly;budget=idle;failures_max=1", 4, 1);
    struct job_id j = bearing_job(&s, 1, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 1);
    expect(brain_world(s.brain)->live >= 2); /* the task was cloned */
    fail_task(&s, j, 0);
    expect(script_count(&s, DO_VERDICT, -1) == 0);
    script_win(&s, script_ref(j, 0, 0, 1));
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(brain_does_not_count_lost_nodes_as_failures)
{
    struct script s;
    script_init(&s, "none;failures_max=1", 2, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    for (uint16_t k = 0; k < 5; k++) {
        script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, k));
        script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 0, 0, k));
        script_decide(&s, k + 1);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_RESTART) == 1);
    }
    script_fini(&s);
}

TEST(brain_gives_up_on_a_task_that_is_always_lost)
{
    struct script s;
    script_init(&s, "none;launches_max=2", 2, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    for (uint16_t k = 0; k < 2; k++) {
        expect(script_count(&s, DO_LAUNCH, -1) == 1);
        script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, k));
        script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 0, 0, k));
        script_decide(&s, k + 1);
    }
    expect(s.out.count == 1 && s.out.at[0].type == DO_JOB_FAILED);
    expect(s.out.at[0].why.code == WHY_TOO_MANY_LAUNCHES);
    script_fini(&s);
}

TEST(brain_uses_no_node_that_is_down_suspect_or_draining)
{
    enum event_type bad[] = {EV_NODE_DOWN, EV_NODE_SUSPECT, EV_NODE_DRAIN};
    for (int i = 0; i < 3; i++) {
        struct script s;
        script_init(&s, "none", 2, 1);
        script_tell(&s, (struct event){.type = (uint8_t)bad[i], .node = {1}});
        script_job(&s, 1, 2);
        script_decide(&s, 1);
        expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].node.v == 0);
        script_node_up(&s, 1, 1, 0);
        script_decide(&s, 2);
        expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].node.v == 1);
        script_fini(&s);
    }
}

TEST(brain_opens_a_phase_when_all_above_is_committed)
{
    struct script s;
    script_init(&s, "none", 4, 1);
    struct job_id j = script_job(&s, 2, 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_win(&s, script_ref(j, 0, 1, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 2);
    expect(script_find(&s, DO_ASSIGN_READ, script_ref(j, 1, 0, 0))->u.read.source.phase == 0);
    script_fini(&s);
}

/* Two phases of two tasks; phase 0 is done and task 0 of phase 1 runs when an output is lost. */
static struct job_id second_phase_running(struct script *s)
{
    script_init(s, "none", 1, 3);
    struct job_id j = script_job(s, 2, 2);
    script_decide(s, 0);
    script_started_all(s);
    script_win(s, script_ref(j, 0, 0, 0));
    script_win(s, script_ref(j, 0, 1, 0));
    script_started_all(s);
    return j;
}

TEST(brain_recomputes_a_lost_output_that_is_needed)
{
    struct script s;
    struct job_id j = second_phase_running(&s);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 1, 0));
    script_decide(&s, 5);
    const struct decision *d = script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 1));
    expect(d && d->kind == LAUNCH_RECOMPUTE);
    /* A reader that fails now has to wait for it. */
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 1, 0, 0));
    script_decide(&s, 6);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 1, 1));
    script_win(&s, script_ref(j, 0, 1, 1));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 1)) != NULL);
    script_fini(&s);
}

TEST(brain_leaves_a_lost_output_that_nobody_needs)
{
    struct script s;
    script_init(&s, "none", 1, 2);
    struct job_id j = script_job(&s, 3, 1);
    script_decide(&s, 0);
    for (uint16_t k = 0; k < 2; k++) {
        script_started_all(&s);
        script_win(&s, script_ref(j, k, 0, 0));
    }
    script_started_all(&s);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0)); /* its only reader is done */
    script_decide(&s, 5);
    expect(s.out.count == 0);
    /* But when that reader's output is lost as well, both come back, the first one first. */
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 1, 0, 0));
    script_decide(&s, 6);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 1));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 1)) != NULL);
    script_fini(&s);
}

TEST(brain_fair_shares_and_fifo_differ)
{
    for (int fair = 0; fair < 2; fair++) {
        struct script s;
        script_init(&s, fair ? "order=fair" : "order=fifo", 4, 1);
        struct job_id a = script_job(&s, 1, 8), b = script_job(&s, 1, 8);
        script_decide(&s, 0);
        uint32_t of_b = 0;
        for (uint32_t i = 0; i < s.out.count; i++)
            of_b += s.out.at[i].at.job.v == b.v;
        expect(script_count(&s, DO_LAUNCH, -1) == 4);
        expect(of_b == (fair ? 2 : 0));
        (void)a;
        script_fini(&s);
    }
}

TEST(brain_weights_shares)
{
    struct script s;
    script_init(&s, "order=fair", 8, 1);
    struct phase_spec p = {.name = "p", .tasks = 20, .demand = {{RES_SLOT, 0, 0, 0}}};
    struct job_spec heavy = {.weight = 3 * JOB_WEIGHT_ONE, .phases = &p, .phase_count = 1};
    struct job_spec light = {.weight = JOB_WEIGHT_ONE, .phases = &p, .phase_count = 1};
    struct job_id a = script_submit(&s, &heavy);
    script_submit(&s, &light);
    script_decide(&s, 0);
    uint32_t of_a = 0;
    for (uint32_t i = 0; i < s.out.count; i++)
        of_a += s.out.at[i].at.job.v == a.v;
    expect(of_a == 6);
    script_fini(&s);
}

TEST(brain_keeps_running_max)
{
    struct script s;
    script_init(&s, "none", 8, 1);
    struct phase_spec p = {.name = "p", .tasks = 6, .demand = {{RES_SLOT, 0, 0, 0}}};
    struct job_spec spec = {.running_max = 2, .phases = &p, .phase_count = 1};
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, 0));
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

TEST(brain_starts_the_largest_first_when_told_so)
{
    struct script s;
    script_init(&s, "within=largest-first", 1, 5);
    int64_t bytes[] = {5, 9, 1, 9, 7};
    script_phase(&s, (struct phase_spec){.tasks = 5, .input_each = bytes});
    script_decide(&s, 0);
    uint32_t want[] = {1, 3, 4, 0, 2};
    for (int i = 0; i < 5; i++)
        expect(s.out.at[i].at.task == want[i]);
    script_fini(&s);
}

TEST(brain_fails_a_job_that_fits_nowhere)
{
    struct script s;
    script_init(&s, "none", 3, 2);
    struct phase_spec p = {.tasks = 1, .demand = {{2 * RES_SLOT + 1, 0, 0, 0}}};
    script_phase(&s, p);
    script_decide(&s, 0);
    expect(s.out.count == 1 && s.out.at[0].type == DO_JOB_FAILED);
    expect(s.out.at[0].why.code == WHY_UNSATISFIABLE);
    p.demand.v[RES_CPU] = 2 * RES_SLOT; /* exactly fits */
    script_phase(&s, p);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

TEST(brain_small_tasks_pass_a_large_one_that_does_not_fit)
{
    struct script s;
    script_init(&s, "order=fifo", 1, 2);
    script_job(&s, 1, 1);
    script_phase(&s, (struct phase_spec){.tasks = 2, .demand = {{2 * RES_SLOT, 0, 0, 0}}});
    script_job(&s, 1, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    expect(s.out.at[0].at.job.v == 0 && s.out.at[1].at.job.v == 2);
    script_fini(&s);
}

/* The task runs again. That is a failure of its, unless the output is gone. */
TEST(brain_commit_failures_count_unless_the_output_is_gone)
{
    for (int gone = 0; gone < 2; gone++) {
        struct script s;
        script_init(&s, "none;failures_max=2", 1, 1);
        struct job_id j = script_job(&s, 1, 1);
        script_decide(&s, 0);
        for (uint16_t k = 0; k < 2; k++) {
            struct attempt_ref at = script_ref(j, 0, 0, k);
            script_started_all(&s);
            script_event(&s, EV_ATTEMPT_FINISHED, at);
            script_decide(&s, 1 + k);
            script_tell(&s, (struct event){.type = EV_COMMIT_FAILED,
                                           .at = at,
                                           .cause = gone ? CAUSE_OUTPUT_GONE : CAUSE_SYSTEM});
            script_decide(&s, 1 + k);
            expect(script_count(&s, DO_JOB_FAILED, -1) == (k == 1 && !gone));
            expect(script_count(&s, DO_LAUNCH, -1) == (k == 0 || gone));
        }
        script_fini(&s);
    }
}

TEST(brain_cancelled_job_ends_its_attempts)
{
    struct script s;
    script_init(&s, "none", 2, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, 0));
    script_tell(&s, (struct event){.type = EV_JOB_CANCELLED, .at.job = j});
    script_decide(&s, 1);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 0, 0)) != NULL);
    expect(script_find(&s, DO_WITHDRAW, script_ref(j, 0, 1, 0)) != NULL);
    expect(s.out.at[2].type == DO_JOB_FAILED && s.out.at[2].why.code == WHY_CANCELLED);
    /* The job's memory lives until the last ending. */
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 0));
    expect(world_job(brain_world(s.brain), j) != NULL);
    script_event(&s, EV_ATTEMPT_LAUNCH_FAILED, script_ref(j, 0, 1, 0));
    expect(world_job(brain_world(s.brain), j) == NULL);
    script_decide(&s, 2);
    expect(s.out.count == 0);
    script_fini(&s);
}

/* The job fails in the very turn in which another task of it finishes: that output is of no use. */
TEST(brain_discards_what_finishes_when_its_job_fails)
{
    struct script s;
    script_init(&s, "none;failures_max=1", 2, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 0, 0));
    script_output(&s, script_ref(j, 0, 1, 0), 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1 && script_count(&s, DO_COMMIT, -1) == 0);
    const struct decision *d = script_find(&s, DO_DISCARD_OUTPUT, script_ref(j, 0, 1, 0));
    expect(d && d->why.code == WHY_JOB_OVER);
    expect(world_job(brain_world(s.brain), j) == NULL);
    script_fini(&s);
}

/* A kill may come too late: what finishes when its job is over is of no use either, and the body
 * must learn that, or the output stays for good. */
TEST(brain_discards_what_finishes_after_its_job_was_cancelled)
{
    struct script s;
    script_init(&s, "none", 2, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_JOB_CANCELLED, .at.job = j});
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 2);
    script_output(&s, script_ref(j, 0, 1, 0), 1, 1);
    script_decide(&s, 2);
    const struct decision *d = script_find(&s, DO_DISCARD_OUTPUT, script_ref(j, 0, 1, 0));
    expect(d && d->why.code == WHY_JOB_OVER && s.out.count == 1);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 0));
    expect(world_job(brain_world(s.brain), j) == NULL);
    script_fini(&s);
}

/* One reduce runs and two wait for its slot when a map's output is lost: they wait for that now. */
TEST(brain_readers_of_a_lost_output_are_not_to_be_launched)
{
    struct script s;
    struct edge_spec edge = {.from = 0};
    script_init(&s, "none", 1, 1);
    struct job_id j = script_chain(&s, 2, (uint32_t[]){1, 3}, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    const struct phase *reduce = &world_job(brain_world(s.brain), j)->phases[1];
    expect(reduce->open && reduce->pending_count == 2);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    expect(!reduce->open && reduce->pending_count == 0);
    expect(reduce->tasks[1].state == TASK_WAITING && reduce->tasks[2].state == TASK_WAITING);
    script_fini(&s);
}

/* Hints look no further ahead than the last event (a sanitizer sees that). */
TEST(brain_reads_no_event_behind_the_last)
{
    for (uint32_t count = 1; count <= 30; count++) {
        struct script s;
        struct event *events = mem_zalloc(count, sizeof *events);
        script_init(&s, "none", 2, 1);
        for (uint32_t i = 0; i < count; i++)
            events[i] = (struct event){.type = EV_NODE_SUSPECT, .node = {0}};
        brain_apply_all(s.brain, 0, events, count);
        expect(brain_world(s.brain)->nodes.at[0].state != NODE_UP);
        mem_free(events);
        script_fini(&s);
    }
}

/* A row of reports: of jobs, tasks and attempts that are known, and of others. */
TEST(brain_takes_reports_in_rows)
{
    struct script s;
    script_init(&s, "hadoop;scan=1s", 40, 1);
    struct job_id a = script_job(&s, 1, 2), b = script_job(&s, 1, 20);
    script_decide(&s, 0);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(b, 0, 5, 0));
    script_decide(&s, 10);
    script_started_all(&s); /* the second attempt of task 5 */
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(b, 0, 6, 0));
    script_decide(&s, 20);
    static const struct {
        uint16_t phase, attempt;
        uint32_t job, task;
        int64_t done, total;
    } said[] = {
        {0, 0, 0, 0, 1, 4},  {0, 0, 0, 1, 2, 4}, {0, 0, 1, 0, 3, 4},   {0, 1, 1, 5, 4, 4},
        {0, 0, 1, 5, 1, 4},  {0, 0, 1, 6, 1, 4}, {0, 0, 1, 99, 1, 4},  {9, 0, 1, 0, 1, 4},
        {0, 0, 77, 0, 1, 4}, {0, 7, 1, 0, 1, 4}, {0, 0, 1, 19, 8, 4},  {0, 0, 1, 18, 1, 4},
        {0, 0, 1, 18, 0, 0}, {0, 0, 0, 1, 3, 4}, {0, 0, 1, 17, 1, -1}, {0, 0, 1, 16, 0, 4},
    };
    enum { SAID = sizeof said / sizeof *said };
    struct event events[SAID];
    for (uint32_t i = 0; i < SAID; i++)
        events[i] = (struct event){
            .type = EV_ATTEMPT_PROGRESS,
            .at = script_ref((struct job_id){said[i].job == 0   ? a.v
                                             : said[i].job == 1 ? b.v
                                                                : 77},
                             said[i].phase, said[i].task, said[i].attempt),
            .u.progress = {.done = said[i].done, .total = said[i].total, .cpu_us = -1}};
    brain_apply_all(s.brain, 30, events, SAID);
    const struct world *w = brain_world(s.brain);
    double score[2][20] = {{0}};
    uint32_t reported = 0;
    for (uint32_t at = 0, i; (i = world_next_running(w, &at)) != ATTEMPT_NONE;) {
        const struct attempt *x = world_attempt(w, i);
        reported += x->reported;
        if (x->reported)
            score[x->job->id.v == b.v][x->task] = x->score;
    }
    expect(w->now_us == 30 && reported == 6);
    expect(score[0][0] == 0.25 && score[0][1] == 0.75 && score[1][0] == 0.75);
    expect(score[1][5] == 1 && score[1][19] == 2 && score[1][16] == 0);
    script_fini(&s);
}

/* Four tasks that run, and readers of one or two of them each; a slot is left for one reader. */
static struct job_id piecewise(struct script *s, const struct edge_spec *edge, uint32_t readers)
{
    script_init(s, "none", 5, 1);
    struct job_id j = script_chain(s, 2, (uint32_t[]){4, readers}, edge);
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, -1) == 4);
    script_started_all(s);
    return j;
}

/* A reader of one task starts when that one is done, whatever the others do, and only then. */
TEST(brain_piecewise_readers_start_with_their_own_input)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE, .slowstart = 1};
    struct script s;
    struct job_id j = piecewise(&s, &edge, 4);
    script_win(&s, script_ref(j, 0, 2, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 2, 0)) != NULL);
    script_started_all(&s);
    /* A task above that has to start again takes a slot, and the reader that has all keeps its. */
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 0, 0));
    script_decide(&s, 5);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* Each of two readers has two of four tasks above: it waits for both of its own. */
TEST(brain_piecewise_readers_of_several_wait_for_all_of_theirs)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_MANY_TO_ONE, .slowstart = 1};
    struct script s;
    struct job_id j = piecewise(&s, &edge, 2);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_win(&s, script_ref(j, 0, 2, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_win(&s, script_ref(j, 0, 1, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    script_fini(&s);
}

/* With slow start as with a barrier: not before that share of the phase above is done. */
TEST(brain_piecewise_readers_wait_for_enough)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE, .slowstart = 50};
    struct script s;
    struct job_id j = piecewise(&s, &edge, 4);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_win(&s, script_ref(j, 0, 3, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 3, 0)) != NULL);
    script_fini(&s);
}

/* An output that is lost before its reader was launched sends the reader back to wait. */
TEST(brain_piecewise_readers_wait_again_for_what_was_lost)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE, .slowstart = 1};
    struct script s;
    struct job_id j = piecewise(&s, &edge, 4);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 1, 0));
    script_decide(&s, 5);
    expect(script_count(&s, DO_COMMIT, -1) == 1);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 1, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 1, 0));
    script_decide(&s, 6);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 1, 0)) == NULL);
    script_fini(&s);
}

TEST(brain_knows_from_parts_what_readers_read)
{
    const uint32_t tasks[] = {3, 4};
    const struct edge_spec edge = {.pattern = EDGE_ALL_TO_ALL};
    const struct output_partition one[] = {{1000, 1}, {20, 2}, {0, 3}, {0, 4}},
                                  two[] = {{200, 5}, {80, 6}, {100, 7}, {0, 8}};
    struct script s;

    script_init(&s, "none", 4, 1);
    struct job_id j = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    const struct phase *reader = &world_job(brain_world(s.brain), j)->phases[1];
    expect(phase_task_bytes(reader, 0) == 0 && phase_read_load(reader, 0) == 1);
    struct event e = {.type = EV_OUTPUT_READY,
                      .at = script_ref(j, 0, 0, 0),
                      .u.output = {.bytes = 1020, .partitions = one, .partition_count = 4}};
    script_tell(&s, e);
    script_tell(&s, e); /* of this task they are known */
    e.at.task = 1;
    e.u.output.partitions = two;
    script_tell(&s, e);
    e.at.task = 2;
    e.u.output.partition_count = 3; /* not those of this reader */
    script_tell(&s, e);
    /* 1200, 100, 100 and 0; 350 on average, as which those with less count. */
    expect(phase_task_bytes(reader, 0) == 1200 && phase_task_bytes(reader, 1) == 350);
    expect(phase_task_bytes(reader, 2) == 350 && phase_task_bytes(reader, 3) == 350);
    expect(phase_read_load(reader, 0) == 1200. / 350 && phase_read_load(reader, 3) == 1);
    const struct output_partition most[] = {{INT64_MAX, 0}, {INT64_MAX, 0}, {0, 0}, {0, 0}};
    e.u.output = (__typeof__(e.u.output)){.partitions = most, .partition_count = 4};
    script_tell(&s, e); /* no harm */
    script_fini(&s);
}

/* A task fails for good while another runs: nothing of the job starts any more, although there is
 * room and the other has not ended. */
TEST(brain_has_no_place_for_a_job_that_is_over)
{
    struct script s;
    script_init(&s, "none;failures_max=1", 3, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    const struct phase *p = &world_job(brain_world(s.brain), j)->phases[0];
    expect(decider_place(s.brain, p, 1).v != NODE_NONE.v);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 0, 0));
    script_decide(&s, 1);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1 && script_count(&s, DO_KILL, -1) == 1);
    expect(decider_place(s.brain, p, 1).v == NODE_NONE.v);
    script_fini(&s);
}
