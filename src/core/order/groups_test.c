/* Orders with groups, with limits of groups and with limits of phases, on schedules by hand. */
#include "core/brain/decider.h"
#include "core/order/launched_test.h"
#include "tests/unit/test.h"

/* Even jobs are of group 0, odd ones of group 1. The group that holds less comes first, and none
 * may hold more than `most` slots. A phase may start `wave` tasks each time its keys are asked for.
 */
static int32_t most;
static uint32_t wave;

static uint32_t by_parity(const struct part_ctx *s, const struct job *j)
{
    (void)s;
    return j->id.v % 2;
}

static int64_t held_of(const struct part_ctx *s, uint32_t group)
{
    return s->world->groups.at[group].held.v[RES_CPU];
}

static struct res room_of(const struct part_ctx *s, uint32_t group, const struct res_sum *held)
{
    (void)s;
    (void)group;
    return (struct res){{most * RES_SLOT - (int32_t)held->v[RES_CPU], 0, 0, 0}};
}

static int64_t no_key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    (void)p;
    return 0;
}

static uint32_t a_wave(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    (void)p;
    return wave;
}

static const struct order_ops in_groups = {
    .part = {.name = "groups"},
    .group = by_parity,
    .group_key = held_of,
    .key = no_key,
};
static const struct order_ops in_small_groups = {
    .part = {.name = "small"},
    .group = by_parity,
    .group_key = held_of,
    .group_allowance = room_of,
    .key = no_key,
};
static const struct order_ops in_waves = {
    .part = {.name = "waves"},
    .follows = FOLLOWS_COMMITS,
    .key = no_key,
    .allowed = a_wave,
};

/* One node of so many slots, under a test's own order. */
static void begin(struct script *s, const struct order_ops *order, const char *policy,
                  int32_t slots)
{
    script_init(s, policy, 0, 0);
    brain_destroy(s->brain);
    s->policy->parts[PART_ORDER].ops = &order->part;
    s->brain = brain_create(s->policy, 1);
    script_node_up(s, 0, slots, 0);
}

static struct job_id job_of(struct script *s, uint32_t tasks, int32_t slots)
{
    struct res need = {{slots * RES_SLOT, 0, 0, 0}};
    return script_phase(s, (struct phase_spec){.tasks = tasks, .demand = need});
}

TEST(order_groups_take_turns_by_what_they_hold)
{
    struct script s;
    begin(&s, &in_groups, "none", 6);
    for (int i = 0; i < 4; i++)
        (void)job_of(&s, 2, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 0 1 2 3"));
    const struct world *w = brain_world(s.brain);
    expect(w->groups.at[0].held.v[RES_CPU] == 3000 && w->groups.at[1].held.v[RES_CPU] == 3000);
    expect(launched_when_done(&s, 10, 0, 0, 0, "2")); /* its group holds less now */
    expect(launched_when_done(&s, 20, 0, 0, 1, "3")); /* nobody else waits */
    script_fini(&s);
}

TEST(order_groups_stay_within_their_room)
{
    struct script s;
    most = 2;
    begin(&s, &in_small_groups, "none", 6);
    (void)job_of(&s, 3, 1);
    (void)job_of(&s, 4, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 0 1")); /* two slots stay idle */
    expect(launched_when_done(&s, 10, 1, 0, 0, "1"));
    expect(launched_when_done(&s, 20, 0, 0, 1, "0"));
    expect(launched_when_done(&s, 30, 0, 0, 0, "")); /* no more of it, and none for the other */
    expect(
        decider_place(s.brain, &world_job(brain_world(s.brain), (struct job_id){1})->phases[0], 0)
            .v == NODE_NONE.v); /* nor for a backup */
    script_fini(&s);
}

/* What is too large for the rest of the room waits for it, and what is smaller does not. */
TEST(order_groups_let_small_demands_into_small_rooms)
{
    struct script s;
    most = 3;
    begin(&s, &in_small_groups, "none", 10);
    (void)job_of(&s, 2, 2);  /* 0 */
    (void)job_of(&s, 1, 10); /* 1 would not fit into any room of its group */
    (void)job_of(&s, 2, 1);  /* 2 */
    script_decide(&s, 0);
    expect(launched_are(&s, "0 2"));
    expect(launched_when_done(&s, 10, 2, 0, 0, "2"));
    expect(launched_when_done(&s, 20, 0, 0, 0, "0"));
    script_fini(&s);
}

/* The same with so many demands that most have no set of nodes in the index. */
TEST(order_groups_of_many_demands_wait_for_their_room)
{
    enum { JOBS = 60 };
    struct script s;
    uint32_t all = 0;
    most = 1;
    begin(&s, &in_small_groups, "none", 10);
    for (int32_t i = 0; i < JOBS; i++) /* jobs of .4 to .518 of a slot: two of a group at a time */
        (void)script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{400 + 2 * i, 0, 0, 0}}});
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 2 3"));
    for (uint32_t i = 0; i < JOBS; i++) {
        struct attempt_ref at = script_ref((struct job_id){i}, 0, 0, 0);
        script_event(&s, EV_ATTEMPT_FINISHED, at);
        script_decide(&s, 10 + i);
        all += script_count(&s, DO_LAUNCH, -1);
        script_started_all(&s);
        script_event(&s, EV_COMMITTED, at);
        script_decide(&s, 10 + i);
        const struct world *w = brain_world(s.brain);
        expect(w->groups.at[0].held.v[RES_CPU] <= 1000 && w->groups.at[1].held.v[RES_CPU] <= 1000);
    }
    expect(all == JOBS - 4);
    script_fini(&s);
}

