/* Worked by hand: who is cloned, when, and where. */
#include <stdio.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

static struct job_id submit(struct script *s, uint32_t tasks)
{
    return script_phase(s, (struct phase_spec){.tasks = tasks});
}

static uint32_t node_of(const struct script *s, struct job_id j, uint32_t task, uint16_t attempt)
{
    const struct decision *d = script_find(s, DO_LAUNCH, script_ref(j, 0, task, attempt));
    return d ? d->node.v : UINT32_MAX;
}

/* Two unlike servers, of two and three slots; a of one task, b of two. First attempts fill node 0
 * and begin node 1; what is left there are clones, of a before b. */
static void two_servers_under(struct script *s, const char *policy, struct job_id *a,
                              struct job_id *b)
{
    script_init(s, policy, 1, 2);
    script_node_up(s, 1, 3, 0);
    *a = submit(s, 1);
    *b = submit(s, 2);
    script_decide(s, 0);
    script_started_all(s);
}

static void two_servers(struct script *s, struct job_id *a, struct job_id *b)
{
    two_servers_under(s, "fifo,place=best-fit,mitigate=dollymp", a, b);
}

TEST(dollymp_clones_what_is_left_in_the_order_of_jobs)
{
    struct script s;
    struct job_id a, b;
    two_servers(&s, &a, &b);
    expect(node_of(&s, a, 0, 0) == 0 && node_of(&s, b, 0, 0) == 0 && node_of(&s, b, 1, 0) == 1);
    expect(node_of(&s, a, 0, 1) == 1 && node_of(&s, b, 0, 1) == 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 5);
    expect(script_verdict(&s, a, 0)->code == WHY_OFFERED && script_verdict(&s, a, 0)->num[0] == 3);
    script_fini(&s);
}

/* a is over: a slot on each node. The first clone of b's second task, on the node where it does not
 * run, comes before the second clone of the first, which has nowhere else to go. */
TEST(dollymp_gives_every_task_its_first_clone_before_any_second)
{
    struct script s;
    struct job_id a, b;
    two_servers(&s, &a, &b);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(a, 0, 0, 0));
    script_decide(&s, 5);
    expect(node_of(&s, b, 1, 1) == 0 && script_count(&s, DO_LAUNCH, -1) == 1);
    script_started_all(&s);
    script_event(&s, EV_COMMITTED, script_ref(a, 0, 0, 0));
    script_decide(&s, 6);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, 0, 1));
    script_decide(&s, 9);
    expect(node_of(&s, b, 0, 2) == 1 && script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

/* As published: a first attempt comes, clones go on, and it waits; but it comes before any other
 * clone. */
TEST(dollymp_puts_first_attempts_before_clones_and_ends_none)
{
    struct script s;
    struct job_id a, b;
    two_servers_under(&s, "fifo,place=best-fit,mitigate=dollymp;when=after", &a, &b);
    struct job_id c = submit(&s, 1);
    script_decide(&s, 5);
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(b, 0, 0, 1));
    script_decide(&s, 6);
    expect(node_of(&s, c, 0, 0) == 1 && script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

/* The same with when=idle: the newest clone ends for it, and while it waits no other starts. */
TEST(dollymp_clones_of_idle_room_yield)
{
    struct script s;
    struct job_id a, b;
    two_servers_under(&s, "fifo,place=best-fit,mitigate=dollymp;when=idle", &a, &b);
    expect(node_of(&s, a, 0, 1) == 1 && node_of(&s, b, 0, 1) == 1);
    struct job_id c = submit(&s, 1);
    script_decide(&s, 5);
    expect(s.out.count == 1 && script_find(&s, DO_KILL, script_ref(b, 0, 0, 1)) != NULL);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(b, 0, 0, 1));
    script_decide(&s, 6);
    expect(node_of(&s, c, 0, 0) == 1 && script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    script_fini(&s);
}

/* A node of four slots and jobs of one, two and three: the third waits, and a clone of the first
 * takes the slot that is left. Then the second ends: two are free, and the third would fit but for
 * the clone. */
static void one_is_in_the_way(struct script *s, const char *policy, struct job_id *a,
                              struct job_id *c)
{
    struct job_id jobs[3];
    script_init(s, policy, 1, 4);
    for (int32_t i = 0; i < 3; i++)
        jobs[i] =
            script_phase(s, (struct phase_spec){.tasks = 1, .demand = {{(i + 1) * RES_SLOT}}});
    script_decide(s, 0);
    script_started_all(s);
    expect(script_count(s, DO_LAUNCH, LAUNCH_FIRST) == 2);
    expect(node_of(s, jobs[0], 0, 1) == 0 && script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_event(s, EV_ATTEMPT_FINISHED, script_ref(jobs[1], 0, 0, 0));
    script_decide(s, 5);
    *a = jobs[0];
    *c = jobs[2];
}

TEST(dollymp_clones_stay_in_the_way)
{
    struct script s;
    struct job_id a, c;
    one_is_in_the_way(&s, "fifo,mitigate=dollymp;when=after", &a, &c);
    expect(script_count(&s, DO_KILL, -1) == 0 && node_of(&s, a, 0, 2) == 0);
    script_fini(&s);
}

/* How many clones start on a node of ten slots beside jobs of one and of seven, and perhaps one of
 * three that waits. */
static uint32_t clones_in_a_crowd(const char *policy, bool waits)
{
    struct script s;
    script_init(&s, policy, 1, 10);
    for (int32_t slots = 1; slots <= 7; slots += 6)
        script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{slots * RES_SLOT}}});
    if (waits)
        script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{3 * RES_SLOT}}});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 2);
    uint32_t clones = (uint32_t)script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_fini(&s);
    return clones;
}

