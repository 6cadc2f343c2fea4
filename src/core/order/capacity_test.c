/* One node of ten slots unless a test says otherwise. */
#include "core/brain/script_test.h"
#include "core/order/launched_test.h"
#include "tests/unit/test.h"

TEST(capacity_shares_by_what_is_guaranteed)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:60:100,b:40:100", 1, 10);
    script_queued(&s, "a", 20, 1);
    script_queued(&s, "b", 20, 1);
    script_decide(&s, 0);
    /* a: 0, 1/6, 2/6, ...; b: 0, 1/4, 2/4, ...; the first of equals */
    expect(launched_are(&s, "0 1 0 1 0 0 1 0 1 0"));
    script_fini(&s);
}

TEST(capacity_is_fifo_in_a_queue)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:60:100,b:40:100", 1, 4);
    script_queued(&s, "b", 3, 1);
    script_queued(&s, "b", 3, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 0 0 1")); /* a leaves its share idle */
    script_queued(&s, "a", 9, 1);
    expect(launched_when_done(&s, 1, 0, 0, 0, "2")); /* and gets what comes free next */
    expect(launched_when_done(&s, 2, 0, 0, 1, "2"));
    expect(launched_when_done(&s, 3, 0, 0, 2, "1")); /* a 0.5 / 0.6, b 0.25 / 0.4 */
    script_fini(&s);
}

TEST(capacity_keeps_queues_within_their_maximum)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:40:100,b:40:60,c:1:1", 1, 10);
    script_queued(&s, "b", 20, 1);
    script_queued(&s, "c", 20, 1);
    script_decide(&s, 0);
    /* c runs one at a time, though one is a tenth of the cluster. */
    expect(launched_are(&s, "0 1 0 0 0 0 0"));
    script_queued(&s, "a", 20, 1);
    script_decide(&s, 1);
    expect(launched_are(&s, "2 2 2"));
    expect(launched_when_done(&s, 2, 1, 0, 0, "1")); /* c has nothing */
    expect(launched_when_done(&s, 3, 0, 0, 0, "2")); /* a 3/4 of its share, b more than all */
    script_fini(&s);
}

TEST(capacity_takes_unknown_queues_as_default)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:75:100", 1, 4);
    script_queued(&s, "other", 9, 1);
    script_queued(&s, "a", 9, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "1 0 1 1")); /* the rest is a quarter */
    script_fini(&s);
}

TEST(capacity_gives_the_rest_nothing_where_nothing_is_left)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:100:100", 1, 4);
    script_queued(&s, "other", 9, 1);
    script_queued(&s, "a", 3, 1);
    script_decide(&s, 0);
    expect(launched_are(&s, "1 1 1 0"));
    script_fini(&s);
}

TEST(capacity_counts_the_resource_of_which_a_queue_has_most)
{
    struct script s;
    struct phase_spec phase[2] = {{.name = "p", .tasks = 9, .demand = {{500, 4096}}},
                                  {.name = "p", .tasks = 9, .demand = {{2000, 1024}}}};
    struct job_spec spec = {.name = "j", .user = "u", .queue = "a", .phase_count = 1};
    script_init(&s, "order=capacity;queues=a:50:100,b:50:100", 0, 0);
    launched_node_up(&s, 0, 10, 40960);
    spec.phases = &phase[0];
    script_submit(&s, &spec); /* a tenth of the memory */
    spec.queue = "b";
    spec.phases = &phase[1];
    script_submit(&s, &spec); /* a fifth of the cores */
    script_decide(&s, 0);
    /* a 0.1, b 0.2, a 0.2, a 0.3, b 0.4, a 0.4, a 0.5, b 0.6, a 0.6, a 0.7, and half a core left */
    expect(launched_are(&s, "0 1 0 0 1 0 0 1 0 0 0"));
    script_fini(&s);
}

TEST(capacity_counts_clones_too)
{
    struct script s;
    script_init(&s, "order=capacity,mitigate=dolly;queues=a:50:50,b:50:100;beta=1;tau=1", 10, 1);
    script_queued(&s, "a", 3, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 3);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_fini(&s);
}
