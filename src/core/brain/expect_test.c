/* How long tasks are expected to take, by hand. */
#include "core/brain/expect.h"

#include <math.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static uint32_t asked; /* how often an order was asked for a key */

static int64_t mean_key(const struct part_ctx *s, const struct phase *p)
{
    asked++;
    return (int64_t)phase_expected(s->world, p).mean_us;
}

/* The job with the shortest tasks first. */
static const struct order_ops shortest = {
    .part = {.name = "shortest", .reads_expected = true},
    .follows = FOLLOWS_EXPECTED,
    .key = mean_key,
};

/* So many slots, under a policy that orders by what is expected. */
static void begin(struct script *s, const char *policy, uint32_t slots)
{
    script_init(s, policy, 0, 1);
    brain_destroy(s->brain);
    s->policy->parts[PART_ORDER].ops = &shortest.part;
    s->brain = brain_create(s->policy, 1);
    for (uint32_t i = 0; i < slots; i++)
        script_node_up(s, i, 1, 0);
    script_decide(s, 0);
}

static struct job_id submit(struct script *s, const char *name, const char *app,
                            struct phase_spec p)
{
    p.name = "p";
    p.demand.v[RES_CPU] = RES_SLOT;
    struct job_spec spec = {.name = name, .app = app, .phases = &p, .phase_count = 1};
    struct job_id j = script_submit(s, &spec);
    script_decide(s, s->now_us);
    script_started_all(s);
    return j;
}

static struct expected of(const struct script *s, struct job_id j)
{
    const struct world *w = brain_world(s->brain);
    return phase_expected(w, &world_job(w, j)->phases[0]);
}

static bool is(struct expected e, uint8_t basis, double mean_us, double dev_us)
{
    return e.basis == basis && fabs(e.mean_us - mean_us) < 1e-3 && fabs(e.dev_us - dev_us) < 1e-3;
}

/* The first attempt of the task wins, and what is launched in its place starts. */
static void win_at(struct script *s, int64_t at_us, struct job_id j, uint32_t task)
{
    s->now_us = at_us;
    script_event(s, EV_ATTEMPT_FINISHED, script_ref(j, 0, task, 0));
    script_decide(s, at_us);
    script_started_all(s);
    script_event(s, EV_COMMITTED, script_ref(j, 0, task, 0));
    script_decide(s, at_us);
}

static bool runs(const struct script *s, struct job_id j)
{
    return world_job(brain_world(s->brain), j)->live > 0;
}

TEST(expect_takes_what_is_told)
{
    struct script s;
    begin(&s, "none", 0);
    struct phase_spec p = {.tasks = 1, .expect_us = 12 * S, .expect_dev_us = 4 * S};
    expect(is(of(&s, submit(&s, "j", "a", p)), EXPECTED_DECLARED, 12e6, 4e6));
    p.expect_dev_us = 0;
    expect(is(of(&s, submit(&s, "j", "a", p)), EXPECTED_DECLARED, 12e6, 0));
    p.expect_us = 0; /* which is to say nothing */
    expect(is(of(&s, submit(&s, "j", "a", p)), EXPECTED_PRIOR, 10e6, 10e6));
    p.expect_us = p.expect_dev_us = INT64_C(1000000000000000000);
    expect(is(of(&s, submit(&s, "j", "a", p)), EXPECTED_DECLARED, 1e15, 1e15));
    script_fini(&s);
}

/* 2, 4 and 9 s: mean 5, deviation the root of (9 + 1 + 16) / 2. */
TEST(expect_measures_the_phase_from_the_third_task_on)
{
    struct script s;
    begin(&s, "none", 4);
    struct job_id j = submit(&s, "j", NULL, (struct phase_spec){.tasks = 4});
    win_at(&s, 2 * S, j, 0);
    win_at(&s, 4 * S, j, 1);
    expect(is(of(&s, j), EXPECTED_PRIOR, 10e6, 10e6));
    win_at(&s, 9 * S, j, 2);
    expect(is(of(&s, j), EXPECTED_OWN, 5e6, sqrt(13) * 1e6));
    script_fini(&s);
}

