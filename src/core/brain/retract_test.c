/* One map and two reduces. The map's output is lost when one reduce has read it, and made again. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static struct attempt_ref map(uint16_t attempt)
{
    return script_ref((struct job_id){0}, 0, 0, attempt);
}

static struct attempt_ref reduce(uint32_t task, uint16_t attempt)
{
    return script_ref((struct job_id){0}, 1, task, attempt);
}

/* Until the map runs again: reduce 0 has read its output and is at work, by a backup as well if the
 * policy is LATE; reduce 1 is gone. */
static void begin_with(struct script *s, const char *policy, bool backup)
{
    struct edge_spec edge = {.from = 0};
    script_init(s, policy, 5, 1);
    script_chain(s, 2, (uint32_t[]){1, 2}, &edge);
    script_decide(s, 0);
    script_started_all(s);
    s->now_us = S;
    script_output(s, map(0), 1, 7);
    script_decide(s, S);
    script_event(s, EV_COMMITTED, map(0));
    script_decide(s, S);
    script_started_all(s);
    if (backup) {
        script_progress(s, reduce(0, 0), 1, 100);
        script_progress(s, reduce(1, 0), 50, 100);
        script_timer(s, 1, 2 * S);
        expect(script_find(s, DO_LAUNCH, reduce(0, 1)) != NULL);
        script_started_all(s);
    }
    struct event e = {.type = EV_FETCH_DONE, .at = reduce(0, 0)};
    e.u.fetch.source = script_ref((struct job_id){0}, 0, TASK_ALL, 0);
    script_tell(s, e);
    script_event(s, EV_OUTPUT_LOST, map(0));
    e.type = EV_FETCH_FAILED;
    e.at = reduce(1, 0);
    script_tell(s, e);
    script_decide(s, 2 * S);
    expect(script_find(s, DO_KILL, reduce(1, 0)) != NULL);
    expect(script_find(s, DO_LAUNCH, map(1)) != NULL);
    script_started_all(s);
    script_event(s, EV_ATTEMPT_KILLED, reduce(1, 0));
    script_decide(s, 3 * S);
}

static void begin(struct script *s)
{
    begin_with(s, "mitigate=none", false);
}

static void map_again(struct script *s, uint64_t checksum)
{
    script_output(s, map(1), 1, checksum);
    script_decide(s, 4 * S);
    script_event(s, EV_COMMITTED, map(1));
    script_decide(s, 4 * S);
}

static bool retracted(const struct script *s, enum decision_type type, struct attempt_ref at)
{
    const struct decision *d = script_find(s, type, at);
    return d && d->why.code == WHY_INPUT_CHANGED;
}

