/* Readers that started early and make room: how many, which, and how often. */
#include "core/brain/script_test.h"
#include "core/brain/state.h"
#include "tests/unit/test.h"

enum { NODES = 6, MAPS = 4 };

/* Four maps and four reduces on six slots. Two maps are done and two run, as do all reduces: these
 * started when half of the maps were done. */
static struct job_id begin(struct script *s)
{
    struct edge_spec edge = {.from = 0, .slowstart = 50};
    script_init(s, "none", NODES, 1);
    struct job_id j = script_chain(s, 2, (uint32_t[]){MAPS, MAPS}, &edge);
    script_decide(s, 0);
    script_started_all(s);
    script_win(s, script_ref(j, 0, 0, 0));
    script_win(s, script_ref(j, 0, 1, 0));
    expect(script_count(s, DO_LAUNCH, -1) == MAPS);
    script_started_all(s);
    return j;
}

static void lose_map(struct script *s, struct job_id j, uint32_t task)
{
    const struct world *w = brain_world(s->brain);
    const struct task *t = &world_job(w, j)->phases[0].tasks[task];
    struct node_id node = world_attempt(w, t->attempts)->node;
    script_tell(s, (struct event){.type = EV_NODE_DOWN, .node = node});
    script_event(s, EV_ATTEMPT_LOST, script_ref(j, 0, task, 0));
}

/* One for each task that waits, and the last ones first. */
TEST(room_is_made_by_as_many_readers_as_tasks_wait)
{
    for (uint32_t lost = 1; lost <= 2; lost++) {
        struct script s;
        struct job_id j = begin(&s);
        for (uint32_t i = 0; i < lost; i++)
            lose_map(&s, j, 3 - i);
        script_decide(&s, 5);
        expect(script_count(&s, DO_KILL, -1) == lost && s.out.count == lost);
        expect(script_find(&s, DO_KILL, script_ref(j, 1, 3, 0)) != NULL);
        expect((script_find(&s, DO_KILL, script_ref(j, 1, 2, 0)) != NULL) == (lost == 2));
        script_decide(&s, 6); /* room is on its way */
        expect(s.out.count == 0);
        script_fini(&s);
    }
}

/* Slow starts are off in a job that is cloned as a whole, also for the phase that waits in line
 * when this is decided: nothing is counted as waiting for early readers. */
TEST(room_is_not_looked_for_in_cloned_jobs)
{
    struct script s;
    struct edge_spec edge = {.from = 0, .slowstart = 50};
    script_init(&s, "job-clone;p_prior=0.5;tau=1;eps=0.05", 100, 1);
    script_chain(&s, 2, (uint32_t[]){1, 1}, &edge);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) > 0);
    expect(s.brain->early_jobs == 0 && s.brain->queue.early_waiting == 0);
    script_fini(&s);
}

static void limit_running(struct script *s, struct job_id j, uint32_t running_max)
{
    script_tell(s,
                (struct event){.type = EV_JOB_CHANGED,
                               .at = {.job = j},
                               .u.change = {.weight = JOB_WEIGHT_ONE, .running_max = running_max}});
}

/* A map fails while the job may run no more than it does: it is noted once, however often somebody
 * looks, and again when it happens again. */
TEST(room_under_the_jobs_limit_is_asked_for_once_each_time)
{
    struct script s;
    struct job_id j = begin(&s);
    const struct phase *map = &world_job(brain_world(s.brain), j)->phases[0];
    limit_running(&s, j, 5);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 3, 0));
    expect(s.brain->queue.stuck.count == 1 && map->stuck);
    limit_running(&s, j, 5);
    limit_running(&s, j, 4);
    limit_running(&s, j, 5);
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, 1, 3, 0)) && s.out.count == 1);
    script_decide(&s, 6);
    expect(s.out.count == 0 && s.brain->queue.stuck.count == 1);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 1, 3, 0));
    script_decide(&s, 7);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 3, 1)) != NULL);
    script_started_all(&s);
    script_decide(&s, 7);
    expect(s.out.count == 0 && !map->stuck);

    limit_running(&s, j, 4);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 3, 1));
    script_decide(&s, 8);
    expect(script_find(&s, DO_KILL, script_ref(j, 1, 2, 0)) && s.out.count == 1);
    script_fini(&s);
}

