#include "record/story/story.h"

#include <string.h>

#include "record/story/story_script_test.h"
#include "tests/unit/test.h"

#define AT(job, phase, task, attempt) ((struct attempt_ref){{job}, task, phase, attempt})

/* A job of one task that takes so long. */
static void run_job(struct story_script *s, uint32_t id, const char *name, int64_t at_s,
                    int64_t took_s)
{
    struct script_job job = {.id = id, .maps = 1, .name = name};
    script_submit(s, at_s, &job);
    script_launch(s, (double)at_s, LAUNCH_FIRST, AT(id, 0, 0, 0), 0);
    script_win(s, (double)(at_s + took_s), AT(id, 0, 0, 0));
    script_over(s, (double)(at_s + took_s), DO_JOB_DONE, id);
}

TEST(story_follows_a_job_by_number)
{
    struct story_script *s = script_create("1");
    run_job(s, 0, "a", 0, 3);
    run_job(s, 1, "b", 3, 4);
    run_job(s, 2, "b", 7, 5);
    story_end(script_story(s));
    expect(story_job(script_story(s)) && story_job(script_story(s))->id.v == 1);
    expect(strcmp(story_job(script_story(s))->name, "b") == 0);
    expect(story_job(script_story(s))->over_us == 7 * SCRIPT_SECOND);
    expect(story_namesakes(script_story(s)) == 1);
    expect(story_run(script_story(s))->jobs == 3 && story_run(script_story(s))->done == 3);
    expect(story_run(script_story(s))->slowest_count ==
           0); /* only the one that was asked for is kept */
    script_destroy(s);
}

TEST(story_follows_the_first_of_a_name)
{
    struct story_script *s = script_create("b");
    run_job(s, 0, "a", 0, 3);
    run_job(s, 1, "b", 3, 4);
    run_job(s, 2, "b", 7, 5);
    story_end(script_story(s));
    expect(story_job(script_story(s)) && story_job(script_story(s))->id.v == 1);
    expect(story_namesakes(script_story(s)) == 2);
    expect(story_run(script_story(s))->name_count == 2);
    script_destroy(s);
}

/* Whoever wrote a journal chose its names; sentences with them go to terminals. */
TEST(story_tames_names)
{
    struct phase_spec phase = {.name = "p\033[2J", .tasks = 1};
    struct job_spec spec = {.name = "\033]0;owned\007"};
    struct event up = {.type = EV_NODE_UP, .u.node.name = "n\033c"};
    struct event kind = {.type = EV_RESOURCE, .u.resource = {.which = 0, .name = "x\b"}};
    struct story_run run = {0};

    spec.phases = &phase;
    spec.phase_count = 1;
    struct story_job *j = story_job_create(&spec, 0);
    expect(strcmp(j->name, "?]0;owned?") == 0 && strcmp(j->phases[0].name, "p?[2J") == 0);
    story_job_destroy(j);
    story_run_submitted(&run, &spec, true, 0);
    story_run_event(&run, &up);
    story_run_event(&run, &kind);
    expect(run.name_count == 1 && strcmp(run.names[0], "?]0;owned?") == 0);
    expect(strcmp(run.nodes.at[0].name, "n?c") == 0 && strcmp(run.resources[0], "x?") == 0);
    story_run_fini(&run);
}

TEST(story_prefers_a_number_to_a_name)
{
    struct story_script *s = script_create("2");
    run_job(s, 0, "2", 0, 3);
    run_job(s, 1, "x", 3, 4);
    story_end(script_story(s));
    expect(story_job(script_story(s)) &&
           story_job(script_story(s))->id.v == 0); /* there is no job 2: the name counts */
    script_destroy(s);

    s = script_create("2");
    run_job(s, 0, "2", 0, 3);
    run_job(s, 1, "x", 3, 4);
    run_job(s, 2, "2", 7, 4);
    story_end(script_story(s));
    expect(story_job(script_story(s)) && story_job(script_story(s))->id.v == 2);
    script_destroy(s);
}

TEST(story_has_no_job_that_never_was)
{
    struct story_script *s = script_create("4294967296");
    run_job(s, 0, "a", 0, 3);
    story_end(script_story(s));
    expect(!story_job(script_story(s)));
    script_destroy(s);
    story_destroy(NULL);
}