TEST(expect_counts_a_task_once_and_times_of_nothing)
{
    struct script s;
    begin(&s, "none", 4);
    struct job_id j = submit(&s, "j", NULL, (struct phase_spec){.tasks = 4});
    for (uint32_t t = 0; t < 3; t++) {
        win_at(&s, 0, j, t);
        if (t == 0) { /* it is run again, for longer */
            script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
            script_decide(&s, 0);
            script_started_all(&s);
        }
    }
    expect(is(of(&s, j), EXPECTED_OWN, 1, 0)); /* no mean is below a microsecond */
    script_decide(&s, 100 * S);
    script_win(&s, script_ref(j, 0, 0, 1));
    expect(is(of(&s, j), EXPECTED_OWN, 1, 0));
    script_fini(&s);
}

/* A run counts from the end of the phase on, for its name alone. */
TEST(expect_remembers_earlier_jobs_of_the_name)
{
    struct script s;
    begin(&s, "none", 4);
    struct job_id first = submit(&s, "daily", NULL, (struct phase_spec){.tasks = 2});
    win_at(&s, 2 * S, first, 0);
    struct job_id later = submit(&s, "daily", NULL, (struct phase_spec){.tasks = 3});
    expect(of(&s, later).basis == EXPECTED_PRIOR);
    win_at(&s, 6 * S, first, 1);
    expect(is(of(&s, later), EXPECTED_HISTORY, 4e6, sqrt(8) * 1e6));
    for (uint32_t t = 0; t < 3; t++) {
        expect(is(of(&s, later), EXPECTED_HISTORY, 4e6, sqrt(8) * 1e6)); /* before its own */
        win_at(&s, 6 * S + (t + 1) * S, later, t);
    }
    struct job_id other = submit(&s, "weekly", NULL, (struct phase_spec){.tasks = 1});
    expect(of(&s, other).basis == EXPECTED_PRIOR);
    other = submit(&s, "", NULL, (struct phase_spec){.tasks = 1});
    expect(of(&s, other).basis == EXPECTED_PRIOR);
    /* 2 and 6 s; then 5, 6 and 7 s, as all three began at 2 s. */
    other = submit(&s, "daily", NULL, (struct phase_spec){.tasks = 1});
    expect(is(of(&s, other), EXPECTED_HISTORY, 5.2e6, sqrt(3.7) * 1e6));
    script_fini(&s);
}

/* What a job brings along is history as long as there is no other. */
TEST(expect_takes_what_a_job_brings_along)
{
    static const int64_t past[] = {1 * S, 3 * S};
    struct script s;
    begin(&s, "none", 4);
    struct phase_spec p = {.tasks = 1, .past_us = past, .past_count = 2, .past_seen = 2};
    struct job_id j = submit(&s, "m", NULL, p);
    expect(is(of(&s, j), EXPECTED_HISTORY, 2e6, sqrt(2) * 1e6));
    j = submit(&s, "m", NULL, p); /* the same again is nothing new */
    expect(is(of(&s, j), EXPECTED_HISTORY, 2e6, sqrt(2) * 1e6));
    script_fini(&s);
}

TEST(expect_takes_the_mean_of_the_application)
{
    struct script s;
    begin(&s, "none", 4);
    struct job_id j = submit(&s, "1", "sort", (struct phase_spec){.tasks = 3});
    struct job_id other = submit(&s, "2", "sort", (struct phase_spec){.tasks = 3});
    struct job_id alien = submit(&s, "3", "grep", (struct phase_spec){.tasks = 3});
    win_at(&s, 2 * S, j, 0);
    expect(is(of(&s, j), EXPECTED_APP, 2e6, 0) && is(of(&s, other), EXPECTED_APP, 2e6, 0));
    win_at(&s, 6 * S, j, 1);
    expect(is(of(&s, other), EXPECTED_APP, 4e6, sqrt(8) * 1e6));
    expect(of(&s, alien).basis == EXPECTED_PRIOR);
    script_fini(&s);
}