TEST(retract_a_task_that_is_done)
{
    struct script s;
    begin(&s);
    script_win(&s, reduce(0, 0));
    map_again(&s, 8);
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    expect(script_find(&s, DO_LAUNCH, reduce(0, 1)) && script_find(&s, DO_LAUNCH, reduce(1, 1)));
    script_started_all(&s);
    script_win(&s, reduce(1, 1));
    expect(script_count(&s, DO_JOB_DONE, -1) == 0);
    script_win(&s, reduce(0, 1));
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(retract_nothing_when_the_output_is_the_same)
{
    struct script s;
    begin(&s);
    script_win(&s, reduce(0, 0));
    map_again(&s, 7);
    expect(script_count(&s, DO_DISCARD_OUTPUT, -1) == 0);
    expect(script_find(&s, DO_LAUNCH, reduce(1, 1)) && !script_find(&s, DO_LAUNCH, reduce(0, 1)));
    script_started_all(&s);
    script_win(&s, reduce(1, 1));
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(retract_an_attempt_that_runs)
{
    struct script s;
    begin(&s);
    map_again(&s, 8);
    expect(retracted(&s, DO_KILL, reduce(0, 0)) && !script_find(&s, DO_LAUNCH, reduce(0, 1)));
    script_event(&s, EV_ATTEMPT_KILLED, reduce(0, 0));
    script_decide(&s, 5 * S);
    expect(script_find(&s, DO_LAUNCH, reduce(0, 1)) != NULL);
    script_fini(&s);
}

/* A kill may come too late. */
TEST(retract_an_attempt_that_finishes_all_the_same)
{
    struct script s;
    begin(&s);
    map_again(&s, 8);
    script_output(&s, reduce(0, 0), 1, 1);
    script_decide(&s, 5 * S);
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    expect(script_count(&s, DO_COMMIT, -1) == 0);
    expect(script_find(&s, DO_LAUNCH, reduce(0, 1)) != NULL);
    script_fini(&s);
}

TEST(retract_an_output_whose_commit_is_on_its_way)
{
    struct script s;
    begin(&s);
    script_output(&s, reduce(0, 0), 1, 1);
    script_decide(&s, 3 * S);
    expect(script_find(&s, DO_COMMIT, reduce(0, 0)) != NULL);
    map_again(&s, 8);
    expect(!script_find(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    script_event(&s, EV_COMMITTED, reduce(0, 0));
    script_decide(&s, 5 * S);
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    expect(script_find(&s, DO_LAUNCH, reduce(0, 1)) && script_count(&s, DO_JOB_DONE, -1) == 0);
    script_fini(&s);
}

/* A backup of the same task finishes while that commit is on its way: neither output goes before
 * the commit is answered, as the body is at work on it. */
TEST(retract_leaves_an_output_alone_until_its_commit_is_answered)
{
    struct script s;
    begin_with(&s, "late;cap=1;slow_task=1;slow_node=0;floor=1s", true);
    script_output(&s, reduce(0, 0), 1, 1);
    script_decide(&s, 3 * S);
    expect(script_find(&s, DO_COMMIT, reduce(0, 0)) != NULL);
    map_again(&s, 8);
    script_output(&s, reduce(0, 1), 1, 1);
    script_decide(&s, 5 * S);
    expect(script_count(&s, DO_DISCARD_OUTPUT, -1) == 0);
    script_event(&s, EV_COMMITTED, reduce(0, 0));
    script_decide(&s, 6 * S);
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 1)));
    expect(script_find(&s, DO_LAUNCH, reduce(0, 2)) != NULL);
    script_fini(&s);
}

/* Two maps with a reader each. Only the one of the map that came out different starts again. */
TEST(retract_only_who_reads_it)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE};
    struct job_id j = {0};
    for (uint32_t lost = 0; lost < 2; lost++) {
        struct script s;
        script_init(&s, "mitigate=none", 4, 1);
        script_chain(&s, 2, (uint32_t[]){2, 2}, &edge);
        script_decide(&s, 0);
        script_started_all(&s);
        for (uint32_t t = 0; t < 2; t++)
            script_output(&s, script_ref(j, 0, t, 0), 1, 7);
        script_decide(&s, S);
        for (uint32_t t = 0; t < 2; t++)
            script_event(&s, EV_COMMITTED, script_ref(j, 0, t, 0));
        script_decide(&s, S);
        script_started_all(&s);
        script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, lost, 0));
        script_decide(&s, 2 * S);
        script_started_all(&s);
        script_output(&s, script_ref(j, 0, lost, 1), 1, 8);
        script_decide(&s, 3 * S);
        script_event(&s, EV_COMMITTED, script_ref(j, 0, lost, 1));
        script_decide(&s, 3 * S);
        expect(retracted(&s, DO_KILL, reduce(lost, 0)) && script_count(&s, DO_KILL, -1) == 1);
        script_fini(&s);
    }
}

/* map - middle - two leaves, of which one is done when the outputs of map and middle are lost. The
 * map comes out different: what the leaf was made from is not there any more, but it was. */
TEST(retract_what_was_made_from_an_output_that_is_lost)
{
    struct edge_spec edges[] = {{.from = 0}, {.from = 1}};
    struct job_id j = {0};
    struct script s;
    script_init(&s, "mitigate=none", 3, 1);
    script_chain(&s, 3, (uint32_t[]){1, 1, 2}, edges);
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint16_t phase = 0; phase < 2; phase++) {
        script_output(&s, script_ref(j, phase, 0, 0), 1, 7);
        script_decide(&s, S);
        script_event(&s, EV_COMMITTED, script_ref(j, phase, 0, 0));
        script_decide(&s, S);
        script_started_all(&s);
    }
    script_win(&s, script_ref(j, 2, 0, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 1, 0, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 2 * S);
    script_started_all(&s);
    script_output(&s, map(1), 1, 8);
    script_decide(&s, 3 * S);
    script_event(&s, EV_COMMITTED, map(1));
    script_decide(&s, 3 * S);
    expect(retracted(&s, DO_DISCARD_OUTPUT, script_ref(j, 2, 0, 0)));
    expect(retracted(&s, DO_KILL, script_ref(j, 2, 1, 0)));
    script_fini(&s);
}

