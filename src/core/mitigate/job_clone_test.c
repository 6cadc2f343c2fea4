/* Whole jobs run several times: how many copies, what each of them reads, and when one counts. */
#include <stdio.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

/* Copies of a job, the first one included, in a cluster of one-slot nodes. */
static double copies_with(const char *settings, uint32_t nodes, uint16_t phases, uint32_t tasks)
{
    struct script s;
    char text[160];
    snprintf(text, sizeof text, "job-clone;%s", settings);
    script_init(&s, text, nodes, 1);
    struct job_id j = script_job(&s, phases, tasks);
    script_decide(&s, 0);
    const struct reason *why = script_verdict(&s, j, 0);
    double copies = why && why->code == WHY_CLONED ? why->num[0] : 1;
    uint32_t launched = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    expect(launched == (uint32_t)(copies - 1) * tasks);
    for (uint16_t k = 1; k < phases; k++) /* one answer for the whole job */
        expect(script_verdict(&s, j, k) && script_verdict(&s, j, k)->code == why->code);
    script_fini(&s);
    return copies;
}

TEST(job_clone_makes_as_many_copies_as_eps_asks_for)
{
    /* One task, p = 0.5: one copy straggles with 0.5, two with 0.25, three with 0.125. */
    expect(copies_with("p_prior=0.5;tau=1;eps=0.5", 100, 1, 1) == 1);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.49", 100, 1, 1) == 2);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.25", 100, 1, 1) == 2);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.24", 100, 1, 1) == 3);
    /* Two tasks: a copy is clean with 0.25, so c copies straggle with 0.75^c: 0.0563 for ten,
     * 0.0422 for eleven. Phases make no difference: n counts all tasks. */
    expect(copies_with("p_prior=0.5;tau=1;eps=0.05", 100, 1, 2) == 11);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.05", 100, 2, 1) == 11);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.05;copies_max=4", 100, 1, 2) == 4);
}

TEST(job_clone_makes_no_more_copies_than_fit_below_the_ceiling)
{
    /* Four tasks want 16 copies and more; ten nodes at 0.8 hold floor(8 / 4) = 2 whole jobs, at
     * 0.79 floor(7.9 / 4) = 1. */
    expect(copies_with("p_prior=0.5;tau=0.8;eps=0.05", 10, 1, 4) == 2);
    expect(copies_with("p_prior=0.5;tau=0.79;eps=0.05", 10, 1, 4) == 1);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.05", 12, 1, 4) == 3);
    expect(copies_with("p_prior=0.5;tau=1;eps=0.05", 11, 1, 4) == 2);
}

/* Four tasks of a job that may run so many attempts at once. */
TEST(job_clone_makes_no_more_copies_than_the_job_may_run)
{
    for (uint32_t running_max = 7; running_max <= 12; running_max++) {
        struct script s;
        struct phase_spec p = {.name = "p", .tasks = 4, .demand = {{RES_SLOT, 0, 0, 0}}};
        struct job_spec spec = {.running_max = running_max, .phases = &p, .phase_count = 1};
        script_init(&s, "job-clone;p_prior=0.5;tau=1;eps=0.05", 100, 1);
        script_submit(&s, &spec);
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 4 * (running_max / 4 - 1));
        script_fini(&s);
    }
}

TEST(job_clone_leaves_large_jobs_and_side_effects_alone)
{
    expect(copies_with("p_prior=0.5;tau=1;tasks_max=2", 100, 1, 2) > 1);
    expect(copies_with("p_prior=0.5;tau=1;tasks_max=2", 100, 1, 3) == 1);
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1", 20, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 1, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    expect(script_verdict(&s, j, 0)->code == WHY_SIDE_EFFECTS);
    script_fini(&s);
}

static void started(struct script *s, int64_t at_us)
{
    script_started_all(s);
    script_decide(s, at_us);
}

static uint16_t replica_of(const struct script *s, struct attempt_ref at)
{
    const struct decision *d = script_find(s, DO_LAUNCH, at);
    return d ? d->job_copy : 0;
}

