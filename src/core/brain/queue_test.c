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