/* The same in a copy of a whole job, which holds what it has made: it is thrown away once. */
TEST(retract_what_a_replica_holds)
{
    struct edge_spec edge = {.from = 0};
    struct script s;
    script_init(&s, "job-clone;tau=1;p_prior=0.5;copies_max=2", 12, 1);
    script_chain(&s, 2, (uint32_t[]){1, 2}, &edge);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    script_started_all(&s);
    script_output(&s, map(0), 1, 7);
    script_decide(&s, S);
    expect(script_count(&s, DO_COMMIT, -1) == 0 && script_find(&s, DO_LAUNCH, reduce(0, 0)));
    script_started_all(&s);
    script_output(&s, reduce(0, 0), 1, 1);
    script_decide(&s, 2 * S);
    script_event(&s, EV_OUTPUT_LOST, map(0));
    script_decide(&s, 2 * S);
    expect(script_find(&s, DO_LAUNCH, map(2)) != NULL); /* 1 is the other copy's */
    script_started_all(&s);
    script_output(&s, map(2), 1, 8);
    script_decide(&s, 3 * S);
    expect(retracted(&s, DO_DISCARD_OUTPUT, reduce(0, 0)));
    expect(script_count(&s, DO_DISCARD_OUTPUT, -1) == 1);
    script_fini(&s);
}

/* The body refuses for reasons of its own: the task is run again, as often as it takes. */
TEST(retract_refused_commits_are_no_failures)
{
    struct script s;
    script_init(&s, "none;policy.failures_max=2", 1, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    for (uint16_t i = 0; i < 5; i++) {
        struct attempt_ref at = script_ref(j, 0, 0, i);
        script_started_all(&s);
        script_output(&s, at, 1, 1);
        script_decide(&s, 2 * i + 1);
        const struct decision *commit = script_find(&s, DO_COMMIT, at);
        expect(commit != NULL);
        script_tell(&s, (struct event){.type = EV_REFUSED,
                                       .at = at,
                                       .cause = CAUSE_ALREADY_ENDED,
                                       .u.refused = {commit ? commit->id : 0, DO_COMMIT}});
        script_decide(&s, 2 * i + 2);
        expect(script_count(&s, DO_JOB_FAILED, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 1);
    }
    script_fini(&s);
}

/* Clones that wait in the queue when their task fails for good are forfeit; one that runs may still
 * win. Until then the slot that the failure freed would have gone to a new clone. */
TEST(retract_no_clone_starts_for_a_task_that_has_failed_for_good)
{
    struct script s;
    script_init(&s, "dolly;budget=idle;eps=0.0001;failures_max=1", 2, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 1, .failures_allowed = 1});
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 1);
    expect(brain_world(s.brain)->live == 2); /* the first attempt and a clone; others wait */
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 0, 0));
    script_decide(&s, 2);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_win(&s, script_ref(j, 0, 0, 1));
    expect(script_count(&s, DO_VERDICT, -1) == 0);
    script_fini(&s);
}

/* A real body may tell of a read after its reader has ended. */
TEST(brain_forgives_reads_of_attempts_that_are_gone)
{
    struct script s;
    script_init(&s, "none", 2, 1);
    struct job_id job = script_job(&s, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    uint32_t before = script_count(&s, DO_LAUNCH, -1);
    struct event e = {.type = EV_FETCH_FAILED, .at = script_ref(job, 1, 0, 7)};
    script_tell(&s, e);
    e.type = EV_FETCH_DONE;
    script_tell(&s, e);
    script_decide(&s, 1);
    expect(before == 1 && script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}
