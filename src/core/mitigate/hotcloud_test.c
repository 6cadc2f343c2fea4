/* Dolly's first form: clones until the nodes are safe together, and no longer. */
#include <math.h>
#include <stdio.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK = 1 };

static uint32_t clones_with(const char *settings, uint32_t nodes, uint32_t tasks)
{
    struct script s;
    char text[160];
    snprintf(text, sizeof text, "dolly-hotcloud;%s", settings);
    script_init(&s, text, nodes, 1);
    script_job(&s, 1, tasks);
    script_decide(&s, 0);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_fini(&s);
    return n;
}

TEST(hotcloud_clones_until_the_product_is_small_enough)
{
    /* One task, p_m = 0.5 everywhere: 0.5, 0.25, 0.125 against eps. */
    expect(clones_with("p_prior=0.5;eps=0.5;tau=1", 10, 1) == 0); /* 0.5 <= 0.5 */
    expect(clones_with("p_prior=0.5;eps=0.49;tau=1", 10, 1) == 1);
    expect(clones_with("p_prior=0.5;eps=0.25;tau=1", 10, 1) == 1);
    expect(clones_with("p_prior=0.5;eps=0.24;tau=1", 10, 1) == 2);
    /* Two tasks: the target is 1 - (1 - eps)^(1/2), 0.0253 for 0.05: six attempts each. */
    expect(clones_with("p_prior=0.5;eps=0.05;tau=1", 30, 2) == 10);
}

TEST(hotcloud_stops_at_the_ceiling)
{
    /* Ten nodes: at 0.3 three attempts may run, at 0.2 two. */
    expect(clones_with("p_prior=0.9;eps=0.05;tau=0.3", 10, 1) == 2);
    expect(clones_with("p_prior=0.9;eps=0.05;tau=0.2", 10, 1) == 1);
    expect(clones_with("p_prior=0.9;eps=0.05;tau=0.1", 10, 1) == 0);
    expect(clones_with("p_prior=0.9;eps=0.05;tau=1;copies_max=4", 10, 1) == 3);
}

TEST(hotcloud_leaves_large_jobs_alone)
{
    expect(clones_with("p_prior=0.5;eps=0.25;tau=1;tasks_max=2", 10, 2) > 0);
    expect(clones_with("p_prior=0.5;eps=0.25;tau=1;tasks_max=2", 10, 3) == 0);
}

/* Node 1 makes a straggler of each attempt, node 0 and the others never. */
static void learn(struct script *s)
{
    for (int round = 0; round < 4; round++) {
        struct job_id j =
            script_phase(s, (struct phase_spec){.tasks = 3, .clone = PHASE_CLONE_NEVER});
        script_decide(s, s->now_us);
        uint32_t slow = 3;
        for (uint32_t i = 0; i < s->out.count; i++)
            if (s->out.at[i].type == DO_LAUNCH && s->out.at[i].node.v == 1)
                slow = s->out.at[i].at.task;
        script_started_all(s);
        script_decide(s, s->now_us);
        s->now_us += S;
        for (uint32_t t = 0; t < 3; t++)
            if (t != slow)
                script_win(s, script_ref(j, 0, t, 0));
        s->now_us += 9 * S;
        if (slow < 3)
            script_win(s, script_ref(j, 0, slow, 0));
    }
    script_job(s, 1, 1); /* something must run for the window to end */
    script_decide(s, s->now_us);
    script_timer(s, TICK, 3600LL * S);
}

TEST(hotcloud_walks_the_safest_or_the_worst_nodes_first)
{
    for (int down = 0; down < 2; down++) {
        struct script s;
        script_init(&s,
                    down ? "dolly-hotcloud;tau=1;eps=0.0005;copies_max=2;walk=descending"
                         : "dolly-hotcloud;tau=1;eps=0.0005;copies_max=2",
                    4, 3);
        learn(&s);
        struct job_id j = script_job(&s, 1, 2); /* one of its tasks begins elsewhere */
        script_decide(&s, s.now_us);
        uint32_t own[2] = {1, 1}, first[2] = {UINT32_MAX, UINT32_MAX};
        for (uint32_t i = 0; i < s.out.count; i++) {
            const struct decision *d = &s.out.at[i];
            if (d->type != DO_LAUNCH || d->at.job.v != j.v)
                continue;
            if (d->kind == LAUNCH_FIRST)
                own[d->at.task] = d->node.v;
            else if (first[d->at.task] == UINT32_MAX)
                first[d->at.task] = d->node.v;
        }
        uint32_t task = own[0] == 1;
        expect(own[task] != 1 && first[task] != UINT32_MAX);
        expect((first[task] == 1) == down);
        script_fini(&s);
    }
}

