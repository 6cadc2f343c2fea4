/* Worked by hand: scores are sums of (demand / largest) x (free / largest). */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

static void node_up(struct script *s, uint32_t node, int32_t cores, int32_t mem)
{
    script_tell(s, (struct event){.type = EV_NODE_UP,
                                  .node = {node},
                                  .u.node = {.capacity = {{cores * RES_SLOT, mem, 0, 0}}}});
}

static struct job_id job(struct script *s, uint32_t tasks, int32_t cores, int32_t mem)
{
    return script_phase(
        s, (struct phase_spec){.tasks = tasks, .demand = {{cores * RES_SLOT, mem, 0, 0}}});
}

static uint32_t node_of(const struct script *s, struct job_id j, uint32_t task)
{
    const struct decision *d = script_find(s, DO_LAUNCH, script_ref(j, 0, task, 0));
    return d ? d->node.v : UINT32_MAX;
}

/* Node 0 prefers b, which asks for more: 2/4 x 2/4 + 2/4 x 3/4 = 0.625 over 0.3125. */
TEST(best_fit_lets_nodes_choose)
{
    struct script s;
    script_init(&s, "none,place=best-fit", 0, 0);
    node_up(&s, 0, 2, 3);
    node_up(&s, 1, 4, 4);
    struct job_id a = job(&s, 1, 1, 1), b = job(&s, 1, 2, 2);
    script_decide(&s, 0);
    expect(node_of(&s, b, 0) == 0 && node_of(&s, a, 0) == 1);
    script_fini(&s);
}

/* a goes to node 1 (0.5 over 0.3125), and so does b: 2/4 x 3/4 + 2/4 x 3/4 = 0.75 over 0.625. */
TEST(best_fit_lets_tasks_choose)
{
    struct script s;
    script_init(&s, "none,place=best-fit;match=task", 0, 0);
    node_up(&s, 0, 2, 3);
    node_up(&s, 1, 4, 4);
    struct job_id a = job(&s, 1, 1, 1), b = job(&s, 1, 2, 2);
    script_decide(&s, 0);
    expect(node_of(&s, a, 0) == 1 && node_of(&s, b, 0) == 1);
    script_fini(&s);
}

/* In order of arrival each job is a rank: a comes first, whatever suits the nodes better. */
TEST(best_fit_goes_rank_by_rank)
{
    struct script s;
    script_init(&s, "fifo,place=best-fit", 0, 0);
    node_up(&s, 0, 2, 3);
    node_up(&s, 1, 4, 4);
    struct job_id a = job(&s, 3, 1, 1), b = job(&s, 2, 2, 2);
    script_decide(&s, 0);
    expect(node_of(&s, a, 0) == 0 && node_of(&s, a, 1) == 0 && node_of(&s, a, 2) == 1);
    expect(node_of(&s, b, 0) == 1 && node_of(&s, b, 1) == UINT32_MAX); /* node 1 has 1 core left */
    script_fini(&s);
}

/* What waits is looked for where something ends, and what is new everywhere. */
TEST(best_fit_looks_where_room_has_come)
{
    struct script s;
    script_init(&s, "fifo,place=best-fit", 0, 0);
    node_up(&s, 0, 1, 1);
    node_up(&s, 1, 1, 1);
    node_up(&s, 2, 2, 1); /* too little memory for two */
    struct job_id a = job(&s, 4, 1, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 3);
    script_started_all(&s);
    script_win(&s, script_ref(a, 0, 1, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && node_of(&s, a, 3) == UINT32_MAX);
    struct job_id b = job(&s, 1, 1, 0);
    script_decide(&s, 5);
    expect(node_of(&s, b, 0) == 2);
    script_fini(&s);
}

/* A job bids with all its open phases: the larger task suits a node better, and a smaller one of
 * the other phase fits beside it. */
TEST(best_fit_lets_every_open_phase_bid)
{
    struct phase_spec phases[] = {{.tasks = 2, .demand = {{1 * RES_SLOT}}},
                                  {.tasks = 2, .demand = {{2 * RES_SLOT}}}};
    struct job_spec spec = {.name = "",
                            .user = "",
                            .queue = "",
                            .weight = JOB_WEIGHT_ONE,
                            .phase_count = 2,
                            .phases = phases};
    struct script s;
    script_init(&s, "none,place=best-fit", 2, 3);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(s.out.count == 4);
    for (uint32_t node = 0; node < 2; node++) {
        expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, node, 0))->node.v == node);
        expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, node, 0))->node.v == node);
    }
    script_fini(&s);
}
