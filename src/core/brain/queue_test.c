#include "core/brain/queue.h"

#include "core/brain/script_test.h"
#include "core/brain/state.h"
#include "tests/unit/test.h"

/* A job that is over leaves nothing behind of any of its phases, however it ended. */
TEST(brain_keeps_no_lane_of_a_job_that_is_over)
{
    struct script s;
    script_init(&s, "none", 1, 4);
    struct phase_spec phases[2] = {
        {.name = "map", .tasks = 2, .demand = {{res_unit(RES_CPU)}}},
        {.name = "reduce",
         .tasks = 1,
         .demand = {{2 * res_unit(RES_CPU)}},
         .edge_count = 1,
         .edges = &(struct edge_spec){.from = 0, .pattern = EDGE_ALL_TO_ALL}}};
    struct job_spec spec = {.weight = 1, .phase_count = 2, .phases = phases};
    struct job_id done = script_submit(&s, &spec);
    script_decide(&s, 0);
    script_started_all(&s);
    const struct demand_queues *queues = &s.brain->queue.by_demand;
    expect(queues->at.count == 2 && queues->at.at[0] && queues->at.at[1]);
    script_win(&s, script_ref(done, 0, 0, 0));
    script_win(&s, script_ref(done, 0, 1, 0));
    script_started_all(&s);
    script_win(&s, script_ref(done, 1, 0, 0));
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_decide(&s, 10);
    expect(!queues->at.at[0] && !queues->at.at[1]);
    script_fini(&s);
}

/* ---- which phase is next ---- */

static bool is_next(const struct script *s, struct job_id job)
{
    return queue_is_next(s->brain, &world_job(&s->brain->world, job)->phases[0]);
}

/* On three slots, two tasks of the first job run, and one of the second, whose other one waits. So
 * does that of the third, which needs two slots. In order of arrival both are behind the first job,
 * of which no task waits; by fair shares the third job is next, which has nothing. */
TEST(queue_knows_which_phase_is_next)
{
    for (int fair = 0; fair <= 1; fair++) {
        struct script s;
        script_init(&s, fair ? "order=fair" : "order=fifo", 1, 3);
        struct job_id first = script_queued(&s, "", 2, 1);
        script_decide(&s, 0);
        expect(is_next(&s, first)); /* nothing waits */
        struct job_id second = script_queued(&s, "", 2, 1), third = script_queued(&s, "", 1, 2);
        script_decide(&s, 1);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
        expect(is_next(&s, first) == !fair && is_next(&s, second) == !fair);
        expect(is_next(&s, third) == fair);
        script_fini(&s);
    }
}

/* Queue b holds all four slots and has one task that waits; queue a, which has nothing, is next,
 * though its job came later. */
TEST(queue_compares_groups_first)
{
    struct script s;
    script_init(&s, "order=capacity;queues=a:50:100,b:50:100", 1, 4);
    struct job_id b = script_queued(&s, "b", 5, 1);
    script_decide(&s, 0);
    expect(is_next(&s, b));
    struct job_id a = script_queued(&s, "a", 2, 1);
    script_decide(&s, 1);
    expect(is_next(&s, a) && !is_next(&s, b));
    script_fini(&s);
}