static void committed(struct script *s, struct attempt_ref at)
{
    script_event(s, EV_COMMITTED, at);
}

TEST(job_clone_commits_only_when_a_whole_copy_has_ended)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    struct attempt_ref a0 = script_ref(j, 0, 0, 0), a1 = script_ref(j, 0, 1, 0),
                       b0 = script_ref(j, 0, 0, 1), b1 = script_ref(j, 0, 1, 1);
    expect(replica_of(&s, a0) == 1 && replica_of(&s, a1) == 1);
    expect(replica_of(&s, b0) == 2 && replica_of(&s, b1) == 2);
    expect(script_find(&s, DO_LAUNCH, a0)->node.v != script_find(&s, DO_LAUNCH, b0)->node.v);
    started(&s, 0);

    /* Task 0 ends in the first copy, task 1 in the second: neither copy is whole. */
    script_event(&s, EV_ATTEMPT_FINISHED, a0);
    script_event(&s, EV_ATTEMPT_FINISHED, b1);
    script_decide(&s, 5 * S);
    expect(script_count(&s, DO_COMMIT, -1) == 0 && script_count(&s, DO_KILL, -1) == 0);

    /* The second one is now: its outputs count, the first copy goes. */
    script_event(&s, EV_ATTEMPT_FINISHED, b0);
    script_decide(&s, 6 * S);
    expect(script_count(&s, DO_COMMIT, -1) == 2);
    expect(script_find(&s, DO_COMMIT, b0)->why.code == WHY_REPLICA_ENDED);
    expect(script_find(&s, DO_COMMIT, b1) && script_find(&s, DO_DISCARD_OUTPUT, a0));
    expect(script_find(&s, DO_KILL, a1)->why.code == WHY_REPLICA_LOST);
    expect(script_count(&s, DO_JOB_DONE, -1) == 0);
    committed(&s, b0);
    script_event(&s, EV_ATTEMPT_KILLED, a1);
    script_decide(&s, 7 * S);
    expect(script_count(&s, DO_JOB_DONE, -1) == 0);
    committed(&s, b1);
    script_decide(&s, 8 * S);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    expect(brain_world(s.brain)->live == 0);

    /* The copy that led is gone, and the queue does not know it any more. */
    script_job(&s, 1, 1);
    script_decide(&s, 9 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_fini(&s);
}

/* Readers wait from then on, whichever copy it was. */
TEST(job_clone_knows_when_each_copy_won_a_task)
{
    struct script s;
    script_init(&s, "job-clone,shuffle=delay;omega=3s;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct job_id j = script_job(&s, 2, 1);
    script_decide(&s, 0);
    started(&s, 0);
    for (uint16_t copy = 0; copy < 2; copy++) {
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, copy));
        script_decide(&s, (2 + copy) * S);
        started(&s, (2 + copy) * S);
    }
    const struct job *lead = world_job(brain_world(s.brain), j);
    expect(lead->phases[0].won_us[0] == 2 * S);
    expect(lead->copies && lead->copies->phases[0].won_us[0] == 3 * S);
    script_fini(&s);
}

/* Of each job one copy wins, and the other one's tasks end after it, none of them later than it
 * should. Samples of both make it known that nobody straggles; those of the winners alone are too
 * few, and one copy in two would still be expected to. */
TEST(job_clone_learns_from_attempts_that_end_after_their_phase)
{
    enum { JOBS = 26, TASKS = 2 }; /* 104 samples, 52 of them late; 100 are enough */
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;eps=0.4;copies_max=2", 8, 1);
    for (int64_t k = 0; k < JOBS; k++) {
        struct job_id j = script_job(&s, 1, TASKS);
        script_decide(&s, 10 * k * S);
        expect(script_verdict(&s, j, 0)->code == WHY_CLONED);
        started(&s, 10 * k * S);
        s.now_us += S;
        for (uint32_t t = 0; t < TASKS; t++)
            script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, t, 0));
        script_decide(&s, s.now_us);
        expect(script_count(&s, DO_COMMIT, -1) == TASKS && script_count(&s, DO_KILL, -1) == TASKS);
        for (uint32_t t = 0; t < TASKS; t++) {
            committed(&s, script_ref(j, 0, t, 0));
            script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, t, 1));
        }
        script_decide(&s, s.now_us);
    }
    struct job_id last = script_job(&s, 1, 1);
    script_decide(&s, 10 * JOBS * S);
    expect(script_verdict(&s, last, 0)->code == WHY_NO_NEED);
    script_fini(&s);
}