/* One slot. When the twin is done its application is known, and a short job goes before those of
 * which only the prior is known, though it came later. (The slot was free a moment before.) */
TEST(expect_makes_keys_follow)
{
    struct script s;
    begin(&s, "none", 1);
    struct job_id twin = submit(&s, "1", "short", (struct phase_spec){.tasks = 1});
    struct job_id lucky = submit(&s, "2", NULL, (struct phase_spec){.tasks = 1});
    struct job_id unknown = submit(&s, "3", NULL, (struct phase_spec){.tasks = 1});
    struct job_id brief = submit(&s, "4", "short", (struct phase_spec){.tasks = 1});
    win_at(&s, 1 * S, twin, 0);
    expect(runs(&s, lucky));
    win_at(&s, 12 * S, lucky, 0);
    expect(runs(&s, brief) && !runs(&s, unknown));
    win_at(&s, 13 * S, brief, 0);
    expect(runs(&s, unknown));
    script_fini(&s);
}

/* A key is asked for once in a while, not at every task of every other job. */
TEST(expect_keys_of_others_follow_ever_more_seldom)
{
    enum { TASKS = 1000, WAITING = 50 };
    struct script s;
    begin(&s, "none", 1);
    struct phase_spec p = {.tasks = TASKS};
    struct job_id j = submit(&s, "1", "a", p);
    for (int i = 0; i < WAITING; i++)
        submit(&s, "other", "a", (struct phase_spec){.tasks = 1, .expect_us = 3600LL * S});
    asked = 0;
    for (uint32_t t = 0; t < TASKS; t++)
        win_at(&s, (t + 1) * S, j, t);
    expect(asked > 10 * WAITING && asked < 10 * TASKS);
    script_fini(&s);
}

/* The second copy of a job wins: what was known of the job is known of it. */
TEST(expect_survives_a_change_of_copies)
{
    struct script s;
    begin(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8);
    struct phase_spec p = {.tasks = 1, .expect_us = 7 * S};
    struct job_id j = submit(&s, "twice", "a", p);
    script_decide(&s, 3 * S);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, 1));
    script_decide(&s, 3 * S);
    expect(world_job(brain_world(s.brain), j)->copy == 2);
    expect(is(of(&s, j), EXPECTED_DECLARED, 7e6, 0));
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 0, 1));
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 0));
    script_decide(&s, 4 * S);
    p.expect_us = 0; /* and its time counts once */
    struct job_id next = submit(&s, "twice", "a", p);
    const struct world *w = brain_world(s.brain);
    const struct job *j2 = world_job(w, next);
    expect(is(of(&s, next), EXPECTED_HISTORY, 3e6, 0));
    expect(recall_times(&w->recall, j2->phases[0].times.history).count == 1);
    expect(recall_times(&w->recall, j2->app).count == 1);
    script_fini(&s);
}

/* Both copies of a job end its first phase, of one task: after 2 s and after 5 s. It is a run, not
 * two, and what came later in it is its own business. */
TEST(expect_is_taught_by_a_job_once)
{
    struct script s;
    begin(&s, "job-clone;p_prior=0.5;tau=1;copies_max=2", 8);
    struct job_id j = script_job(&s, 2, 1); /* its name is j */
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint16_t a = 0; a < 2; a++) {
        script_decide(&s, a ? 5 * S : 2 * S);
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, a));
        script_decide(&s, s.now_us);
        script_started_all(&s);
    }
    struct job_id next = submit(&s, "j", NULL, (struct phase_spec){.tasks = 1});
    const struct world *w = brain_world(s.brain);
    expect(recall_times(&w->recall, world_job(w, next)->phases[0].times.history).count == 1);
    expect(is(of(&s, next), EXPECTED_HISTORY, 2e6, 0));
    expect(world_job(w, j)->phases[0].times.own.count == 2);
    script_fini(&s);
}