/* a - b - c, of 1, 2 and 1 tasks; c starts when half of b is done. Two nodes of one slot. */
TEST(room_is_made_for_phases_further_up)
{
    struct edge_spec edges[] = {{.from = 0}, {.from = 1, .slowstart = 50}};
    struct script s;
    script_init(&s, "none", 2, 1);
    struct job_id j = script_chain(&s, 3, (uint32_t[]){1, 2, 1}, edges);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    struct node_id node = script_find(&s, DO_LAUNCH, script_ref(j, 1, 1, 0))->node;
    script_started_all(&s);
    script_win(&s, script_ref(j, 1, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 2, 0, 0)) != NULL);
    script_started_all(&s);

    /* The node of b's other task is lost, and a's output with it: a has to run again, where c is.
     */
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = node});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 1, 1, 0));
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, 2, 0, 0)) && s.out.count == 1);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 2, 0, 0));
    script_decide(&s, 6);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) && s.out.count == 1);
    script_fini(&s);
}

TEST(room_is_not_why_a_reader_without_hope_ends)
{
    struct script s;
    script_init(&s, "none", 1, 1);
    struct job_id j = script_job(&s, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    struct event failed = {.type = EV_FETCH_FAILED, .at = script_ref(j, 1, 0, 0)};
    failed.u.fetch.source = script_ref(j, 0, TASK_ALL, 0);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_tell(&s, failed);
    script_decide(&s, 5);
    const struct decision *d = script_find(&s, DO_KILL, script_ref(j, 1, 0, 0));
    expect(d && d->why.code == WHY_HOPELESS_INPUT);
    script_fini(&s);
}

/* As above, but b is complete: what c reads is there, so it does not make room for a, which is only
 * needed further down. */
TEST(room_is_not_made_by_readers_with_all_they_need)
{
    struct edge_spec edges[] = {
        {.from = 0}, {.from = 1, .slowstart = 50}, {.from = 0}, {.from = 2}};
    struct res slot = {{RES_SLOT, 0, 0, 0}};
    struct phase_spec p[4] = {
        {.name = "a", .tasks = 1, .demand = slot},
        {.name = "b", .tasks = 1, .demand = slot, .edges = &edges[0], .edge_count = 1},
        {.name = "c", .tasks = 1, .demand = slot, .edges = &edges[1], .edge_count = 1},
        {.name = "d", .tasks = 1, .demand = slot, .edges = &edges[2], .edge_count = 2}};
    struct job_spec spec = {.phases = p, .phase_count = 4};
    struct script s;
    script_init(&s, "none", 1, 1);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    script_win(&s, script_ref(j, 1, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 2, 0, 0)) != NULL);
    script_started_all(&s);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 5);
    expect(s.out.count == 0);
    script_fini(&s);
}

/* c reads a piece by piece and all of b: with a complete it still waits for b, and makes room. */
TEST(room_is_made_by_readers_of_both_kinds)
{
    struct edge_spec edges[] = {{.from = 1, .slowstart = 50},
                                {.from = 0, .pattern = EDGE_ONE_TO_ONE, .slowstart = 1}};
    struct res slot = {{RES_SLOT, 0, 0, 0}};
    struct phase_spec p[3] = {
        {.name = "a", .tasks = 1, .demand = slot},
        {.name = "b", .tasks = 2, .demand = slot},
        {.name = "c", .tasks = 1, .demand = slot, .edges = edges, .edge_count = 2}};
    struct job_spec spec = {.phases = p, .phase_count = 3};
    struct script s;
    script_init(&s, "none", 2, 1);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    struct node_id node = script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 0))->node;
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0)); /* b's other task takes its place */
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 1, 1, 0));
    script_win(&s, script_ref(j, 1, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 2, 0, 0)) != NULL);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = node});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 1, 1, 0));
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, 2, 0, 0)) && s.out.count == 1);
    script_fini(&s);
}

