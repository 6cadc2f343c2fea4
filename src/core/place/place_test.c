#include "core/brain/script_test.h"
#include "tests/unit/test.h"

/* Six nodes of one slot in three racks of two; the input of each task is on nodes 0 and 3. */
static struct job_id submit(struct script *s, uint32_t tasks)
{
    script_init(s, "place=locality", 0, 1);
    for (uint32_t i = 0; i < 6; i++)
        script_node_up(s, i, 1, i / 2);
    uint32_t from[7];
    struct node_id replicas[12];
    for (uint32_t i = 0; i <= tasks; i++)
        from[i] = 2 * i;
    for (uint32_t i = 0; i < 2 * tasks; i++)
        replicas[i] = (struct node_id){i % 2 ? 3 : 0};
    return script_phase(
        s, (struct phase_spec){.tasks = tasks, .replica_from = from, .replicas = replicas});
}

TEST(locality_takes_the_data_then_its_rack_then_any)
{
    struct script s;
    submit(&s, 6);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 6);
    uint32_t near = 0;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t node = s.out.at[i].node.v;
        if (i < 2)
            near += node == 0 || node == 3;
        else if (i < 4)
            near += node == 1 || node == 2;
        else
            near += node >= 4;
    }
    expect(near == 6);
    script_fini(&s);
}

TEST(locality_passes_over_nodes_that_are_down)
{
    struct script s;
    submit(&s, 1);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {0}});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && s.out.at[0].node.v == 3);
    script_fini(&s);
}

/* As many nodes as copies, each with room for all of them: no two copies of a task share one. */
static void expect_apart(const char *policy)
{
    enum { NODES = 4, TASKS = 3 };
    struct script s;
    uint32_t on[TASKS][NODES] = {{0}};
    script_init(&s, policy, NODES, 2 * NODES);
    script_job(&s, 1, TASKS);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == TASKS * NODES);
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_LAUNCH)
            on[s.out.at[i].at.task][s.out.at[i].node.v]++;
    for (uint32_t t = 0; t < TASKS; t++)
        for (uint32_t n = 0; n < NODES; n++)
            expect(on[t][n] == 1);
    script_fini(&s);
}

TEST(place_keeps_the_copies_of_a_task_apart)
{
    expect_apart("dolly;beta=1;tau=1;p_prior=0.5;copies_max=4");
    expect_apart("job-clone;tau=1;p_prior=0.5;copies_max=4");
}
