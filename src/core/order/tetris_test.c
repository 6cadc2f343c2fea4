/* What is left of jobs, as place=tetris weighs it; choices by hand are in place/tetris_test.c. */
#include "core/order/launched_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static void submit(struct script *s, int time_s)
{
    script_phase(s, (struct phase_spec){.tasks = 1, .expect_us = (int64_t)time_s * S});
}

/* Job 0 is a task of 10 s and one of 5 s behind it. What the first has made is lost before the
 * second could start: there are 15 s left again, and not 5, and job 2 of 6 s is before it. */
TEST(tetris_follows_what_is_lost)
{
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec p[2] = {
        {.name = "a", .tasks = 1, .demand = {{RES_SLOT}}, .expect_us = 10 * S},
        {.name = "b", .tasks = 1, .demand = {{RES_SLOT}}, .edges = &edge, .edge_count = 1},
    };
    p[1].expect_us = 5 * S;
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "tetris", 1, 1);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    submit(&s, 2);
    submit(&s, 6);
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1")); /* 2 s before 5 and 6 */
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 11 * S);
    expect(launched_when_done(&s, 12 * S, 1, 0, 0, "2"));
    script_fini(&s);
}