/* Three maps, each with a reader of its own that starts when it is done. Two have theirs; then the
 * output of the first is lost and has to be made again. Its reader waits and makes room, the other
 * one has all it needs. */
TEST(room_is_made_by_the_reader_of_what_was_lost)
{
    struct edge_spec edge = {.from = 0, .pattern = EDGE_ONE_TO_ONE, .slowstart = 1};
    struct script s;
    script_init(&s, "none", 3, 1);
    struct job_id j = script_chain(&s, 2, (uint32_t[]){3, 3}, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint32_t t = 0; t < 2; t++) {
        script_win(&s, script_ref(j, 0, t, 0));
        expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, t, 0)) != NULL);
        script_started_all(&s);
    }
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, 1, 0, 0)) && s.out.count == 1);
    script_fini(&s);
}

/* Two maps and two reduces on three slots; reduces may start when half of the maps are done. */
static struct job_id slow_start(struct script *s, uint8_t percent)
{
    script_init(s, "none", 3, 1);
    struct edge_spec edge = {.from = 0, .slowstart = percent};
    struct job_id j = script_chain(s, 2, (uint32_t[]){2, 2}, &edge);
    script_decide(s, 0);
    script_started_all(s);
    script_win(s, script_ref(j, 0, 0, 0));
    return j;
}

TEST(brain_slow_start_waits_for_enough)
{
    struct script s;
    slow_start(&s, 51);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
    struct job_id j = slow_start(&s, 50);
    expect(script_count(&s, DO_LAUNCH, -1) == 2);
    /* What is there is read, the rest when it comes. */
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 2);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 1, 0));
    expect(script_count(&s, DO_ASSIGN_READ, -1) == 2);
    script_fini(&s);
}

TEST(brain_early_readers_make_room_for_what_they_wait_for)
{
    struct script s;
    struct job_id j = slow_start(&s, 50);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 1, 0));
    script_decide(&s, 5); /* its slot is free again: no need to take anybody's */
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 1)) && s.out.count == 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = s.out.at[0].node});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(j, 0, 1, 1));
    script_decide(&s, 6); /* no slot is left: a reader gives way, and only one */
    expect(script_count(&s, DO_KILL, -1) == 1 && s.out.at[0].at.phase == 1);
    struct attempt_ref victim = s.out.at[0].at;
    script_decide(&s, 7);
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_KILLED, victim);
    script_decide(&s, 8);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].at.phase == 0);
    script_fini(&s);
}

TEST(brain_early_readers_make_room_under_the_jobs_own_limit)
{
    struct script s;
    struct job_id j = slow_start(&s, 50);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_JOB_CHANGED,
                                   .at = {.job = j},
                                   .u.change = {.weight = JOB_WEIGHT_ONE, .running_max = 2}});
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 1, 0));
    script_decide(&s, 5); /* two readers are all that may run, and they wait for the failed one */
    expect(script_count(&s, DO_KILL, -1) == 1 && s.out.at[0].at.phase == 1);
    expect(s.out.at[0].why.code == WHY_YIELD);
    script_event(&s, EV_ATTEMPT_KILLED, s.out.at[0].at);
    script_decide(&s, 6);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].at.phase == 0);
    script_fini(&s);
}

static struct job_id submit_small(struct script *s, uint32_t tasks)
{
    return script_phase(s, (struct phase_spec){.tasks = tasks});
}

static struct job_id submit_large(struct script *s, int32_t cores)
{
    return script_phase(s, (struct phase_spec){.tasks = 1, .demand = {{cores * RES_SLOT}}});
}

/* Four tasks on node 0, their clones on node 1, two more tasks and their clones on node 2. */
static struct job_id clones_on_nodes(struct script *s)
{
    script_init(s, "dolly;budget=idle;p_prior=0.1", 1, 4);
    struct job_id a = submit_small(s, 4);
    script_decide(s, 0);
    script_started_all(s);
    script_node_up(s, 1, 4, 0);
    script_decide(s, 1);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 4);
    script_started_all(s);
    script_node_up(s, 2, 4, 0);
    submit_small(s, 2);
    script_decide(s, 2);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(s);
    return a;
}