TEST(story_keeps_the_slowest_jobs_in_order)
{
    struct story_script *s = script_create(NULL);
    static const int64_t took_s[] = {3, 9, 1, 9, 5, 7, 2, 8};
    for (uint32_t i = 0; i < 8; i++)
        run_job(s, i, "j", 10 * i, took_s[i]);
    story_end(script_story(s));
    const struct story_run *r = story_run(script_story(s));
    static const uint32_t order[STORY_SLOWEST] = {1, 3, 7, 5, 4};
    expect(r->slowest_count == STORY_SLOWEST);
    for (uint32_t i = 0; i < STORY_SLOWEST; i++)
        expect(r->slowest[i].id.v == order[i]);
    expect(r->slowest[0].took_us == 9 * SCRIPT_SECOND);
    expect(r->launched[LAUNCH_FIRST] == 8 && r->won[LAUNCH_FIRST] == 8 && r->slot_s == 44);
    script_destroy(s);
}

TEST(story_adds_a_job_once_its_last_attempt_has_ended)
{
    struct story_script *s = script_create(NULL);
    struct script_job job = {.id = 5, .maps = 1, .name = "j"};
    script_submit(s, 0, &job);
    script_verdict(s, 0, AT(5, 0, TASK_ALL, 0), REASON(WHY_CLONED, 2, 1, .15, 1, 0, 5));
    script_launch(s, 0, LAUNCH_FIRST, AT(5, 0, 0, 0), 0);
    script_launch(s, 0, LAUNCH_CLONE, AT(5, 0, 0, 1), 1);
    script_win(s, 4, AT(5, 0, 0, 1));
    script_over(s, 4, DO_JOB_DONE, 5);
    expect(story_run(script_story(s))->jobs_cloned == 0); /* the loser may still be told about */
    script_kill(s, 4, 2, AT(5, 0, 0, 0));
    const struct story_run *r = story_run(script_story(s));
    expect(r->jobs_cloned == 1 && r->phases == 1 && r->phases_cloned == 1 && r->killed == 1);
    expect(r->won[LAUNCH_CLONE] == 1 && r->won_by_extra == 1);
    expect(r->vain_slot_s[LAUNCH_FIRST] == 6 && r->vain_slot_s[LAUNCH_CLONE] == 0);
    story_end(script_story(s));
    expect(story_run(script_story(s))->jobs_cloned == 1); /* and not twice */
    script_destroy(s);
}

TEST(story_counts_why_phases_were_not_cloned_by_the_latest_verdict)
{
    struct story_script *s = script_create(NULL);
    struct script_job job = {.id = 0, .maps = 2, .reduces = 1, .name = "j"};
    script_submit(s, 0, &job);
    script_verdict(s, 0, AT(0, 0, TASK_ALL, 0), REASON(WHY_WAIT_PREEMPT, 2, 2, .15, 2, 4, 5));
    script_verdict(s, 1, AT(0, 0, TASK_ALL, 0), REASON(WHY_CLONED, 2, 2, .15, 2, 0, 5));
    script_verdict(s, 2, AT(0, 1, TASK_ALL, 0), REASON_PLAIN(WHY_SIDE_EFFECTS));
    script_verdict(s, 3, AT(0, 1, TASK_ALL, 0), REASON(WHY_SPECULATION_CAP, 1, 1));
    story_end(script_story(s));
    const struct story_run *r = story_run(script_story(s));
    expect(r->phases == 2 && r->phases_cloned == 0 &&
           r->not_cloned[WHY_CLONED] == 1); /* none began */
    expect(r->not_cloned[WHY_SIDE_EFFECTS] == 1 && r->not_cloned[WHY_WAIT_PREEMPT] == 0);
    expect(r->jobs == 1 && r->done == 0 && r->slowest_count == 0);
    script_destroy(s);
}

