/* Attempts that make room under a limit: in a queue that holds as much as it may, or more, or in a
 * job that runs as many as it may; and who of several does. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

static void node_goes(struct script *s, uint32_t node)
{
    script_tell(s, (struct event){.type = EV_NODE_DOWN, .node = {node}});
}

/* With its node. */
static void map_goes(struct script *s, struct job_id j, uint32_t task)
{
    const struct world *w = brain_world(s->brain);
    node_goes(s, world_attempt(w, world_job(w, j)->phases[0].tasks[task].attempts)->node.v);
    script_event(s, EV_ATTEMPT_LOST, script_ref(j, 0, task, 0));
}

/* A job of maps of so many slots and of reduces, which may start when a quarter of the maps is
 * done. It is not cloned. */
static struct job_id submit_large(struct script *s, const char *queue, uint32_t maps, int32_t slots,
                                  uint32_t reduces)
{
    struct edge_spec edge = {.from = 0, .slowstart = 25};
    struct phase_spec p[2] = {
        {.name = "map", .tasks = maps, .demand = {{slots * RES_SLOT}}},
        {.name = "red", .tasks = reduces, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1}};
    p[0].clone = p[1].clone = PHASE_CLONE_NEVER;
    struct job_spec spec = {.queue = queue, .phases = p, .phase_count = 2};
    return script_submit(s, &spec);
}

static struct job_id submit_slow(struct script *s, const char *queue, uint32_t maps,
                                 uint32_t reduces)
{
    return submit_large(s, queue, maps, 1, reduces);
}

static struct job_id submit_flat(struct script *s, const char *queue, uint32_t tasks)
{
    struct phase_spec p = {.name = "p", .tasks = tasks, .demand = {{RES_SLOT}}};
    struct job_spec spec = {.queue = queue, .phases = &p, .phase_count = 1};
    return script_submit(s, &spec);
}

/* Eight nodes of a slot; queue a may hold four. Of its job's four maps three are done, and three
 * reduces wait for the last; `others` of queue b run, too. */
static struct job_id wait_in_queue(struct script *s, uint32_t others)
{
    script_init(s, "order=capacity;queues=a:50:50,b:50:100", 8, 1);
    struct job_id j = submit_slow(s, "a", 4, 3);
    if (others > 0)
        submit_flat(s, "b", others);
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, -1) == 4 + others);
    script_started_all(s);
    for (uint32_t t = 0; t < 3; t++) { /* each makes way for a reduce */
        script_event(s, EV_ATTEMPT_FINISHED, script_ref(j, 0, t, 0));
        script_decide(s, 1);
        script_started_all(s);
        script_event(s, EV_COMMITTED, script_ref(j, 0, t, 0));
        script_decide(s, 1);
        script_started_all(s);
    }
    expect(world_job(brain_world(s->brain), j)->live == 4);
    return j;
}

/* Nodes without an attempt of the job go, up to `most`. */
static void others_go(struct script *s, struct job_id j, uint32_t most)
{
    const struct world *w = brain_world(s->brain);
    for (uint32_t n = 0; n < 8 && most > 0; n++) {
        bool used = task_is_on(w, &world_job(w, j)->phases[0].tasks[3], n);
        for (uint32_t t = 0; t < 3; t++)
            used |= task_is_on(w, &world_job(w, j)->phases[1].tasks[t], n);
        if (!used && w->nodes.at[n].state == NODE_UP) {
            node_goes(s, n);
            most--;
        }
    }
    expect(most == 0);
}

/* The node of the last map goes and two that are idle: of five slots the queue may hold two, and
 * holds three. For a map to start two have to end. */
TEST(room_in_a_queue_above_its_maximum_is_made_by_as_many_as_it_takes)
{
    struct script s;
    struct job_id j = wait_in_queue(&s, 0);
    others_go(&s, j, 2);
    map_goes(&s, j, 3);
    script_decide(&s, 5);
    expect(script_count(&s, DO_KILL, -1) == 2 && s.out.count == 2);
    script_decide(&s, 6); /* room is on its way */
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 1, 2, 0));
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 1, 1, 0));
    script_decide(&s, 7);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 3, 1)) && s.out.count == 1);
    script_fini(&s);
}

/* As above, but no node is idle: one of the two makes room on its node as well. */
TEST(room_is_made_on_a_node_and_in_a_queue)
{
    struct script s;
    struct job_id j = wait_in_queue(&s, 4);
    others_go(&s, j, 2);
    for (uint32_t t = 0, lost = 0; t < 4 && lost < 2; t++) {
        const struct world *w = brain_world(s.brain);
        const struct attempt *a =
            world_attempt(w, world_job(w, (struct job_id){1})->phases[0].tasks[t].attempts);
        if (w->nodes.at[a->node.v].state == NODE_DOWN) {
            script_event(&s, EV_ATTEMPT_LOST, script_ref((struct job_id){1}, 0, t, 0));
            lost++;
        }
    }
    map_goes(&s, j, 3);
    script_decide(&s, 5);
    expect(script_count(&s, DO_KILL, -1) == 2 && s.out.count == 2);
    script_fini(&s);
}