/* The newest clones, on node 2, would go first; a task of a whole node is not helped by that. */
TEST(room_for_a_large_task_is_made_on_one_node)
{
    struct script s;
    struct job_id a = clones_on_nodes(&s);
    struct job_id large = submit_large(&s, 4);
    script_decide(&s, 10);
    expect(script_count(&s, DO_KILL, -1) == 4 && s.out.count == 4);
    for (uint32_t t = 0; t < 4; t++)
        expect(script_find(&s, DO_KILL, script_ref(a, 0, t, 1)) != NULL);
    script_decide(&s, 11); /* room is on its way */
    expect(s.out.count == 0);
    for (uint32_t t = 0; t < 4; t++)
        script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, t, 1));
    script_decide(&s, 12);
    expect(script_find(&s, DO_LAUNCH, script_ref(large, 0, 0, 0))->node.v == 1);
    script_fini(&s);
}

TEST(room_that_would_not_do_is_not_made)
{
    struct script s;
    clones_on_nodes(&s);
    submit_large(&s, 5); /* more than any node has */
    script_decide(&s, 10);
    expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

/* Two tasks of three cores: node 1 has room for one of them. */
TEST(room_is_made_once_for_each_task)
{
    struct script s;
    struct job_id a = clones_on_nodes(&s);
    script_phase(&s, (struct phase_spec){.tasks = 2, .demand = {{3 * RES_SLOT}}});
    script_decide(&s, 10);
    expect(script_count(&s, DO_KILL, -1) == 3 && s.out.count == 3);
    expect(!script_find(&s, DO_KILL, script_ref(a, 0, 0, 1))); /* the oldest */
    script_fini(&s);
}

/* Both clones of a task that has nothing else run on node 1: one of them stays. */
TEST(room_is_not_made_by_the_last_two_attempts_of_a_task)
{
    struct script s;
    script_init(&s, "dolly;budget=idle;p_prior=0.4", 1, 1);
    struct job_id a = submit_small(&s, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_node_up(&s, 1, 2, 0);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {0}});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(a, 0, 0, 0));
    submit_large(&s, 2);
    script_decide(&s, 2);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* Three clones, and three tasks of a job that may run one at a time: one clone yields. */
TEST(room_is_made_for_as_many_as_may_start)
{
    struct script s;
    script_init(&s, "dolly;budget=idle;p_prior=0.1", 6, 1);
    submit_small(&s, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3);
    script_started_all(&s);
    struct phase_spec p = {.name = "p", .tasks = 3, .demand = {{RES_SLOT}}};
    struct job_spec spec = {.phases = &p, .phase_count = 1, .running_max = 1};
    script_submit(&s, &spec);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 1);
    script_fini(&s);
}

static void node_goes(struct script *s, uint32_t node)
{
    script_tell(s, (struct event){.type = EV_NODE_DOWN, .node = {node}});
}

/* A job of two maps of three slots and a reduce of one. */
static struct job_id submit_wide(struct script *s)
{
    struct edge_spec edge = {.from = 0, .slowstart = 50};
    struct phase_spec p[2] = {
        {.name = "map", .tasks = 2, .demand = {{3 * RES_SLOT}}},
        {.name = "red", .tasks = 1, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    return script_submit(s, &spec);
}

/* Three jobs have run their maps on node 1, which takes no more, and have a reduce each on node 0,
 * of three slots. Then all lose their other map. No job's reduce makes room for a map; together
 * they do, for one. */
TEST(room_is_made_by_readers_of_several_jobs_that_wait_for_each_other)
{
    struct script s;
    script_init(&s, "none", 0, 0);
    script_node_up(&s, 1, 18, 0);
    for (uint32_t i = 0; i < 3; i++)
        submit_wide(&s);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 6);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {1}});
    script_node_up(&s, 0, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        script_win(&s, script_ref((struct job_id){i}, 0, 0, 0));
        expect(script_find(&s, DO_LAUNCH, script_ref((struct job_id){i}, 1, 0, 0)) != NULL);
        script_started_all(&s);
    }
    node_goes(&s, 1);
    for (uint32_t i = 0; i < 3; i++)
        script_event(&s, EV_ATTEMPT_LOST, script_ref((struct job_id){i}, 0, 1, 0));
    script_decide(&s, 5);
    expect(script_count(&s, DO_KILL, -1) == 3 && s.out.count == 3);
    script_decide(&s, 6);
    expect(s.out.count == 0);
    for (uint32_t i = 0; i < 3; i++)
        script_event(&s, EV_ATTEMPT_KILLED, script_ref((struct job_id){i}, 1, 0, 0));
    script_decide(&s, 7);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].at.phase == 0);
    script_fini(&s);
}