TEST(story_counts_an_offer_of_one_attempt_as_none)
{
    struct story_script *s = script_create(NULL);
    struct script_job job = {.id = 0, .maps = 2, .reduces = 1, .name = "j"};
    script_submit(s, 0, &job);
    script_verdict(s, 0, AT(0, 0, TASK_ALL, 0), REASON(WHY_OFFERED, 1, 2));
    script_verdict(s, 1, AT(0, 1, TASK_ALL, 0), REASON(WHY_OFFERED, 2, 1));
    story_end(script_story(s));
    const struct story_run *r = story_run(script_story(s));
    expect(r->not_cloned[WHY_NO_NEED] == 1 && r->not_cloned[WHY_OFFERED] == 1);
    script_destroy(s);
}

/* The account refuses it, and so the story: a story of a run that cannot have been is none. */
TEST(story_refuses_what_no_run_can_have)
{
    struct story_script *s = script_create(NULL);
    struct script_record end = {.event = {.type = EV_ATTEMPT_FINISHED, .at = AT(3, 0, 0, 7)}};
    struct script_record commit = {.event = {.type = EV_COMMITTED, .at = AT(3, 0, TASK_ALL, 0)}};
    struct script_record launch = {.decided = true, .decision = {.type = DO_LAUNCH}};
    static const struct attempt_ref strange[] = {
        AT(4, 0, 0, 0), /* a job that was not submitted */
        AT(3, 1, 0, 0), /* a phase it does not have */
        AT(3, 0, 1, 0), /* a task */
        AT(3, 0, 0, 0), /* a node that has not come */
    };

    script_submit(s, 0, &(struct script_job){.id = 3, .maps = 1, .name = "j"});
    for (int i = 0; i < 4; i++) {
        launch.decision.at = strange[i];
        expect(script_show(s, &launch) == -1);
    }
    expect(script_show(s, &end) == -1 && script_show(s, &commit) == -1);
    story_end(script_story(s));
    expect(story_run(s->story)->jobs == 1 && story_run(s->story)->launched[LAUNCH_FIRST] == 0);
    script_destroy(s);
}

/* The account does not look at these. */
TEST(story_passes_over_what_makes_no_sense)
{
    struct story_script *s = script_create(NULL);
    struct decision kill = {.type = DO_KILL, .at = AT(3, 0, 0, 0)};
    struct event progress = {.type = EV_ATTEMPT_PROGRESS, .at = AT(3, 0, 0, 0)};

    script_submit(s, 0, &(struct script_job){.id = 3, .maps = 1, .name = "j"});
    script_verdict(s, 1, AT(3, 9, TASK_ALL, 0), REASON_PLAIN(WHY_NO_NEED));
    script_tell_decision(s, 1, &kill);
    script_tell_event(s, 1, &progress);
    story_end(script_story(s));
    expect(story_run(s->story)->jobs == 1 && story_run(s->story)->phases == 0);
    script_destroy(s);
}

/* A job that was asked for is told to its end, though its account is closed: here it fails while
 * the output of one task is being committed. */
TEST(story_of_one_job_takes_what_comes_after_it)
{
    for (int one = 0; one < 2; one++) {
        struct story_script *s = script_create(one ? "0" : NULL);
        script_submit(s, 0, &(struct script_job){.maps = 2, .name = "j"});
        script_launch(s, 0, LAUNCH_FIRST, AT(0, 0, 0, 0), 0);
        script_event(s, 1, EV_ATTEMPT_FINISHED, AT(0, 0, 0, 0));
        script_over(s, 2, DO_JOB_FAILED, 0);
        script_event(s, 3, EV_COMMITTED, AT(0, 0, 0, 0));
        script_event(s, 4, EV_OUTPUT_LOST, AT(0, 0, 0, 0));
        story_end(script_story(s));
        const struct story_job *j = story_job(s->story);
        expect(one ? j && j->phases[0].committed == 1 && j->phases[0].tasks[0].lost : !j);
        expect(story_run(s->story)->tasks_done == 0 && story_run(s->story)->failed == 1);
        script_destroy(s);
    }
}