/* Two tasks of another job in the queue run: nothing that the one reader does lets a map start. */
TEST(room_in_a_queue_that_would_not_do_is_not_made)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:50:50", 8, 1);
    struct job_id j = submit_slow(&s, "a", 2, 1);
    submit_flat(&s, "a", 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    script_started_all(&s);
    const struct world *w = brain_world(s.brain);
    uint32_t gone = 0;
    for (uint32_t n = 0; n < 8 && gone < 3; n++)
        if (w->nodes.at[n].live == 0) {
            node_goes(&s, n);
            gone++;
        }
    map_goes(&s, j, 1); /* four slots: the queue may hold two, and holds three */
    script_decide(&s, 5);
    expect(gone == 3 && s.out.count == 0);
    script_fini(&s);
}

/* Two tasks and their clones hold all that the queue may; then it may hold three, and a task comes.
 */
TEST(room_in_a_queue_above_its_maximum_is_made_by_clones)
{
    struct script s;
    script_init(&s, "order=capacity,mitigate=dolly;budget=idle;p_prior=0.1;queues=a:50:50", 8, 1);
    submit_flat(&s, "a", 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(&s);
    const struct world *w = brain_world(s.brain);
    for (uint32_t n = 0, gone = 0; n < 8 && gone < 2; n++)
        if (w->nodes.at[n].live == 0) {
            node_goes(&s, n);
            gone++;
        }
    struct job_id late = submit_flat(&s, "a", 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 2);
    script_decide(&s, 2);
    expect(s.out.count == 0);
    for (uint32_t t = 0; t < 2; t++)
        script_event(&s, EV_ATTEMPT_KILLED, script_ref((struct job_id){0}, 0, t, 1));
    script_decide(&s, 3);
    expect(script_find(&s, DO_LAUNCH, script_ref(late, 0, 0, 0)) != NULL);
    script_fini(&s);
}

/* Three tasks and their clones hold the six slots that the queue may. Then a node of two comes, and
 * the queue may hold seven: enough for one of two tasks of that size once a clone ends. For the
 * other there is no node, whoever ends. */
TEST(room_in_a_queue_is_made_for_as_many_as_nodes_have_room_for)
{
    struct script s;
    script_init(&s, "order=capacity,mitigate=dolly;budget=idle;p_prior=0.1;queues=a:50:50", 6, 1);
    script_node_up(&s, 7, 6, 0);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {7}});
    submit_flat(&s, "a", 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3);
    script_started_all(&s);
    script_node_up(&s, 6, 2, 0);
    struct phase_spec p = {.name = "p", .tasks = 2, .demand = {{2 * RES_SLOT}}};
    struct job_spec wide = {.queue = "a", .phases = &p, .phase_count = 1};
    script_submit(&s, &wide);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 1 && s.out.count == 1);
    script_fini(&s);
}

/* A task and its clone, and three that are never cloned, hold the five slots that the queue may.
 * One of two slots comes, for which there is a node: five and a half are too few for it, whether or
 * not the clone ends. When one of the others has ended, they are enough without the clone. */
TEST(room_in_a_queue_is_made_once_that_would_do)
{
    struct script s;
    script_init(&s, "order=capacity,mitigate=dolly;budget=idle;p_prior=0.1;queues=a:50:50", 9, 1);
    script_node_up(&s, 9, 1, 0);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {9}});
    struct job_id a = submit_flat(&s, "a", 1);
    struct phase_spec never = {
        .name = "p", .tasks = 3, .demand = {{RES_SLOT}}, .clone = PHASE_CLONE_NEVER};
    struct phase_spec wide = {.name = "p", .tasks = 1, .demand = {{2 * RES_SLOT}}};
    struct job_id others =
        script_submit(&s, &(struct job_spec){.queue = "a", .phases = &never, .phase_count = 1});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 5 && script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_started_all(&s);
    script_node_up(&s, 10, 2, 0);
    node_goes(&s, 9);
    script_submit(&s, &(struct job_spec){.queue = "a", .phases = &wide, .phase_count = 1});
    script_decide(&s, 1);
    script_decide(&s, 2);
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(others, 0, 0, 0));
    script_decide(&s, 3);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* Queue a holds the four slots that it may, one of them by a clone, which makes room for one more
 * task. Two wait, of different demands: one fits on an idle node, the other where a clone of queue
 * b is. Only one of them may start, so only one clone ends. */