/* The first clone starts while 0.8 are in use, the second would while 0.9 are. */
TEST(dollymp_clones_that_yield_leave_a_crowd_alone)
{
    expect(clones_in_a_crowd("fifo,mitigate=dollymp", true) == 1);
    expect(clones_in_a_crowd("fifo,place=best-fit,mitigate=dollymp", true) == 1);
    expect(clones_in_a_crowd("fifo,mitigate=dollymp", false) == 2);
    expect(clones_in_a_crowd("fifo,mitigate=dollymp;when=after", true) == 2);
    expect(clones_in_a_crowd("fifo,mitigate=dollymp;when=idle", true) == 0);
}

/* No other clone takes what is free while the one ends; it comes back when nothing waits. */
TEST(dollymp_clones_yield_to_what_then_fits)
{
    static const char *const policies[] = {"fifo,mitigate=dollymp;when=yield",
                                           "fifo,place=best-fit,mitigate=dollymp;when=yield"};
    for (int i = 0; i < 2; i++) {
        struct script s;
        struct job_id a, c;
        one_is_in_the_way(&s, policies[i], &a, &c);
        expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL);
        expect(script_count(&s, DO_KILL, -1) == 1 && script_count(&s, DO_LAUNCH, -1) == 0);
        script_decide(&s, 6);
        expect(s.out.count == 0);
        script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, 0, 1));
        script_decide(&s, 7);
        expect(node_of(&s, c, 0, 0) == 0 && script_count(&s, DO_LAUNCH, -1) == 1);
        script_started_all(&s);
        script_win(&s, script_ref(c, 0, 0, 0));
        script_decide(&s, 9);
        const struct job *back = world_job(brain_world(s.brain), a);
        expect(back->phases[0].tasks[0].live == 3);
        script_fini(&s);
    }
}

TEST(dollymp_keeps_to_its_limit)
{
    for (uint32_t clones = 0; clones <= 3; clones++) {
        char text[64];
        struct script s;
        snprintf(text, sizeof text, "none,mitigate=dollymp;clones=%u", clones);
        script_init(&s, text, 2, 8);
        submit(&s, 2);
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2 * clones);
        script_fini(&s);
    }
}

/* An offer is not a clone: the phase counts as cloned from the first that starts. */
TEST(dollymp_counts_a_phase_as_cloned_from_its_first_clone_on)
{
    struct script s;
    script_init(&s, "none,mitigate=dollymp", 1, 1);
    struct job_id j = submit(&s, 1);
    script_decide(&s, 0);
    const struct phase *p = &world_job(brain_world(s.brain), j)->phases[0];
    expect(p->copies == 3 && !p->cloned);
    script_node_up(&s, 1, 1, 0);
    script_decide(&s, 1);
    expect(p->cloned && script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_fini(&s);
}

TEST(dollymp_leaves_side_effects_alone)
{
    struct script s;
    script_init(&s, "none,mitigate=dollymp", 4, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 1, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    expect(script_verdict(&s, j, 0)->code == WHY_SIDE_EFFECTS);
    script_fini(&s);
}

enum { S = 1000000 };

/* Jobs of one task on a node of eight slots; their volumes are their seconds over 8. */
static struct job_id submit_timed(struct script *s, int64_t time_s)
{
    return script_phase(s, (struct phase_spec){.tasks = 1, .expect_us = time_s * S});
}

/* Two clones of the first job take twice its volume, which must be less than that of the others.
 * The first clone of the second job, which may not start, is in nobody's way. */
static void gate_compares(const char *policy)
{
    for (int64_t other_s = 20; other_s <= 30; other_s += 10) {
        struct script s;
        script_init(&s, policy, 1, 8);
        struct job_id a = submit_timed(&s, 10), b = submit_timed(&s, other_s);
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == (other_s > 20 ? 2 : 0));
        expect((node_of(&s, a, 0, 2) == 0) == (other_s > 20) && node_of(&s, b, 0, 1) != 0);
        script_fini(&s);
    }
}

TEST(dollymp_gate_compares_clones_with_what_others_have_left)
{
    gate_compares("none,order=svf,place=best-fit,mitigate=dollymp;gate=demand");
    gate_compares("none,order=svf,place=any,mitigate=dollymp;gate=demand");
}

/* Alone, a job gets no clones; another one comes, and it does. */
TEST(dollymp_gate_looks_again)
{
    struct script s;
    script_init(&s, "none,order=svf,place=best-fit,mitigate=dollymp;gate=demand", 1, 8);
    submit_timed(&s, 10);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    submit_timed(&s, 21);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_fini(&s);
}

/* Of a job that reaches its rank with two copies (src/core/order/dollymp_test.c) each task gets one
 * clone; of one that needs none to reach it, none; without such an order, as many as may be. */
TEST(dollymp_copies_are_those_that_the_rank_counts_on)
{
    static const struct {
        const char *policy;
        int64_t dev_s;
        uint32_t clones;
    } cases[] = {
        {"none,order=dollymp,mitigate=dollymp;spread=2.5;copies=corollary", 3, 1},
        {"none,order=dollymp,mitigate=dollymp;spread=2.5;copies=corollary", 0, 0},
        {"none,order=dollymp,mitigate=dollymp;spread=2.5", 3, 2},
        {"none,mitigate=dollymp;copies=corollary", 3, 2},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script s;
        script_init(&s, cases[i].policy, 1, 4);
        script_phase(&s, (struct phase_spec){
                             .tasks = 1, .expect_us = 4 * S, .expect_dev_us = cases[i].dev_s * S});
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == cases[i].clones);
        script_fini(&s);
    }
}