TEST(story_remembers_nodes)
{
    struct story_script *s = script_create("0");
    struct event up = {.type = EV_NODE_UP, .node = {2}, .u.node.name = "n2"};
    struct event down = {.type = EV_NODE_DOWN, .node = {2}, .cause = CAUSE_NODE_DOWN};
    struct script_record far = {.event = {.type = EV_NODE_DOWN, .node = {UINT32_MAX - 1}}};
    struct decision avoid = {
        .type = DO_AVOID_NODE, .node = {2}, .why = REASON(WHY_BAD_NODE, .6, .5, .7, .5)};
    struct decision launch = {.type = DO_LAUNCH, .kind = LAUNCH_FIRST, .node = {2}};
    expect(script_show(s, &far) == -1);
    script_submit(s, 0, &(struct script_job){.maps = 1, .name = "j"});
    script_tell_event(s, 0, &up);
    script_tell_event(s, 0, &down); /* it waits for its agent */
    up.u.node.name = "agent7";
    script_tell_event(s, 0, &up);
    script_tell_decision(s, 1, &launch);
    script_tell_event(s, 1, &down);
    script_tell_event(s, 2, &up);
    script_tell_decision(s, 3, &avoid);
    script_tell_decision(s, 4, &avoid);
    const struct story_run *r = story_run(script_story(s));
    expect(r->nodes.count == 3 && strcmp(r->nodes.at[2].name, "agent7") == 0);
    expect(r->nodes.at[2].downs == 1 && r->nodes.at[2].avoided == 2);
    expect(r->nodes.at[2].avoid_why.num[0] == .6 && r->last_us == 4);
    script_destroy(s);
}

/* Far more jobs than are ever alive at once: memory follows those. */
TEST(story_forgets_jobs_that_are_over)
{
    struct story_script *s = script_create(NULL);
    for (uint32_t i = 0; i < 5000; i++)
        run_job(s, i, "j", i, 1);
    story_end(script_story(s));
    expect(story_run(script_story(s))->jobs == 5000 &&
           story_run(script_story(s))->won[LAUNCH_FIRST] == 5000);
    expect(story_run(script_story(s))->last_job.v == 4999);
    script_destroy(s);
}

/* A task may be launched again and again, and each attempt is found in few steps. */
TEST(story_finds_each_of_many_attempts)
{
    enum { LAUNCHES = 1000 };
    struct story_script *s = script_create("0");
    script_submit(s, 0, &(struct script_job){.maps = 1, .name = "j"});
    for (uint16_t i = 0; i < LAUNCHES; i++) {
        script_launch(s, i, LAUNCH_RESTART, AT(0, 0, 0, i), 0);
        script_event(s, i + 0.5, EV_ATTEMPT_LOST, AT(0, 0, 0, i));
    }
    const struct story_job *j = story_job(script_story(s));
    const struct story_task *t = &j->phases[0].tasks[0];
    uint32_t steps = 0;
    for (uint16_t i = 0; i < LAUNCHES; i++) {
        const struct story_attempt *a = story_job_attempt(j, t, i);
        expect(a && a->ordinal == i && a->ended_us == i * INT64_C(1000000) + 500000);
    }
    expect(!story_job_attempt(j, t, LAUNCHES));
    for (uint32_t k = t->newest; k != STORY_NONE; steps++) /* the way to the oldest */
        k = j->attempts.at[k].skip != STORY_NONE ? j->attempts.at[k].skip : j->attempts.at[k].older;
    expect(steps <= 20);
    script_destroy(s);
}

static void see_open(void *ctx, const struct story_job *j, const struct story_facts *f)
{
    *(double *)ctx += f->slot_s;
    (void)j;
}

/* An attempt that reported at 5 s holds its slot until now. */
TEST(story_of_an_open_job_counts_slots_until_now)
{
    struct story_script *s = script_create("0");
    struct script_job job = {.maps = 2, .name = "map"};
    struct attempt_ref other = {.task = 1};
    double slot_s = 0;

    script_submit(s, 0, &job);
    script_launch(s, 0, LAUNCH_FIRST, (struct attempt_ref){0}, 0);
    script_progress(s, 5, (struct attempt_ref){0}, 20);
    script_launch(s, 8, LAUNCH_FIRST, other, 0);
    script_win(s, 10, other);
    story_each_open(script_story(s), (struct story_listener){&slot_s, see_open});
    expect(slot_s == 10 + 2);
    script_destroy(s);
}