TEST(job_clone_reads_stay_inside_their_copy_and_phases_commit_from_the_top)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct job_id j = script_job(&s, 2, 1);
    script_decide(&s, 0);
    started(&s, 0);
    struct attempt_ref map1 = script_ref(j, 0, 0, 0), map2 = script_ref(j, 0, 0, 1),
                       red2 = script_ref(j, 1, 0, 0);

    /* The second copy is ahead: its reduce starts alone and reads its own map. */
    script_event(&s, EV_ATTEMPT_FINISHED, map2);
    script_decide(&s, 2 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && replica_of(&s, red2) == 2);
    const struct decision *read = script_find(&s, DO_ASSIGN_READ, red2);
    expect(read && read->u.read.source.attempt == 1 && read->u.read.source.task == 0);
    started(&s, 2 * S);
    script_event(&s, EV_ATTEMPT_FINISHED, red2);
    script_decide(&s, 4 * S);
    expect(script_find(&s, DO_COMMIT, map2) && script_count(&s, DO_COMMIT, -1) == 1);
    expect(script_find(&s, DO_KILL, map1) != NULL);
    committed(&s, map2);
    script_decide(&s, 5 * S);
    expect(script_find(&s, DO_COMMIT, red2) && script_count(&s, DO_COMMIT, -1) == 1);
    committed(&s, red2);
    script_event(&s, EV_ATTEMPT_KILLED, map1);
    script_decide(&s, 6 * S);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(job_clone_makes_again_what_came_from_an_output_that_could_not_be_committed)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct job_id j = script_job(&s, 2, 1);
    script_decide(&s, 0);
    started(&s, 0);
    struct attempt_ref map1 = script_ref(j, 0, 0, 0), map2 = script_ref(j, 0, 0, 1),
                       red1 = script_ref(j, 1, 0, 0);
    script_event(&s, EV_ATTEMPT_FINISHED, map1);
    script_decide(&s, 2 * S);
    started(&s, 2 * S);
    script_event(&s, EV_ATTEMPT_FINISHED, red1);
    script_decide(&s, 4 * S);
    script_event(&s, EV_ATTEMPT_KILLED, map2);
    script_event(&s, EV_COMMIT_FAILED, map1);
    script_decide(&s, 5 * S);
    struct attempt_ref again = script_ref(j, 0, 0, 2);
    expect(script_find(&s, DO_DISCARD_OUTPUT, red1) != NULL);
    expect(script_find(&s, DO_LAUNCH, again)->kind == LAUNCH_RESTART);
    expect(replica_of(&s, again) == 0); /* there is one copy left: a job like any other */
    started(&s, 5 * S);
    script_win(&s, again);
    const struct decision *read = script_find(&s, DO_ASSIGN_READ, script_ref(j, 1, 0, 1));
    expect(read != NULL);
    started(&s, s.now_us);
    script_win(&s, script_ref(j, 1, 0, 1));
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