/* ---- on a disk (disk_full.c) ---- */

/* A full disk: clones go, nothing is launched before they are gone, and whatever failed by then is
 * forgiven; later failures count. */
TEST(disk_full_ends_clones)
{
    struct script s;

    script_init(&s, "dolly;beta=1;tau=1;eps=0.2;failures_max=1", 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 1);
    uint32_t clones = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    expect(clones >= 2);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2);
    /* Not the last attempt of a task: task 0 has lost its first. */
    uint32_t kills = script_count(&s, DO_KILL, -1);
    expect(kills >= 1 && s.out.at[0].why.code == WHY_DISK_FULL);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    struct attempt_ref dying[8];
    for (uint32_t i = 0; i < s.out.count && i < 8; i++)
        dying[i] = s.out.at[i].at;
    for (uint32_t i = 0; i < kills; i++)
        script_event(&s, EV_ATTEMPT_KILLED, dying[i]);
    /* The attempt that was left to task 0 fails, too: forgiven, as it was a clone. */
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 1),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 3);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_RESTART) == 1 && s.out.count == 1);
    struct attempt_ref again = s.out.at[0].at;
    script_started_all(&s);
    script_tell(&s,
                (struct event){.type = EV_ATTEMPT_FAILED, .at = again, .cause = CAUSE_DISK_FULL});
    script_decide(&s, 4); /* nobody else is to blame: failures_max is reached */
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    script_fini(&s);
}

/* A job is done, and its clones are being ended: what they still hold is no fault of others, and
 * nothing is launched before they are gone. */
TEST(disk_full_is_forgiven_beside_clones_that_have_lost)
{
    struct script s;

    script_init(&s, "dolly;beta=1;tau=1;eps=0.001;failures_max=1", 5, 1);
    struct job_id done = script_job(&s, 1, 1);
    script_decide(&s, 1);
    uint32_t clones = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    expect(clones == 3);
    script_started_all(&s);
    struct job_id other = script_job(&s, 1, 1);
    script_decide(&s, 2);
    expect(script_count(&s, DO_LAUNCH, -1) == 1); /* no room for clones of it */
    script_started_all(&s);
    script_win(&s, script_ref(done, 0, 0, 0));
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(other, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 4);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
    for (uint16_t i = 1; i <= clones; i++)
        script_event(&s, EV_ATTEMPT_KILLED, script_ref(done, 0, 0, i));
    script_decide(&s, 5);
    expect(script_find(&s, DO_LAUNCH, script_ref(other, 0, 0, 1)) != NULL && s.out.count == 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(other, 0, 0, 1),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 6);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    script_fini(&s);
}

/* A clone that is all that its task has left is no excuse for others: their retries end. */
TEST(disk_full_counts_beside_the_last_attempt_of_a_task)
{
    struct script s;

    script_init(&s, "dolly;beta=1;tau=1;eps=0.2;failures_max=1", 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 1, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2); /* one clone is left to task 1, the first attempt to task 0 */
    struct attempt_ref dying[8];
    uint32_t kills = script_count(&s, DO_KILL, -1);
    expect(kills >= 1 && kills <= 8);
    for (uint32_t i = 0; i < kills; i++)
        dying[i] = s.out.at[i].at;
    for (uint32_t i = 0; i < kills; i++)
        script_event(&s, EV_ATTEMPT_KILLED, dying[i]);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 3); /* it ran beside clones: forgiven */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_RESTART) == 1);
    struct attempt_ref again = s.out.at[0].at;
    script_started_all(&s);
    script_tell(&s,
                (struct event){.type = EV_ATTEMPT_FAILED, .at = again, .cause = CAUSE_DISK_FULL});
    script_decide(&s, 4);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    script_fini(&s);
}