TEST(hotcloud_clones_keep_away_from_a_busy_disk)
{
    struct script s;
    script_init(&s, "dolly-hotcloud;tau=1;p_prior=0.5;eps=0.05", 4, 1);
    script_tell(&s, (struct event){.type = EV_PRESSURE, .node = {2}, .u.pressure = {.disk = 300}});
    script_job(&s, 1, 1);
    script_decide(&s, 0);
    uint32_t clones = 0;
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_LAUNCH && s.out.at[i].kind == LAUNCH_CLONE) {
            expect(s.out.at[i].node.v != 2);
            clones++;
        }
    expect(clones >= 2); /* of three nodes without the first attempt's, or more */
    script_fini(&s);
}

TEST(hotcloud_clones_yield_to_first_attempts)
{
    struct script s;
    script_init(&s, "dolly-hotcloud;tau=1;p_prior=0.5;eps=0.05", 4, 1);
    script_job(&s, 1, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3);
    script_started_all(&s);
    script_job(&s, 1, 2);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 2 && s.out.at[0].why.code == WHY_YIELD);
    script_fini(&s);
}

TEST(hotcloud_clones_go_when_the_ceiling_is_crossed)
{
    struct script s;
    script_init(&s, "dolly-hotcloud;tau=0.5;p_prior=0.5;eps=0.2", 8, 1);
    script_job(&s, 1, 1); /* three attempts */
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 3);
    script_started_all(&s);
    script_job(&s, 1, 2); /* five of eight: one above the ceiling */
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 2 && script_count(&s, DO_KILL, -1) == 1);
    script_decide(&s, 2);
    expect(script_count(&s, DO_KILL, -1) == 0); /* it is on its way */
    script_fini(&s);
}

static uint32_t live(const struct script *s, struct job_id j)
{
    return world_job(brain_world(s->brain), j)->phases[0].tasks[0].live;
}

TEST(hotcloud_clones_later_when_there_is_room)
{
    /* Four of eight slots may be taken. The task of the second job is safe with two clones: 0.5 x
     * 0.5 x 0.5 < 0.2. It is the newest, so it gets what becomes free; then the first job does. */
    struct script s;
    script_init(&s, "dolly-hotcloud;tau=0.5;p_prior=0.5;eps=0.2", 8, 1);
    struct job_id j = script_job(&s, 1, 4);
    script_decide(&s, 0);
    script_started_all(&s);
    struct job_id k = script_job(&s, 1, 1);
    script_decide(&s, S);
    script_started_all(&s);
    for (uint32_t i = 0; i < 3; i++) {
        script_win(&s, script_ref(j, 0, 3 - i, 0));
        expect(live(&s, k) == 1 + i && live(&s, j) == 1);
    }
    for (uint16_t i = 1; i < 3; i++)
        script_event(&s, EV_ATTEMPT_STARTED, script_ref(k, 0, 0, i));
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(k, 0, 0, 2));
    script_decide(&s, 2 * S);
    expect(live(&s, j) == 2); /* the other two of four are on their way out */
    script_fini(&s);
}

TEST(hotcloud_clones_no_task_again_whose_clones_went)
{
    struct script s;
    script_init(&s, "dolly-hotcloud;tau=0.5;p_prior=0.5;eps=0.1", 8, 1);
    struct job_id j = script_job(&s, 1, 1); /* four attempts are safe, and four may run */
    script_decide(&s, 0);
    expect(live(&s, j) == 4);
    script_started_all(&s);
    struct job_id k = script_phase(&s, (struct phase_spec){.tasks = 2, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, S);
    expect(script_count(&s, DO_KILL, -1) == 2);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 3));
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 2));
    for (uint32_t t = 0; t < 2; t++)
        script_win(&s, script_ref(k, 0, t, 0));
    expect(live(&s, j) == 2);
    script_fini(&s);
}