static void node_gets(struct script *s, uint32_t node, int32_t slots)
{
    script_tell(s, (struct event){.type = EV_NODE_CAPACITY,
                                  .node = {node},
                                  .u.node = {.capacity = {{slots * RES_SLOT}}}});
}

/* Two readers and a task of another job are on node 0. The readers lose their other map, of three
 * slots, and the node gets one more, which a clone of that task takes: what is left does not make
 * room for the map. */
TEST(dollymp_room_is_made_of_what_clones_leave)
{
    struct script s;
    script_init(&s, "mitigate=dollymp;clones=1;when=after", 0, 0);
    script_node_up(&s, 1, 6, 0);
    struct edge_spec edge = {.from = 0, .slowstart = 50};
    struct phase_spec p[2] = {
        {.name = "map", .tasks = 2, .demand = {{3 * RES_SLOT}}},
        {.name = "red", .tasks = 2, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {1}});
    script_node_up(&s, 0, 1, 0);
    submit(&s, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    node_gets(&s, 0, 3);
    script_decide(&s, 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 2);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {1}});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 0, 1, 0));
    node_gets(&s, 0, 4);
    script_decide(&s, 5);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1 && script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* Two clones of the second job are less than the first has left; but that was cancelled, and is
 * only ending its attempt. */
TEST(dollymp_gate_compares_with_jobs_that_go_on)
{
    for (int cancelled = 0; cancelled <= 1; cancelled++) {
        struct script s;
        script_init(&s, "none,order=svf,mitigate=dollymp;gate=demand", 1, 8);
        struct job_id first = submit_timed(&s, 30);
        script_decide(&s, 0);
        script_started_all(&s);
        if (cancelled)
            script_tell(&s, (struct event){.type = EV_JOB_CANCELLED, .at = {.job = first}});
        submit_timed(&s, 10);
        script_decide(&s, 1);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == (cancelled ? 0 : 2));
        script_fini(&s);
    }
}

/* The second job ends in the same instant: what it had left counts in the decide before that, when
 * the third asks in vain, and not in the one in which the next phase of the first begins. */
TEST(dollymp_gate_is_of_the_decide_and_not_of_the_instant)
{
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec p[2] = {
        {.name = "a", .tasks = 1, .demand = {{RES_SLOT}}, .expect_us = 10 * S},
        {.name = "b", .tasks = 1, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1},
    };
    p[1].expect_us = 30 * S;
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "none,order=svf,mitigate=dollymp;gate=demand", 1, 8);
    struct job_id first = script_submit(&s, &spec);
    struct job_id second = script_phase(
        &s, (struct phase_spec){.tasks = 1, .expect_us = 30 * S, .clone = PHASE_CLONE_NEVER});
    submit_timed(&s, 35);
    script_decide(&s, 0); /* 2 x 40 and 2 x 35 are no less than 65 and 70 */
    script_started_all(&s);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(first, 0, 0, 0));
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(second, 0, 0, 0));
    script_decide(&s, 10 * S);
    script_event(&s, EV_COMMITTED, script_ref(first, 0, 0, 0));
    script_event(&s, EV_COMMITTED, script_ref(second, 0, 0, 0));
    script_decide(&s, 10 * S); /* 2 x 30 are more than 35 */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    script_fini(&s);
}