/* Readers of readers too: each of them has read something that will not be committed. */
TEST(job_clone_makes_again_all_phases_below_an_output_that_could_not_be_committed)
{
    enum { PHASES = 4 };
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct job_id j = script_job(&s, PHASES, 1);
    script_decide(&s, 0);
    for (uint16_t k = 0; k < PHASES; k++) {
        started(&s, (1 + k) * S);
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, k, 0, 0));
        script_decide(&s, (1 + k) * S);
    }
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 1));
    script_event(&s, EV_COMMIT_FAILED, script_ref(j, 0, 0, 0));
    script_decide(&s, 9 * S);
    for (uint16_t k = 1; k < PHASES; k++)
        expect(script_find(&s, DO_DISCARD_OUTPUT, script_ref(j, k, 0, 0)) != NULL);
    expect(script_count(&s, DO_COMMIT, -1) == 0);
    for (uint16_t k = 0; k < PHASES; k++) {
        struct attempt_ref again = script_ref(j, k, 0, k == 0 ? 2 : 1);
        expect(script_find(&s, DO_LAUNCH, again) && script_count(&s, DO_LAUNCH, -1) == 1);
        expect(script_count(&s, DO_JOB_DONE, -1) == 0);
        started(&s, s.now_us);
        script_win(&s, again);
    }
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(job_clone_goes_on_with_the_other_copies_when_a_task_of_one_fails_for_good)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2;failures_max=1", 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    started(&s, 0);
    struct attempt_ref a0 = script_ref(j, 0, 0, 0), a1 = script_ref(j, 0, 1, 0),
                       b0 = script_ref(j, 0, 0, 1), b1 = script_ref(j, 0, 1, 1);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED, .cause = CAUSE_EXIT, .at = a0});
    script_decide(&s, 1 * S);
    expect(script_find(&s, DO_KILL, a1) && script_count(&s, DO_JOB_FAILED, -1) == 0);
    script_event(&s, EV_ATTEMPT_KILLED, a1);
    script_event(&s, EV_ATTEMPT_FINISHED, b0);
    script_decide(&s, 2 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && script_count(&s, DO_COMMIT, -1) == 0);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED, .cause = CAUSE_EXIT, .at = b1});
    script_decide(&s, 3 * S);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    script_fini(&s);
}

/* The last copy bears what the phase allows. If that is everything, nothing is left to commit. */
TEST(job_clone_is_done_when_every_task_of_the_last_copy_was_given_up)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2;failures_max=1", 8, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 1, .failures_allowed = 1});
    script_decide(&s, 0);
    started(&s, 0);
    for (uint16_t copy = 0; copy < 2; copy++) {
        script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                       .cause = CAUSE_EXIT,
                                       .at = script_ref(j, 0, 0, copy)});
        script_decide(&s, (1 + copy) * S);
        expect(script_count(&s, DO_JOB_FAILED, -1) == 0);
        expect(script_count(&s, DO_JOB_DONE, -1) == copy);
    }
    expect(world_job(brain_world(s.brain), j) == NULL);
    script_fini(&s);
}

TEST(job_clone_drops_the_newest_copy_when_the_cluster_gets_busy)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=0.5;copies_max=3;tasks_max=2", 12, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 6); /* three copies: exactly half of the cluster */
    started(&s, 0);
    struct job_id big = script_job(&s, 1, 3);
    script_decide(&s, 1 * S);
    started(&s, 1 * S); /* nine of twelve run: one copy goes, and still seven would, so two do */
    expect(script_count(&s, DO_KILL, -1) == 4);
    for (uint16_t t = 0; t < 2; t++)
        for (uint16_t a = 1; a < 3; a++) {
            expect(script_find(&s, DO_KILL, script_ref(j, 0, t, a))->why.code == WHY_YIELD);
            script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, t, a));
        }
    script_decide(&s, 2 * S);
    expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
    (void)big;
    script_fini(&s);
}

TEST(job_clone_lost_output_is_made_again_inside_its_copy)
{
    struct script s;
    script_init(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8, 1);
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ALL_TO_ALL};
    struct job_id j = script_chain(&s, 2, (uint32_t[]){2, 1}, &edge);
    script_decide(&s, 0);
    started(&s, 0);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, 1));
    script_decide(&s, 1 * S);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 1));
    script_decide(&s, 2 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    expect(replica_of(&s, script_ref(j, 0, 0, 2)) == 2);
    script_fini(&s);
}