static uint32_t nodes_avoided(const struct script *s, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->out.count; i++)
        count += s->out.at[i].type == DO_AVOID_NODE && s->out.at[i].node.v == node;
    return count;
}

/* The node of a launch of the last decide. */
static uint32_t launched_on(const struct script *s, struct attempt_ref at)
{
    const struct decision *d = script_find(s, DO_LAUNCH, at);
    expect(d != NULL);
    return d ? d->node.v : UINT32_MAX;
}

/* A node with a full disk of its own is avoided, and what fails there counts against nobody while
 * there are others. */
TEST(disk_full_is_trouble_of_one_node_where_disks_are_own)
{
    struct script s;

    script_init(&s, "none;failures_max=1;disks=own", 2, 1);
    struct job_id j = script_job(&s, 1, 3);
    script_decide(&s, 1);
    uint32_t full = launched_on(&s, script_ref(j, 0, 0, 0));
    uint32_t good = launched_on(&s, script_ref(j, 0, 1, 0));
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2);
    expect(nodes_avoided(&s, full) == 1 && nodes_avoided(&s, good) == 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && script_count(&s, DO_JOB_FAILED, -1) == 0);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 1, 0));
    script_decide(&s, 3);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    bool again = script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL;
    struct attempt_ref next = again ? script_ref(j, 0, 0, 1) : script_ref(j, 0, 2, 0);
    expect(launched_on(&s, next) == good);
    script_started_all(&s);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 1, 0));
    /* Nowhere else to go. */
    script_tell(&s,
                (struct event){.type = EV_ATTEMPT_FAILED, .at = next, .cause = CAUSE_DISK_FULL});
    script_decide(&s, 4);
    expect(script_count(&s, DO_JOB_FAILED, -1) == 1);
    script_fini(&s);
}

/* After a minute it is as good as others again. */
TEST(disk_full_lets_a_node_back_after_a_minute)
{
    struct script s;

    script_init(&s, "none;failures_max=1;disks=own", 2, 1);
    struct job_id j = script_job(&s, 1, 3);
    script_decide(&s, 1);
    uint32_t full = launched_on(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2);
    uint32_t timer = UINT32_MAX;
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_SET_TIMER) {
            timer = s.out.at[i].u.timer.id;
            expect(s.out.at[i].u.timer.at_us == 60000002);
        }
    script_timer(&s, timer, 60000002);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    for (uint32_t i = 0; i < s.out.count; i++)
        expect(s.out.at[i].type != DO_LAUNCH || s.out.at[i].node.v == full);
    script_fini(&s);
}

/* Clones of the node go, those of others stay. */
TEST(disk_full_ends_clones_of_its_node_only)
{
    struct script s;
    uint32_t node[16] = {0}, here = 0;

    script_init(&s, "dolly;beta=1;tau=1;eps=0.00001;failures_max=1;disks=own", 2, 4);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 1);
    uint32_t copies = script_count(&s, DO_LAUNCH, -1);
    expect(copies >= 4 && copies <= 16);
    for (uint32_t i = 0; i < copies; i++) {
        node[i] = launched_on(&s, script_ref(j, 0, 0, (uint16_t)i));
        here += i > 0 && node[i] == node[0];
    }
    expect(here > 0 && here + 1 < copies);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_DISK_FULL});
    script_decide(&s, 2);
    expect(nodes_avoided(&s, node[0]) == 1 && script_count(&s, DO_KILL, -1) == here);
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_KILL)
            expect(node[s.out.at[i].at.attempt] == node[0] &&
                   s.out.at[i].why.code == WHY_DISK_FULL);
    script_fini(&s);
}
