#include "core/order/launched_test.h"
#include "tests/unit/test.h"

static void submit(struct script *s, uint32_t weight, uint32_t tasks, int slots, int mib)
{
    struct phase_spec p = {.name = "p", .tasks = tasks, .demand = {{slots * RES_SLOT, mib}}};
    struct job_spec spec = {.name = "j",
                            .user = "u",
                            .queue = "q",
                            .weight = weight * JOB_WEIGHT_ONE,
                            .phases = &p,
                            .phase_count = 1};
    script_submit(s, &spec);
}

static void node(struct script *s, const char *policy, int slots, int mib)
{
    script_init(s, policy, 0, 0);
    launched_node_up(s, 0, slots, mib);
}

TEST(drf_runs_the_example_of_its_paper)
{
    /* 9 cpus and 18 of memory; (1, 4) and (3, 1). Shares: 2/9 of memory a task, and 1/3 of the
     * cpus. In the end both hold 2/3 and the cpus are gone. */
    struct script s;
    node(&s, "none,order=drf", 9, 18);
    submit(&s, 1, 10, 1, 4);
    submit(&s, 1, 10, 3, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 0 1 0"));
    /* A task of the second is done: it holds 1/3 and is next, with all cpus that came free. */
    expect(launched_when_done(&s, 0, 1, 0, 0, "1"));
    script_fini(&s);
}

TEST(drf_breaks_ties_by_the_second_share)
{
    struct script s;
    node(&s, "none,order=drf", 10, 10);
    submit(&s, 1, 9, 2, 2);
    submit(&s, 1, 9, 2, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 1 0 1")); /* (.2 .2) and (.2 .1), then (.4 .4) and (.4 .2) */
    script_fini(&s);
    node(&s, "none,order=drf", 20, 20);
    submit(&s, 1, 9, 2, 4);
    submit(&s, 1, 9, 1, 4);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 1 0 1")); /* the same where memory is the first share */
    script_fini(&s);
}

TEST(drf_counts_weights)
{
    struct script s;
    node(&s, "none,order=drf", 6, 0);
    submit(&s, 1, 9, 1, 0);
    submit(&s, 2, 9, 1, 0);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 1 0 1 1")); /* 1 of 6 and 2 of 6 / 2 tie */
    script_fini(&s);
}

TEST(drf_passes_over_what_does_not_fit)
{
    struct script s;
    node(&s, "none,order=drf", 4, 0);
    submit(&s, 1, 3, 3, 0);
    submit(&s, 1, 3, 1, 0);
    submit(&s, 1, 3, 1, 0);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1"));
    expect(launched_when_done(&s, 0, 1, 0, 0, "1")); /* of two that hold nothing the first */
    script_fini(&s);
}

TEST(drf_follows_the_capacity)
{
    /* (1, 2) and (2, 1) on (3, 100): cpus decide, 1/3 before 2/3. A third job has the keys asked
     * for. On (103, 102) the second comes first: 2/103 before 2/102, and 3/103 before that. */
    struct script s;
    node(&s, "none,order=drf", 3, 100);
    submit(&s, 1, 3, 1, 2);
    submit(&s, 1, 3, 2, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1"));
    launched_node_up(&s, 1, 1, 0);
    submit(&s, 1, 1, 1, 0);
    script_decide(&s, 0);
    expect(launched_are(&s, "2")); /* the only one that needs no memory */
    launched_node_up(&s, 2, 99, 2);
    script_decide(&s, 0);
    expect(launched_are(&s, "1 1"));
    script_fini(&s);
}