TEST(order_allows_a_phase_so_many_tasks_at_a_time)
{
    struct script s;
    wave = 2;
    begin(&s, &in_waves, "none", 6);
    (void)job_of(&s, 5, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 0"));
    script_decide(&s, 5); /* nothing that it follows has happened */
    expect(launched_are(&s, ""));
    wave = 1;
    expect(launched_when_done(&s, 10, 0, 0, 0, "0"));
    wave = 0;
    expect(launched_when_done(&s, 20, 0, 0, 1, ""));
    wave = UINT32_MAX;
    expect(launched_when_done(&s, 30, 0, 0, 2, "0 0"));
    script_fini(&s);
}

/* The queue may have half of a node of four: two reduces have all of that, and what they wait for
 * is lost. The node has room, the queue has not. */
TEST(groups_early_readers_make_room)
{
    struct edge_spec edge = {.from = 0, .slowstart = 50};
    struct script s;
    script_init(&s, "none,order=capacity;queues=default:50:50", 1, 4);
    struct job_id j = script_chain(&s, 2, (uint32_t[]){2, 2}, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 1, 0));
    script_started_all(&s);
    expect(brain_world(s.brain)->live == 2);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 5);
    expect(s.out.count == 1 && s.out.at[0].why.code == WHY_YIELD);
    expect(s.out.at[0].at.phase == 1 && s.out.at[0].at.task == 1);
    script_fini(&s);
}

static struct job_id submit_queued(struct script *s, const char *queue, uint32_t tasks)
{
    struct phase_spec p = {.name = "p", .tasks = tasks, .demand = {{RES_SLOT}}};
    struct job_spec spec = {.queue = queue, .phases = &p, .phase_count = 1};
    return script_submit(s, &spec);
}

/* Queue a has four slots of eight: two tasks of its own and their clones. Another task of it takes
 * the place of one of these, although nodes have room; one of queue b takes that. */
TEST(groups_clones_make_room_in_their_own)
{
    struct script s;
    script_init(&s, "dolly,order=capacity;budget=idle;p_prior=0.1;queues=a:50:50,b:50:100", 8, 1);
    struct job_id a = submit_queued(&s, "a", 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(&s);
    submit_queued(&s, "b", 1);
    struct job_id late = submit_queued(&s, "a", 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1 && script_count(&s, DO_KILL, -1) == 1);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 1, 1)) != NULL); /* the newest */
    script_started_all(&s);
    script_decide(&s, 2); /* room is on its way */
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, 1, 1));
    script_decide(&s, 3);
    expect(script_find(&s, DO_LAUNCH, script_ref(late, 0, 0, 0)) != NULL);
    script_fini(&s);
}

/* Its tasks fill queue a: nobody yields to one more of them, not even where clones of queue b are
 * all that nodes have no room for. */
TEST(groups_no_room_is_made_for_one_that_is_full)
{
    struct script s;
    script_init(&s, "dolly,order=capacity;budget=idle;p_prior=0.1;queues=a:50:50,b:50:100", 4, 1);
    submit_queued(&s, "b", 1);
    submit_queued(&s, "a", 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_started_all(&s);
    submit_queued(&s, "a", 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

/* An attempt fails, and its clones are all there is of its task. More tasks of the queue come than
 * it has room for: one clone stays. */
TEST(groups_the_last_attempt_of_a_task_makes_no_room)
{
    struct script s;
    script_init(&s, "dolly,order=capacity;budget=idle;p_prior=0.4;queues=a:50:50,b:50:100", 8, 1);
    struct job_id a = submit_queued(&s, "a", 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) >= 2);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(a, 0, 0, 0));
    submit_queued(&s, "a", 4);
    script_decide(&s, 1);
    uint32_t wanted = 0;
    const struct world *w = brain_world(s.brain);
    FOR_ATTEMPTS (one, w, &world_job(w, a)->phases[0].tasks[0])
        wanted += !one->unwanted;
    expect(wanted == 1);
    script_fini(&s);
}