TEST(room_in_a_queue_is_promised_once)
{
    struct script s;
    script_init(&s, "order=capacity,mitigate=dolly;budget=idle;p_prior=0.1;queues=a:50:50,b:50:100",
                5, 1);
    for (uint32_t n = 5; n < 7; n++) {
        script_node_up(&s, n, n == 5 ? 2 : 1, 0);
        script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {n}});
    }
    struct job_id a = submit_flat(&s, "a", 1);
    struct phase_spec never = {
        .name = "p", .tasks = 2, .demand = {{RES_SLOT}}, .clone = PHASE_CLONE_NEVER};
    script_submit(&s, &(struct job_spec){.queue = "a", .phases = &never, .phase_count = 1});
    script_decide(&s, 0);
    expect(script_find(&s, DO_LAUNCH, script_ref(a, 0, 0, 1)) != NULL);
    script_started_all(&s);
    struct job_id b = submit_flat(&s, "b", 1);
    script_decide(&s, 1);
    script_started_all(&s);
    script_tell(
        &s, (struct event){.type = EV_NODE_UP, .node = {7}, .u.node.capacity = {{RES_SLOT, 8}}});
    script_decide(&s, 2);
    expect(script_find(&s, DO_LAUNCH, script_ref(b, 0, 0, 1)) != NULL);
    script_started_all(&s);
    node_goes(&s, 5);
    script_node_up(&s, 8, 1, 0);
    submit_flat(&s, "a", 1);
    struct phase_spec other = {.name = "p", .tasks = 1, .demand = {{RES_SLOT, 1}}};
    script_submit(&s, &(struct job_spec){.queue = "a", .phases = &other, .phase_count = 1});
    script_decide(&s, 3);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) && s.out.count == 1);
    script_fini(&s);
}

/* A job's map is lost; its reduce makes room for it. A clone of another job need not, too. */
TEST(room_is_not_made_by_clones_where_readers_do)
{
    struct script s;
    script_init(&s, "dolly;budget=idle;p_prior=0.1", 2, 1);
    struct job_id j = submit_slow(&s, NULL, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    script_started_all(&s);
    script_node_up(&s, 2, 2, 0);
    struct job_id other = submit_flat(&s, NULL, 1);
    script_decide(&s, 2);
    expect(script_find(&s, DO_LAUNCH, script_ref(other, 0, 0, 1)) != NULL);
    script_started_all(&s);
    map_goes(&s, j, 1);
    script_decide(&s, 5);
    expect(script_find(&s, DO_KILL, script_ref(j, 1, 0, 0)) && s.out.count == 1);
    script_decide(&s, 6); /* room is on its way */
    expect(s.out.count == 0);
    script_fini(&s);
}

/* Two jobs have run their maps on node 1, which takes no more. Of the first, two reduces fill node
 * 0 and one node 2; that of the second, which may run one attempt, fills node 3. Both lose their
 * other map. That of the second is made room for on node 0 and, by its own reduce, under its limit:
 * the reduce on node 2 helps with neither and goes on. */
TEST(room_under_a_jobs_limit_is_made_by_its_own_attempts)
{
    struct script s;
    script_init(&s, "none", 0, 0);
    script_node_up(&s, 1, 10, 0);
    struct job_id a = submit_large(&s, NULL, 2, 3, 3), b = submit_large(&s, NULL, 2, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {1}});
    script_node_up(&s, 0, 2, 0);
    script_win(&s, script_ref(a, 0, 0, 0));
    script_started_all(&s);
    script_node_up(&s, 2, 1, 0);
    script_decide(&s, 2);
    expect(script_find(&s, DO_LAUNCH, script_ref(a, 1, 2, 0)) != NULL);
    script_started_all(&s);
    script_node_up(&s, 3, 1, 0);
    script_win(&s, script_ref(b, 0, 0, 0));
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_JOB_CHANGED,
                                   .at = {.job = b},
                                   .u.change = {.weight = JOB_WEIGHT_ONE, .running_max = 1}});
    node_goes(&s, 1);
    script_event(&s, EV_ATTEMPT_LOST, script_ref(a, 0, 1, 0));
    script_event(&s, EV_ATTEMPT_LOST, script_ref(b, 0, 1, 0));
    script_decide(&s, 5);
    expect(script_count(&s, DO_KILL, -1) == 3 && s.out.count == 3);
    expect(script_find(&s, DO_KILL, script_ref(a, 1, 2, 0)) == NULL);
    expect(script_find(&s, DO_KILL, script_ref(b, 1, 0, 0)) != NULL);
    script_fini(&s);
}
